import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { POSTGRES_POLL_MS } from "../../../src/core/limits/storage/postgres.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { faketimeLibrary } from "../../chaos/clock-step.ts";
import { createCall, SPEC } from "../../support/calls/stored-calls.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { redeemedBy } from "../../support/tokens.ts";

const library = faketimeLibrary();
const APART_MS = 5_000;
/** A step of the server's clock is followed at the next poll. */
const FOLLOWED_MS = 2 * POSTGRES_POLL_MS;

const canFakeTime = hasPostgres && library !== undefined;
describe.skipIf(!canFakeTime)("a server whose clock differs (only where postgresql and faketime are installed)", () => {
  let folder: string;
  let server: PostgresServer;
  let stores: Stores;
  let accountId: AccountId;

  const setClock = (aheadMs: number): void =>
    writeFileSync(join(folder, "clock"), `${aheadMs < 0 ? "" : "+"}${aheadMs / 1_000}s\n`);
  const serverMs = async (): Promise<number> => {
    const [row] = await server.query<{ now: Date }>("SELECT clock_timestamp() AS now");
    return row?.now.getTime() ?? Number.NaN;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "trunkline-clock-"));
    // The server runs as another user.
    chmodSync(folder, 0o755);
    setClock(APART_MS);
    const clock = { FAKETIME_TIMESTAMP_FILE: join(folder, "clock"), FAKETIME_NO_CACHE: "1" };
    const env = { LD_PRELOAD: library ?? "", FAKETIME_DONT_FAKE_MONOTONIC: "1", ...clock };
    server = await PostgresServer.start({ env });
    stores = await openPostgresStores(await server.createDatabase(), systemClock);
    accountId = await stores.accounts.ensure("first");
    expect((await serverMs()) - Date.now()).toBeGreaterThan(APART_MS - 2_000);
  });
  afterAll(async () => {
    await stores?.close();
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test("K3: by 5 s neither shortens nor prolongs what a token or a job waits, and times in records are this machine's", {
    retry: ifMachineStalled,
  }, async () => {
    const [short, long] = [
      await createCall(stores, accountId, SPEC, { tokenTtlMs: 1_000 }),
      await createCall(stores, accountId, SPEC, { tokenTtlMs: 30_000 }),
    ];
    expect(Math.abs(elapsedMs(long.record.createdAtMs, systemClock.epochMs()))).toBeLessThan(APART_MS / 2);
    const job = await stores.jobs.enqueue({ kind: "test.work", payload: {} });
    const later = await stores.jobs.enqueue({ kind: "test.work", payload: {}, delayMs: 60_000 });
    const claimed = await stores.jobs.claim({ runnerId: "runner-1", kinds: ["test.work"], fullLanes: [], limit: 5 });
    expect([claimed.map(({ id }) => id), later === undefined]).toEqual([[job], false]);
    await delay(1_100);
    expect(await stores.redemptions.redeem(short.tokenHash, redeemedBy("worker-1"))).toBeUndefined();
    expect(await stores.redemptions.redeem(long.tokenHash, redeemedBy("worker-1"))).toMatchObject({ callId: long.id });
  });

  test("K12: and that steps by 5 s either way takes no job from its runner, and no token from its call", {
    retry: ifMachineStalled,
  }, async () => {
    const claim = (runnerId: string) => ({ runnerId, kinds: ["test.step"], fullLanes: [], limit: 5 });
    const id = await stores.jobs.enqueue({ kind: "test.step", payload: {} });
    const { tokenHash } = await createCall(stores, accountId, SPEC, { tokenTtlMs: 60_000 });
    expect((await stores.jobs.claim(claim("runner-1"))).map((job) => job.id)).toEqual([id]);
    for (const aheadMs of [2 * APART_MS, APART_MS, 0]) {
      setClock(aheadMs);
      await delay(FOLLOWED_MS);
      expect(await stores.jobs.claim(claim("runner-2"))).toEqual([]);
      // As its runner does more often.
      expect(id && (await stores.jobs.extend("runner-1", [id]))).toEqual([]);
    }
    expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toBeDefined();
  });
});
