import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt, TURNS } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { PostgresProxy } from "../../support/postgres/proxy.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { redeemedBy } from "../../support/tokens.ts";

/** How late every answer of the server is. */
const ANSWER_MS = 2_000;

describe.skipIf(!hasPostgres)("a server that answers after 2 s (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let proxy: PostgresProxy;
  let stores: Stores;
  let accountId: AccountId;

  beforeAll(async () => {
    server = await PostgresServer.start();
    proxy = await PostgresProxy.start(server.port);
    stores = await openPostgresStores(proxy.url(await server.createDatabase()), systemClock);
    accountId = await stores.accounts.ensure("first");
  });
  afterAll(async () => {
    await stores?.close();
    await proxy?.close();
    await server?.remove();
  });

  test("K3: creates, redeems and ends calls, does jobs, and does not count as lost", { timeout: 120_000 }, async () => {
    const [waiting, live] = [await createCall(stores, accountId), await createCall(stores, accountId)];
    await stores.redemptions.redeem(live.tokenHash, redeemedBy("worker-1"));
    const job = await stores.jobs.enqueue({ kind: "test.work", payload: {} });
    const claim = { runnerId: "runner-1", kinds: ["test.work"], fullLanes: [], limit: 1 };
    proxy.delay(ANSWER_MS);
    const begunMs = systemClock.nowMs();
    const [created, redeemed, isFirstEnd, claimed] = await Promise.all([
      createCall(stores, accountId),
      stores.redemptions.redeem(waiting.tokenHash, redeemedBy("worker-1")),
      stores.calls.finish(live.id, endAt(new ManualClock())),
      stores.jobs.claim(claim),
    ]);
    expect(elapsedMs(begunMs, systemClock.nowMs())).toBeGreaterThan(2 * ANSWER_MS);
    expect(stores.isDatabaseLost()).toBe(false);
    proxy.delay(0);
    expect([redeemed?.callId, isFirstEnd, claimed.map(({ id }) => id)]).toEqual([waiting.id, true, [job]]);
    expect(await stores.calls.get(accountId, created.id)).toMatchObject({ status: "created" });
    expect(await stores.calls.get(accountId, waiting.id)).toMatchObject({ status: "active" });
    expect(await stores.calls.transcript(accountId, live.id)).toEqual(TURNS);
  });
});
