import { readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Keyring, sealingKeyOf } from "../../src/store/sealing/seal.ts";
import { openSecretsKeys, rotateSecretsKey, secretsKeyPath } from "../../src/store/sealing/secrets-key.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const key = (byte: number) => sealingKeyOf(Buffer.alloc(32, byte));
const PLACE = { table: "webhooks", rowId: "webhook_1", column: "secret" };

describe("a sealed text", () => {
  const keys = new Keyring([key(1)]);
  const sealed = keys.seal("whsec_né 👋", PLACE);

  test("opens in its place, and is another text every time", () => {
    expect(keys.open(sealed, PLACE)).toBe("whsec_né 👋");
    expect(keys.seal("whsec_né 👋", PLACE)).not.toBe(sealed);
    expect(sealed).not.toContain("whsec");
  });

  test.each([
    { ...PLACE, rowId: "webhook_2" },
    { ...PLACE, column: "previous_secret" },
    { ...PLACE, table: "carriers" },
  ])("does not open elsewhere: %j", (place) => {
    expect(() => keys.open(sealed, place)).toThrow(expect.objectContaining({ code: "unsealable" }));
  });

  test("does not open when any character of it was changed", () => {
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === "A" ? "B" : "A";
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      // The last character of base64url may have bits that say nothing.
      if (
        Buffer.from(changed.split(".").at(-1) ?? "", "base64url").equals(
          Buffer.from(sealed.split(".").at(-1) ?? "", "base64url"),
        ) &&
        changed.startsWith(sealed.slice(0, 20))
      )
        continue;
      expect(() => keys.open(changed, PLACE), String(at)).toThrow(expect.objectContaining({ code: "unsealable" }));
    }
    for (const nonsense of ["", "v1", "v1.x.y.z", "....", sealed.slice(0, -30)]) {
      expect(() => keys.open(nonsense, PLACE)).toThrow(expect.objectContaining({ code: "unsealable" }));
    }
  });

  test("opens with an earlier key of the ring, and not without it", () => {
    expect(new Keyring([key(2), key(1)]).open(sealed, PLACE)).toBe("whsec_né 👋");
    expect(() => new Keyring([key(2)]).open(sealed, PLACE)).toThrow(/its key .* is missing/);
  });
});

describe("the key of a service", () => {
  const open = (dataDir: string, options: { fromEnvironment?: string; usedKeyIds?: readonly string[] } = {}) =>
    openSecretsKeys({ dataDir, fromEnvironment: options.fromEnvironment, usedKeyIds: options.usedKeyIds ?? [] });

  test("is made at the first start, readable by its owner alone, and stays", () => {
    const dataDir = temporaryDirectory();
    const first = open(dataDir);
    expect(statSync(secretsKeyPath(dataDir)).mode & 0o777).toBe(0o600);
    expect(open(dataDir).current.id).toBe(first.current.id);
  });

  test("may come from the environment, and then makes no file", () => {
    const dataDir = temporaryDirectory();
    const text = Buffer.alloc(32, 1).toString("base64");
    expect(open(dataDir, { fromEnvironment: text }).current.id).toBe(key(1).id);
    expect(() => statSync(secretsKeyPath(dataDir))).toThrow(/ENOENT/);
  });

  test.each([
    "",
    "short",
    "!!!",
    Buffer.alloc(31).toString("base64"),
    Array(9).fill(Buffer.alloc(32).toString("base64")).join(","),
  ])("is refused in one line that shows nothing of it: %j", (text) => {
    const dataDir = temporaryDirectory();
    writeFileSync(secretsKeyPath(dataDir), text);
    const seen = (() => {
      try {
        open(dataDir);
        return "";
      } catch (error) {
        return String(error);
      }
    })();
    expect(seen).toMatch(/must hold 1 to 8 keys of 32 bytes as base64/);
    if (text.length > 3) expect(seen).not.toContain(text);
  });

  test("that the database needs and that is missing, or another one, ends the start and makes no file", () => {
    const dataDir = temporaryDirectory();
    expect(() => open(dataDir, { usedKeyIds: [key(1).id] })).toThrow(new RegExp(key(1).id));
    expect(() => statSync(secretsKeyPath(dataDir))).toThrow(/ENOENT/);
    const other = Buffer.alloc(32, 2).toString("base64");
    expect(() => open(dataDir, { fromEnvironment: other, usedKeyIds: [key(1).id] })).toThrow(
      /SECRETS_KEY does not have/,
    );
  });

  test("is rotated: a new one comes first, and the earlier ones still open what they sealed", () => {
    const dataDir = temporaryDirectory();
    const before = open(dataDir);
    const sealed = before.seal("x", PLACE);
    const { id } = rotateSecretsKey(dataDir);
    const after = open(dataDir, { usedKeyIds: [before.current.id] });
    expect([after.current.id, after.open(sealed, PLACE)]).toEqual([id, "x"]);
    expect(readFileSync(secretsKeyPath(dataDir), "utf8").trim().split("\n")).toHaveLength(2);
  });
});
