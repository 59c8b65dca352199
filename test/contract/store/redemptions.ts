import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, asCallId, asCarrierCallId, asWorkerId, type CallId } from "../../../src/core/ids.ts";
import { IDEMPOTENCY_MS } from "../../../src/core/limits/control-api/api.ts";
import type { IdempotentRequest } from "../../../src/store/calls/call-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import { redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const HOUR_MS = 3_600_000;
const NAMED: IdempotentRequest = { keyHash: "name", fingerprint: "body", sealedToken: "sealed" };

/** What redemptions, and the age of tokens, must do in every store. */
export function redemptionContract(name: string, make: () => StoresUnderTest): void {
  describe(`Redemptions contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const reopen = async (change?: { wallMs?: number; bootId?: string }) => {
      await stores.close();
      stores = await under.open(change);
    };
    const statusOf = async (callId: CallId) => (await stores.calls.get(accountId, callId))?.status;

    test.each([
      -HOUR_MS,
      HOUR_MS,
    ])("ADV-M2: a wall clock that steps by %d ms neither expires a token nor keeps it valid", async (wallMs) => {
      const [good, late] = [await createCall(stores, accountId), await createCall(stores, accountId)];
      await reopen({ wallMs });
      expect(await statusOf(good.id)).toBe("created");
      expect((await stores.calls.listWaiting()).map(({ remainingMs }) => remainingMs)).toEqual([TTL_MS, TTL_MS]);
      under.clock.advance(TTL_MS - 1);
      expect(await stores.redemptions.redeem(good.tokenHash, redeemedBy("worker-1"))).toMatchObject({
        callId: good.id,
      });
      under.clock.advance(1);
      expect(await stores.redemptions.redeem(late.tokenHash, redeemedBy("worker-1"))).toBeUndefined();
      expect(await statusOf(late.id)).toBe("expired");
      expect(await stores.calls.expire()).toEqual([late.id]);
    });

    test("ADV-M2: tokens survive a restart, and are expired after a reboot", async () => {
      const [kept, lost] = [await createCall(stores, accountId), await createCall(stores, accountId)];
      await reopen();
      expect(await stores.redemptions.redeem(kept.tokenHash, redeemedBy("worker-1"))).toMatchObject({
        callId: kept.id,
      });
      await reopen({ bootId: "boot-2" });
      expect(await statusOf(lost.id)).toBe("expired");
      expect(await stores.calls.listWaiting()).toEqual([]);
      expect(await stores.redemptions.redeem(lost.tokenHash, redeemedBy("worker-1"))).toBeUndefined();
      expect(await stores.calls.cancel(accountId, lost.id)).toMatchObject({ cancelled: false });
      expect(await stores.calls.expire()).toEqual([lost.id]);
    });

    test.each([
      -HOUR_MS,
      48 * HOUR_MS,
    ])("ADV-M2: a request with an idempotency key can be repeated for a day, though the wall clock steps by %d ms", async (wallMs) => {
      const { id } = await createCall(stores, accountId, SPEC, { idempotency: NAMED });
      const repeat = () =>
        stores.calls.create({ accountId, spec: SPEC, tokenHash: "other", tokenTtlMs: TTL_MS, idempotency: NAMED });
      await reopen({ wallMs });
      await stores.calls.expire();
      under.clock.advance(IDEMPOTENCY_MS - 1);
      expect(await repeat()).toMatchObject({ kind: "replayed", call: { id } });
      under.clock.advance(1);
      expect(await repeat()).toMatchObject({ kind: "created" });
    });

    test("ADV-M2: a request with an idempotency key of an earlier boot can be repeated for a day of the wall clock", async () => {
      const { id } = await createCall(stores, accountId, SPEC, { idempotency: NAMED });
      const repeat = () =>
        stores.calls.create({ accountId, spec: SPEC, tokenHash: "other", tokenTtlMs: TTL_MS, idempotency: NAMED });
      await reopen({ bootId: "boot-2", wallMs: IDEMPOTENCY_MS - 1 });
      await stores.calls.expire();
      expect(await repeat()).toMatchObject({ kind: "replayed", call: { id } });
      await reopen({ bootId: "boot-3", wallMs: IDEMPOTENCY_MS });
      await stores.calls.expire();
      expect(await repeat()).toMatchObject({ kind: "created" });
    });

    test("ADV-M2: starts of the control process are numbered independently of clocks", async () => {
      const first = await stores.epochs.next();
      await reopen({ wallMs: -HOUR_MS, bootId: "boot-2" });
      expect(await stores.epochs.next()).toBe(first + 1);
      expect(await stores.epochs.next()).toBe(first + 2);
    });

    test("ADV-M2: an active call has the worker's connection and the epoch of its redemption", async () => {
      const { id, tokenHash } = await createCall(stores, accountId);
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1", { connection: 7, epoch: 3 }));
      expect(await stores.calls.listActive()).toMatchObject([
        { id, workerId: "worker-1", workerConnection: 7, epoch: 3 },
      ]);
    });

    test("ADV-M5: a returned redemption makes the token valid again, once, for the rest of its lifetime", async () => {
      for (const recordingEnabled of [true, false]) {
        const { id, tokenHash, record } = await createCall(stores, accountId, { ...SPEC, recordingEnabled });
        const first = redeemedBy("worker-1");
        await stores.redemptions.redeem(tokenHash, first);
        under.clock.advance(1_000);
        const returned = { callId: id, remainingMs: TTL_MS - 1_000 };
        expect(await stores.redemptions.returnRedemption(tokenHash, first.nonce)).toEqual(returned);
        expect(await stores.redemptions.returnRedemption(tokenHash, first.nonce)).toBeUndefined();
        expect(await stores.calls.get(accountId, id)).toEqual(record);
        expect(await stores.calls.listActive()).toEqual([]);
        const second = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-2"));
        expect(second).toEqual({ callId: id, accountId, spec: { ...SPEC, recordingEnabled } });
        // The first redemption is over: returning it again does not affect the second.
        expect(await stores.redemptions.returnRedemption(tokenHash, first.nonce)).toBeUndefined();
        expect(await statusOf(id)).toBe("active");
        await stores.calls.finish(id, endAt(under.clock));
      }
    });

    test("ADV-M5: no redemption is returned without the nonce, of a call with a stream, or of one that is over", async () => {
      const calls = await Promise.all(Array.from({ length: 3 }, () => createCall(stores, accountId)));
      const redeemer = redeemedBy("worker-1");
      for (const { tokenHash } of calls) await stores.redemptions.redeem(tokenHash, redeemer);
      const [unproved, streaming, ended] = calls.map(({ id, tokenHash }) => ({ id, tokenHash }));
      await stores.calls.setCarrierCallId(streaming?.id ?? asCallId(""), asCarrierCallId("CA1"));
      await stores.calls.finish(ended?.id ?? asCallId(""), endAt(under.clock));
      const giveBack = (tokenHash = "", nonce = redeemer.nonce) =>
        stores.redemptions.returnRedemption(tokenHash, nonce);
      expect(await giveBack(unproved?.tokenHash, redeemedBy("worker-1").nonce)).toBeUndefined();
      expect(await giveBack(unproved?.tokenHash, "")).toBeUndefined();
      expect(await giveBack(streaming?.tokenHash)).toBeUndefined();
      expect(await giveBack(ended?.tokenHash)).toBeUndefined();
      expect(await giveBack("unknown")).toBeUndefined();
      expect(await Promise.all(calls.map(({ id }) => statusOf(id)))).toEqual(["active", "active", "ended"]);
    });

    test("ADV-M5: a redemption that is returned while the call's end is stored leaves the words of no call that is over", async () => {
      for (const [isOver, carriedAgain] of [
        [false, true],
        [true, false],
      ]) {
        const { id, tokenHash } = await createCall(stores, accountId, { ...SPEC, recordingEnabled: false });
        const workerId = asWorkerId("worker-1");
        const redeemer = redeemedBy(workerId);
        await stores.redemptions.redeem(tokenHash, redeemer);
        const redemption = { workerId, workerConnection: redeemer.connection, epoch: redeemer.epoch };
        const finishing = stores.calls.finish(id, endAt(under.clock), isOver ? undefined : redemption);
        // It has found the call active by then.
        await stores.calls.get(accountId, id);
        const returned = await stores.redemptions.returnRedemption(tokenHash, redeemer.nonce);
        // A database with many writers may have stored the end by then; one of the two has an effect.
        expect(await finishing).toBe(returned === undefined);
        expect(await statusOf(id)).toBe(returned === undefined ? "ended" : "created");
        if (returned === undefined) continue;
        const again = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-2"));
        expect(again?.spec.greeting).toBe(carriedAgain ? SPEC.greeting : undefined);
      }
    });

    test("ADV-M5: of concurrent returns of one redemption one has an effect, and none touches the redemption that follows", async () => {
      for (let round = 0; round < 20; round++) {
        const { id, tokenHash } = await createCall(stores, accountId);
        const first = redeemedBy("worker-1");
        await stores.redemptions.redeem(tokenHash, first);
        const returning = [1, 2, 3].map(() => stores.redemptions.returnRedemption(tokenHash, first.nonce));
        const returned = await Promise.race(returning);
        const again = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-2", { nonce: "second" }));
        const all = await Promise.all(returning);
        expect(all.filter((call) => call !== undefined)).toHaveLength(1);
        if (returned === undefined && again === undefined) continue;
        expect([again?.callId, await statusOf(id)]).toEqual([id, "active"]);
        expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-3"))).toBeUndefined();
      }
    });

    test("ADV-M5: a redemption that is returned too late leaves an expired call", async () => {
      const { id, tokenHash } = await createCall(stores, accountId);
      const redeemer = redeemedBy("worker-1");
      await stores.redemptions.redeem(tokenHash, redeemer);
      under.clock.advance(TTL_MS);
      expect((await stores.redemptions.returnRedemption(tokenHash, redeemer.nonce))?.remainingMs).toBeLessThanOrEqual(
        0,
      );
      expect(await statusOf(id)).toBe("expired");
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toBeUndefined();
    });

    test("ADV-M5, T2: of 100 concurrent redemptions and returns of one token at most one has the call at any time", async () => {
      const { id, tokenHash } = await createCall(stores, accountId);
      let holders = 0;
      const attempt = async (index: number): Promise<void> => {
        const redeemer = redeemedBy(`worker-${index}`);
        if ((await stores.redemptions.redeem(tokenHash, redeemer)) === undefined) return;
        holders += 1;
        expect(holders).toBe(1);
        await Promise.resolve();
        holders -= 1;
        expect(await stores.redemptions.returnRedemption(tokenHash, redeemer.nonce)).toMatchObject({ callId: id });
      };
      await Promise.all(Array.from({ length: 100 }, (_, index) => attempt(index)));
      expect(await statusOf(id)).toBe("created");
    });
  });
}
