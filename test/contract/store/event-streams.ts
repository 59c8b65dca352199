import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMs } from "../../../src/core/clocks.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { EVENTS_KEPT_MS } from "../../../src/core/limits/control-api/events.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt } from "../../support/calls/stored-calls.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

/**
 * The numbers of the events, in the order in which they were read while calls are created and events numbered in all of these processes:
 * 50 events by each.
 */
export async function numbersReadWhileWriting(processes: readonly Stores[], accountId: AccountId): Promise<number[]> {
  const seen: number[] = [];
  const readOn = async (): Promise<void> => {
    const found = await processes[0]?.eventStreams.read(accountId, seen.at(-1) ?? 0, 100);
    seen.push(...(found ?? []).map(({ sequence }) => sequence));
  };
  for (let round = 0; round < 10; round++) {
    let isWriting = true;
    const written = Promise.all(
      processes.flatMap((one) => [
        ...Array.from({ length: 5 }, () => createCall(one, accountId)),
        ...Array.from({ length: 3 }, () => one.eventStreams.number()),
      ]),
    ).finally(() => {
      isWriting = false;
    });
    while (isWriting) await readOn();
    await written;
  }
  await processes.at(-1)?.eventStreams.number();
  await readOn();
  return seen;
}

/** What every EventStreamStore must do, with the stores that write facts. */
export function eventStreamContract(name: string, make: () => StoresUnderTest): void {
  describe(`EventStreamStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    let otherAccountId: AccountId;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      otherAccountId = await stores.accounts.ensure("second");
    });
    afterEach(() => stores.close());

    const read = async (account = accountId, after = 0) => {
      await stores.eventStreams.number();
      const events = await stores.eventStreams.read(account, after, 100);
      return events.map(({ sequence, type }) => `${sequence} ${type}`);
    };

    test("facts are numbered in order, from the moment on at which the account has a stream", async () => {
      await createCall(stores, accountId);
      expect(await read()).toEqual([]);
      expect(await stores.eventStreams.open(accountId)).toEqual({ last: 0, lostThrough: 0 });
      const { id, tokenHash } = await createCall(stores, accountId);
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      await stores.calls.finish(id, endAt(under.clock));
      const expired = await createCall(stores, accountId, undefined, { tokenTtlMs: 1_000 });
      under.clock.advance(1_000);
      await stores.calls.expire();
      expect(await read()).toEqual([
        "1 call.created",
        "2 call.created",
        "3 call.started",
        "4 call.ended",
        "5 call.expired",
      ]);
      expect(await read(accountId, 3)).toEqual(["4 call.ended", "5 call.expired"]);
      expect((await stores.eventStreams.open(accountId)).last).toBe(5);
      expect(await stores.eventStreams.lastNumbers([accountId, otherAccountId])).toEqual(new Map([[accountId, 5]]));
      const [last] = await stores.eventStreams.read(accountId, 4, 1);
      expect(last).toMatchObject({ callId: expired.id, data: { call: { id: expired.id, status: "expired" } } });
    });

    test("an event has the id under which webhooks deliver it", async () => {
      const webhooks = stores.openWebhooks(SEALING_KEYS);
      const settings = {
        url: "https://x.example",
        description: "",
        eventTypes: ["call.created" as const],
        enabled: true,
      };
      const created = await webhooks.create(accountId, settings);
      await stores.eventStreams.open(accountId);
      await createCall(stores, accountId);
      await stores.eventStreams.number();
      const [event] = await stores.eventStreams.read(accountId, 0, 1);
      const page = await webhooks.listDeliveries(accountId, created?.webhook.id as never, { limit: 1 });
      expect(event?.id).toBe(page?.deliveries[0]?.eventId);
    });

    test("A3: an account reads its own events alone, with numbers of its own", async () => {
      await stores.eventStreams.open(accountId);
      await stores.eventStreams.open(otherAccountId);
      for (const account of [accountId, otherAccountId, otherAccountId]) await createCall(stores, account);
      expect(await read()).toEqual(["1 call.created"]);
      expect(await read(otherAccountId)).toEqual(["1 call.created", "2 call.created"]);
    });

    test("events that are numbered at once get every number once, and no event appears before one that was read", async () => {
      await stores.eventStreams.open(accountId);
      expect(await numbersReadWhileWriting([stores], accountId)).toEqual(
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
    });

    test("events survive a restart, and those of a deleted call are deleted", async () => {
      await stores.eventStreams.open(accountId);
      const first = await createCall(stores, accountId);
      await createCall(stores, accountId);
      await stores.eventStreams.number();
      await stores.close();
      stores = await under.open();
      expect(await stores.eventStreams.open(accountId)).toEqual({ last: 2, lostThrough: 0 });
      await stores.calls.remove(accountId, first.id);
      expect(await read()).toHaveLength(1);
    });

    test("what is older than a day is deleted, and the position says that it may be missing", async () => {
      await stores.eventStreams.open(accountId);
      await createCall(stores, accountId);
      under.clock.advance(EVENTS_KEPT_MS - 1_000);
      await stores.eventStreams.open(accountId);
      await createCall(stores, accountId);
      await stores.eventStreams.number();
      under.clock.advance(2_000);
      const before = addMs(under.clock.epochMs(), -EVENTS_KEPT_MS);
      expect([await stores.eventStreams.deleteOld(before), await stores.eventStreams.deleteOld(before)]).toEqual([
        1, 0,
      ]);
      expect(await stores.eventStreams.open(accountId)).toEqual({ last: 2, lostThrough: 1 });
      expect(await read()).toEqual(["2 call.created"]);
    });

    test("an event that no process has numbered is deleted after a day, too, and the position says that it may be missing", async () => {
      await stores.eventStreams.open(accountId);
      await createCall(stores, accountId);
      under.clock.advance(EVENTS_KEPT_MS + 1);
      expect(await stores.eventStreams.deleteOld(addMs(under.clock.epochMs(), -EVENTS_KEPT_MS))).toBe(1);
      expect((await stores.eventStreams.open(accountId)).lostThrough).toBeGreaterThan(0);
      expect(await read()).toEqual([]);
    });

    test("a day after its last stream nothing is kept, and the position says so when there is one again", async () => {
      await stores.eventStreams.open(accountId);
      await createCall(stores, accountId);
      under.clock.advance(EVENTS_KEPT_MS);
      await createCall(stores, accountId);
      await stores.eventStreams.number();
      expect(await stores.eventStreams.open(accountId)).toEqual({ last: 2, lostThrough: 2 });
      await createCall(stores, accountId);
      expect(await read(accountId, 2)).toEqual(["3 call.created"]);
    });
  });
}
