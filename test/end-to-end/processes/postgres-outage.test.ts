import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { addMs, elapsedMs } from "../../../src/core/clocks.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { beginCalls, hangUpAll, type LiveCall, sendFrames } from "../../support/services/live-workers.ts";
import { NEW_CALL, Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const FRAME_MS = 20;
const FRAMES = 5;
/** What stands for seven minutes: several of every retry and poll of the service. */
const OUTAGE_MS = 6_000;
const BACK_MS_MAX = 5_000;
const NOTICED_MS_MAX = 10_000;

describe.skipIf(!hasPostgres)("an outage of the database (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let service: Service;

  beforeEach(async () => {
    server = await PostgresServer.start();
    const url = await server.createDatabase();
    const stores = await openPostgresStores(url, systemClock);
    const accountId = await stores.accounts.ensure("outage");
    const { key } = await stores.apiKeys.create({ accountId, name: "test" });
    await stores.close();
    service = await Service.start({ apiKey: key, env: { DATABASE_URL: url, WORKERS: "1" } });
  });
  afterEach(async () => {
    await service?.process.kill();
    await server?.remove();
  });

  const statusOf = async (path: string): Promise<number> => (await service.fetch("GET", path)).status;

  /** Sends audio into the calls, in real time, until it is stopped. */
  function talk(calls: readonly LiveCall[]): () => Promise<void> {
    let isOver = false;
    const talking = (async () => {
      for (let dueMs = systemClock.nowMs(); !isOver; dueMs = addMs(dueMs, FRAMES * FRAME_MS)) {
        // A timer may fire a little early: the next time is counted from when this one was due.
        await delay(Math.max(0, Math.ceil(elapsedMs(systemClock.nowMs(), dueMs))));
        sendFrames(calls, FRAMES);
      }
    })();
    return async () => {
      isOver = true;
      await talking;
    };
  }

  test("K10: costs no live call a frame, loses no record, restarts nothing, and is over 5 s after the return", {
    retry: ifMachineStalled,
    timeout: 120_000,
  }, async () => {
    const calls = await beginCalls(service, 4);
    const [endingMeanwhile, lasting] = [calls.slice(0, 2), calls.slice(2)];
    const processes = service.logged("process started").length;
    const stopTalking = [talk(endingMeanwhile), talk(lasting)];
    await server.stop();
    await until("readiness to say no", NOTICED_MS_MAX, async () => (await statusOf("/readyz")) === 503);
    const refused = await service.api<{ error: { code: string } }>("POST", "/calls", NEW_CALL);
    // An API key that was checked within the last second is not checked again; after it not even that is possible.
    expect(refused.status).toBe(503);
    expect(["database_lost", "unavailable"]).toContain(refused.body.error.code);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await stopTalking[0]?.();
    for (const { caller } of endingMeanwhile) caller.hangUp();
    const lostMs = systemClock.nowMs();
    while (elapsedMs(lostMs, systemClock.nowMs()) < OUTAGE_MS) {
      expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 503]);
      await delay(100);
    }

    await server.run();
    const backMs = systemClock.nowMs();
    await until("readiness to say yes", 2 * BACK_MS_MAX, async () => (await statusOf("/readyz")) === 200);
    expect((await service.api("POST", "/calls", NEW_CALL)).status).toBe(201);
    expect(elapsedMs(backMs, systemClock.nowMs())).toBeLessThanOrEqual(BACK_MS_MAX);
    for (const { id } of endingMeanwhile) {
      expect(await service.ended(id, BACK_MS_MAX)).toMatchObject({
        endReason: "caller_hangup",
        transcriptComplete: true,
      });
    }
    await stopTalking[1]?.();
    expect(await hangUpAll(service, calls)).toEqual(calls.map(() => ({ endReason: "caller_hangup", lost: 0 })));
    expect(service.logged("process started")).toHaveLength(processes);
    expect(service.logged("process died")).toEqual([]);
    // The log says so at its next look.
    const saysBack = (): number => service.logged("database is back: new calls are accepted").length;
    await until("the log to say that the database is back", BACK_MS_MAX, () => saysBack() > 0);
    expect(saysBack()).toBe(1);
    expect(await service.stop()).toBe(0);
  });
});
