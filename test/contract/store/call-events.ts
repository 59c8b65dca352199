import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, asAccountId, asCallId, type CallId } from "../../../src/core/ids.ts";
import type { CallEvent } from "../../../src/store/calls/call-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { mintToken, redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const REQUEST = { keyHash: hashSecret("first"), fingerprint: "f1", sealedToken: "sealed-1" };

/** What every CallStore must report of its calls. */
export function callEventContract(name: string, make: () => StoresUnderTest): void {
  describe(`CallStore contract, events: ${name}`, () => {
    let stores: Stores;
    let clock: ManualClock;
    let accountId: AccountId;
    let events: CallEvent[];

    beforeEach(async () => {
      const under = make();
      clock = under.clock;
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      events = [];
      stores.calls.subscribe((event) => events.push(event));
    });
    afterEach(() => stores.close());

    /** The kinds of the events about a call, an end with how it ended. */
    const eventsOf = (id: CallId) =>
      events
        .filter(({ callId }) => callId === id)
        .map((event) => (event.kind === "ended" ? `${event.status} ${event.endReason}` : event.kind));
    const newCall = (account = accountId) => ({
      accountId: account,
      spec: SPEC,
      tokenHash: hashSecret(mintToken()),
      tokenTtlMs: TTL_MS,
      idempotency: REQUEST,
    });

    test("a creation is reported with the call's id and its request, before it resolves", async () => {
      const call = { ...newCall(), idempotency: undefined };
      let created: readonly CallEvent[] = [];
      await stores.calls.create(call).then(() => {
        created = [...events];
      });
      const [waiting] = await stores.calls.listWaiting();
      expect(created).toEqual([{ kind: "created", callId: waiting?.id, call }]);
    });

    test("each end is reported once, whatever the way and however often it is asked for", async () => {
      const [cancelled, held, lost] = [
        await createCall(stores, accountId),
        await createCall(stores, accountId),
        await createCall(stores, accountId),
      ];
      const late = await createCall(stores, accountId);
      for (const { tokenHash } of [held, lost]) await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      for (let times = 0; times < 2; times += 1) {
        await stores.calls.cancel(accountId, cancelled.id);
        await stores.calls.cancel(accountId, held.id);
        await stores.calls.finish(held.id, endAt(clock));
        await stores.calls.finish(lost.id, endAt(clock, { status: "failed", endReason: "worker_lost" }));
        clock.advance(TTL_MS);
        await stores.calls.expire();
      }
      expect([cancelled, held, lost, late].map(({ id }) => eventsOf(id))).toEqual([
        ["created", "ended api_hangup"],
        ["created", "ended caller_hangup"],
        ["created", "failed worker_lost"],
        ["created", "expired token_expired"],
      ]);
    });

    test("a removal is reported once, and none of an active call", async () => {
      const [waiting, active] = [await createCall(stores, accountId), await createCall(stores, accountId)];
      await stores.redemptions.redeem(active.tokenHash, redeemedBy("worker-1"));
      for (const { id } of [waiting, active, waiting]) await stores.calls.remove(accountId, id);
      expect([waiting, active].map(({ id }) => eventsOf(id))).toEqual([["created", "removed"], ["created"]]);
    });

    test("a repeated request is reported only while its call waits for its stream", async () => {
      const { id, tokenHash } = await createCall(stores, accountId, SPEC, { idempotency: REQUEST });
      await stores.calls.findRepeated(newCall());
      await stores.calls.create(newCall());
      await stores.calls.create({ ...newCall(), idempotency: { ...REQUEST, fingerprint: "f2" } });
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      await stores.calls.findRepeated(newCall());
      await stores.calls.create(newCall());
      expect(eventsOf(id)).toEqual(["created", "repeated", "repeated"]);
      expect(events).toHaveLength(3);
    });

    test("what changed nothing is not reported", async () => {
      await expect(stores.calls.create(newCall(asAccountId("unknown")))).rejects.toThrow();
      expect(await stores.calls.findRepeated(newCall())).toBeUndefined();
      expect(events).toEqual([]);
    });

    test("what a listener throws the operation rejects with, after its commit and after the listeners before it", async () => {
      stores.calls.subscribe(({ kind }) => {
        throw new Error(`a defect at ${kind}`);
      });
      await expect(stores.calls.create({ ...newCall(), idempotency: undefined })).rejects.toThrow(
        "a defect at created",
      );
      const [{ id } = { id: asCallId("none") }] = await stores.calls.listWaiting();
      await expect(stores.calls.cancel(accountId, id)).rejects.toThrow("a defect at ended");
      expect((await stores.calls.get(accountId, id))?.endReason).toBe("api_hangup");
      expect(eventsOf(id)).toEqual(["created", "ended api_hangup"]);
    });

    test("a request is found again without being stored, as its repetition would be answered", async () => {
      expect(await stores.calls.findRepeated({ ...newCall(), idempotency: undefined })).toBeUndefined();
      const { record } = await createCall(stores, accountId, SPEC, { idempotency: REQUEST });
      const other = { ...newCall(), idempotency: { ...REQUEST, fingerprint: "f2" } };
      expect(await stores.calls.findRepeated(newCall())).toEqual({
        kind: "replayed",
        call: record,
        sealedToken: REQUEST.sealedToken,
      });
      expect(await stores.calls.findRepeated(other)).toEqual({ kind: "mismatch" });
      expect(await stores.calls.findRepeated(newCall(await stores.accounts.ensure("second")))).toBeUndefined();
    });
  });
}
