import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TOKEN_KEY_POLL_MS } from "../../../src/core/limits/service/admission.ts";
import { isSignedToken } from "../../../src/core/stream-token.ts";
import { openTokenKeys, rotateTokenKeys } from "../../../src/store/data-dir/token-keys.ts";
import { TokenSigner } from "../../../src/store/data-dir/token-signer.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const FILE = "token-keys.json";

function signer(dataDir = temporaryDirectory()) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const sentKeys: (readonly string[])[] = [];
  const made = new TokenSigner({ dataDir, clock, log, onKeys: (keys) => sentKeys.push(keys) });
  return { dataDir, clock, lines, sentKeys, signer: made };
}

const isAccepted = (token: string, keys: readonly string[]): boolean =>
  isSignedToken(
    token,
    keys.map((key) => Buffer.from(key, "base64url")),
  );

test("ADV-M5: a rotated token key is sent to the workers before it signs, and the previous one stays valid", () => {
  const { dataDir, clock, sentKeys, signer: under } = signer();
  const before = under.mint();
  rotateTokenKeys(dataDir);
  clock.advance(TOKEN_KEY_POLL_MS);
  const keys = sentKeys[0] ?? [];
  const between = under.mint();
  clock.advance(TOKEN_KEY_POLL_MS);
  const after = under.mint();
  expect([sentKeys.length, keys.length]).toEqual([1, 2]);
  for (const token of [before, between, after]) expect(isAccepted(token, keys)).toBe(true);
  const { current, previous } = openTokenKeys(dataDir);
  expect(isAccepted(between, [previous ?? ""])).toBe(true);
  expect(isAccepted(after, [current])).toBe(true);
  expect(new Set(under.accepted)).toEqual(new Set(keys));
});

test("ADV-M5: after two rotations no token of the first token key is valid", () => {
  const { dataDir, clock, sentKeys, signer: under } = signer();
  const old = under.mint();
  for (let times = 0; times < 2; times += 1) {
    rotateTokenKeys(dataDir);
    clock.advance(2 * TOKEN_KEY_POLL_MS);
  }
  expect(isAccepted(old, sentKeys.at(-1) ?? [])).toBe(false);
  expect(under.accepted.length).toBe(2);
});

test("ADV-M5: token keys that cannot be read are an error at the start, and a running service keeps those that it has", () => {
  const { dataDir, clock, lines, sentKeys, signer: under } = signer();
  const { current } = openTokenKeys(dataDir);
  for (const text of ["", "{}", '{"current":"short"}', `{"current":"${current}","more":1}`]) {
    writeFileSync(join(dataDir, FILE), text);
    expect(() => openTokenKeys(dataDir)).toThrow(/token-keys\.json must hold/);
    clock.advance(TOKEN_KEY_POLL_MS);
    expect(isAccepted(under.mint(), [current])).toBe(true);
  }
  expect(sentKeys).toEqual([]);
  expect(lines.filter((line) => line.includes("token keys could not be read")).length).toBe(4);
  expect(lines.join()).not.toContain(current);
  expect(readFileSync(join(dataDir, FILE), "utf8")).toContain(current);
});
