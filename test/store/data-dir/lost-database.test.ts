import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemAgeClock } from "../../../src/core/age-clock.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { monitorDatabase } from "../../../src/store/data-dir/database-monitor.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openSqliteRedemptions, openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { SPEC } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { mintToken, redeemedBy } from "../../support/tokens.ts";

/** Levels of pino. */
const ERROR = 50;
const INFO = 30;

interface Scene {
  directory: string;
  stores: Stores;
  accountId: AccountId;
  /** Creates a call; resolves with its token's hash. */
  create(): Promise<string>;
}

async function scene(): Promise<Scene> {
  const directory = temporaryDirectory();
  const stores = await openSqliteStores(directory, systemClock);
  const accountId = await stores.accounts.ensure("first");
  const create = async (): Promise<string> => {
    const tokenHash = hashSecret(mintToken());
    await stores.calls.create({ accountId, spec: SPEC, tokenHash, tokenTtlMs: 60_000 });
    return tokenHash;
  };
  return { directory, stores, accountId, create };
}

const databaseFiles = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.startsWith("trunkline.db"));

/** Moves the database's files to another folder. */
function moveAway(directory: string): () => void {
  const aside = join(directory, "aside");
  mkdirSync(aside);
  const names = databaseFiles(directory);
  expect(names).toHaveLength(3);
  for (const name of names) renameSync(join(directory, name), join(aside, name));
  return () => {
    for (const name of names) renameSync(join(aside, name), join(directory, name));
  };
}

const UNAVAILABLE = expect.objectContaining({ code: "unavailable", fault: "service" });

describe("ADV-L7: a database that is removed while the service runs", () => {
  test("acknowledges no write, and accepts writes again when the same files are restored", async () => {
    const { directory, stores, accountId, create } = await scene();
    const tokenHash = await create();
    const putBack = moveAway(directory);
    expect(stores.isDatabaseLost()).toBe(true);
    await expect(create()).rejects.toEqual(UNAVAILABLE);
    await expect(stores.redemptions.redeem(tokenHash, redeemedBy("worker"))).rejects.toEqual(UNAVAILABLE);
    await expect(stores.apiKeys.create({ accountId, name: "second" })).rejects.toEqual(UNAVAILABLE);
    putBack();
    expect(stores.isDatabaseLost()).toBe(false);
    // Neither the unacknowledged redemption nor the unacknowledged calls took effect.
    expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker"))).toMatchObject({ accountId });
    await create();
    await stores.close();
    const again = await openSqliteStores(directory, systemClock);
    expect((await again.calls.list(accountId, { limit: 10 })).calls).toHaveLength(2);
    await again.close();
  });

  test("redeems nothing over a separate connection either, and redeems again when the files are restored", async () => {
    const { directory, stores, accountId, create } = await scene();
    const tokenHash = await create();
    const opened = openSqliteRedemptions(directory, systemClock, systemAgeClock(), new Map());
    const putBack = moveAway(directory);
    await expect(opened.redemptions.redeem(tokenHash, redeemedBy("worker"))).rejects.toEqual(UNAVAILABLE);
    putBack();
    expect(await opened.redemptions.redeem(tokenHash, redeemedBy("worker"))).toMatchObject({ accountId });
    await opened.close();
    await stores.close();
  });

  test.each(["trunkline.db", "trunkline.db-wal", "trunkline.db-shm"])("counts as lost without its %s", async (name) => {
    const { directory, stores, create } = await scene();
    rmSync(join(directory, name));
    expect(stores.isDatabaseLost()).toBe(true);
    await expect(create()).rejects.toEqual(UNAVAILABLE);
    await stores.close();
  });

  test("counts as lost with a copy in its place, which a restart opens", async () => {
    const { directory, stores, accountId, create } = await scene();
    await create();
    moveAway(directory);
    for (const name of databaseFiles(join(directory, "aside"))) {
      copyFileSync(join(directory, "aside", name), join(directory, name));
    }
    expect(stores.isDatabaseLost()).toBe(true);
    await expect(create()).rejects.toEqual(UNAVAILABLE);
    await stores.close();
    const restarted = await openSqliteStores(directory, systemClock);
    expect(restarted.isDatabaseLost()).toBe(false);
    expect((await restarted.calls.list(accountId, { limit: 10 })).calls).toHaveLength(1);
    await restarted.close();
  });

  test("is not lost for this process after another one has opened and closed it", async () => {
    const { directory, stores, create } = await scene();
    await (await openSqliteStores(directory, systemClock)).close();
    await create();
    expect(stores.isDatabaseLost()).toBe(false);
    await stores.close();
  });

  test("is logged once, with what to do, and once when it is back", async () => {
    const clock = new ManualClock();
    const { log, lines } = memoryLog();
    let isLost = false;
    monitorDatabase({ stores: { isDatabaseLost: () => isLost }, dataDir: "data", isFile: true }, clock, log);
    await clock.play(5_000);
    expect(lines).toEqual([]);
    isLost = true;
    await clock.play(5_000);
    isLost = false;
    await clock.play(5_000);
    const logged = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(logged.map(({ level }) => level)).toEqual([ERROR, INFO]);
    expect(logged[0]?.msg).toContain("removed or replaced");
    expect(logged[0]?.msg).toContain("restore the same files, or restart the service");
    expect(logged[1]?.msg).toContain("back");
  });
});
