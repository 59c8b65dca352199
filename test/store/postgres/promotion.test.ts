import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AccountId, CallId } from "../../../src/core/ids.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt, TURNS } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { PostgresProxy } from "../../support/postgres/proxy.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { ageClockOf, redeemedBy } from "../../support/tokens.ts";

const CALLS = 120;
const CALLS_AT_ONCE = 6;
/** How many calls have ended when the primary is killed. */
const ENDS_BEFORE = 40;
const RETRY_MS = 50;

describe.skipIf(!hasPostgres)("a standby that is promoted (only where postgresql is installed)", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let proxy: PostgresProxy;
  let stores: Stores;
  let accountId: AccountId;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock();
    primary = await PostgresServer.start();
    const direct = await primary.createDatabase();
    standby = await primary.startStandby("standby");
    // A commit is acknowledged when the standby has it, too.
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await primary.query("SELECT pg_reload_conf()");
    proxy = await PostgresProxy.start(primary.port);
    stores = await openPostgresStores(proxy.url(direct), clock, { ageClock: ageClockOf(clock) });
    accountId = await stores.accounts.ensure("first");
  });
  afterEach(async () => {
    await stores?.close();
    await proxy?.close();
    await standby?.remove();
    await primary?.remove();
  });

  test("K3: in the middle of commits loses none that was acknowledged, and each that was not is done once by a repetition", async () => {
    const webhooks = stores.openWebhooks(SEALING_KEYS);
    const settings = { url: "https://example.com/hook", description: "", enabled: true };
    const created = await webhooks.create(accountId, { ...settings, eventTypes: ["call.ended"] });
    const calls: { id: CallId; tokenHash: string }[] = [];
    for (let n = 0; n < CALLS; n++) calls.push(await createCall(stores, accountId));
    for (const { tokenHash } of calls) await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));

    const ended = new Set<CallId>();
    /** Those whose end was refused, and the ones whose end was nevertheless stored by then. */
    const refused = new Set<CallId>();
    let firsts = 0;
    let isKilled = false;
    const end = async (id: CallId): Promise<void> => {
      for (;;) {
        try {
          if (await stores.calls.finish(id, endAt(clock))) firsts += 1;
          ended.add(id);
          return;
        } catch (error) {
          expect(error).toMatchObject({ code: "unavailable" });
          refused.add(id);
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    };
    const waiting = [...calls];
    const line = async (): Promise<void> => {
      for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) await end(call.id);
    };
    const acknowledged = new Set<CallId>();
    const failOver = async (): Promise<void> => {
      while (ended.size < ENDS_BEFORE) await new Promise((resolve) => setTimeout(resolve, 1));
      for (const id of ended) acknowledged.add(id);
      await primary.kill();
      isKilled = true;
      await standby.promote();
      proxy.pointTo(standby.port);
      for (const id of acknowledged) expect((await stores.calls.get(accountId, id))?.status).toBe("ended");
    };
    await Promise.all([...Array.from({ length: CALLS_AT_ONCE }, line), failOver()]);

    expect([isKilled, refused.size > 0, waiting]).toEqual([true, true, []]);
    // Every end was reported once, whether its commit was acknowledged or not.
    expect(firsts).toBe(CALLS);
    for (const { id } of calls) expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS);
    const id = created?.webhook.id;
    const { deliveries = [] } = (id && (await webhooks.listDeliveries(accountId, id, { limit: 2 * CALLS }))) || {};
    expect(deliveries.map(({ callId }) => callId).sort()).toEqual(calls.map((call) => call.id).sort());
    expect((await stores.jobs.statistics()).counts).toEqual([
      { kind: "webhook.deliver", status: "pending", jobs: CALLS },
    ]);
    // The redemptions were acknowledged.
    for (const { tokenHash } of calls) {
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-2"))).toBeUndefined();
    }
  });
});
