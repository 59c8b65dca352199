import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { exportDatabase, importDatabase } from "../../src/cli/admin/transfer.ts";
import { systemClock } from "../../src/core/clock.ts";
import { openStores, type StorePlace } from "../../src/store/open-stores.ts";
import { AGENT, createCall, inEveryStatus, SPEC } from "../support/calls/stored-calls.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { hasPostgres } from "../support/postgres/server.ts";
import { migratedDatabase } from "../support/stores/every-store.ts";
import { SEALING_KEYS } from "../support/stores/keys.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const sqlite = async (): Promise<StorePlace> => ({ dataDir: temporaryDirectory(), databaseUrl: undefined });
const postgres = async (): Promise<StorePlace> => ({
  dataDir: temporaryDirectory(),
  databaseUrl: await migratedDatabase(),
});

let said: string[];
const say = (line: string): void => void said.push(line);
beforeEach(() => {
  said = [];
});

/** Something in every table. */
async function fill(place: StorePlace): Promise<void> {
  const stores = await openStores(place, systemClock);
  try {
    const accountId = await stores.accounts.ensure("né \u2028");
    await stores.apiKeys.create({ accountId, name: "one" });
    await stores.agents.create(accountId, { ...AGENT, name: "a\0b" });
    await stores.openWebhooks(SEALING_KEYS).create(accountId, {
      url: "https://example.com/",
      description: "",
      eventTypes: ["call.created", "call.ended"],
      enabled: true,
    });
    await inEveryStatus(stores, accountId, new ManualClock());
    const idempotency = { keyHash: "name", fingerprint: "body", sealedToken: "sealed" };
    await createCall(stores, accountId, { ...SPEC, recordingEnabled: false }, { idempotency });
  } finally {
    await stores.close();
  }
}

const sumsOf = async (place: StorePlace) => {
  const stores = await openStores(place, systemClock);
  try {
    return await stores.transfer.sums();
  } finally {
    await stores.close();
  }
};

describe.each([
  ["SQLite", "SQLite", sqlite, sqlite],
  ["SQLite", "Postgres (only where postgresql is installed)", sqlite, postgres],
  ["Postgres", "SQLite (only where postgresql is installed)", postgres, sqlite],
] as const)("from %s to %s", (_from, to, makeFrom, makeTo) => {
  test.skipIf(to.includes("only") && !hasPostgres)("everything moves, counted and compared", async () => {
    const [from, target] = [await makeFrom(), await makeTo()];
    await fill(from);
    const path = join(temporaryDirectory(), "export.jsonl.gz");
    await exportDatabase(from, path, say);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await importDatabase(target, path, say);
    expect(said.join("\n")).toContain("counted and compared");
    const [before, after] = [await sumsOf(from), await sumsOf(target)];
    expect(after).toEqual(before);
    for (const [table, { rows }] of Object.entries(before)) expect([table, rows > 0]).toEqual([table, true]);
  });
});

describe("an import", () => {
  const exported = async (): Promise<string> => {
    const from = await sqlite();
    await fill(from);
    const path = join(temporaryDirectory(), "export.jsonl.gz");
    await exportDatabase(from, path, say);
    return path;
  };
  /** The same file with other lines. */
  const changed = (path: string, change: (lines: string[]) => string[]): string => {
    const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split("\n");
    const other = `${path}.changed`;
    writeFileSync(other, gzipSync(`${change(lines).join("\n")}\n`));
    return other;
  };

  test("refuses a database that is not empty", async () => {
    const target = await sqlite();
    await fill(target);
    await expect(importDatabase(target, await exported(), say)).rejects.toThrow(/not empty/);
  });

  test("refuses a file of another schema, one that is cut off, and one that is no export", async () => {
    const path = await exported();
    const other = changed(path, ([head = "", ...rest]) => [
      head.replace(/"schema":"[^"]+"/, '"schema":"9999"'),
      ...rest,
    ]);
    await expect(importDatabase(await sqlite(), other, say)).rejects.toThrow(/9999/);
    const cut = changed(path, (lines) => lines.slice(0, -3));
    await expect(importDatabase(await sqlite(), cut, say)).rejects.toThrow(/incomplete/);
    const torn = `${path}.torn`;
    writeFileSync(torn, readFileSync(path));
    truncateSync(torn, 200);
    await expect(importDatabase(await sqlite(), torn, say)).rejects.toThrow();
    const text = join(temporaryDirectory(), "text");
    writeFileSync(text, "hello");
    await expect(importDatabase(await sqlite(), text, say)).rejects.toThrow();
  });

  test("notices a row that is missing, and one that was changed", async () => {
    const path = await exported();
    const without = changed(path, (lines) => lines.filter((line) => !line.includes('"table":"agents"')));
    await expect(importDatabase(await sqlite(), without, say)).rejects.toThrow(/agents has 0 rows instead of 1/);
    const other = changed(path, (lines) => lines.map((line) => line.replace("Lario", "Mario")));
    await expect(importDatabase(await sqlite(), other, say)).rejects.toThrow(/other contents/);
  });
});

test("an export never overwrites a file, and leaves no part of one when it fails", async () => {
  const from = await sqlite();
  const path = join(temporaryDirectory(), "there");
  writeFileSync(path, "mine");
  await expect(exportDatabase(from, path, say)).rejects.toThrow(/EEXIST/);
  expect(readFileSync(path, "utf8")).toBe("mine");
  const nowhere = join(temporaryDirectory(), "no", "folder");
  await expect(exportDatabase(from, nowhere, say)).rejects.toThrow(/ENOENT/);
  expect(existsSync(nowhere)).toBe(false);
});
