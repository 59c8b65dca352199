import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { addMs } from "../../../src/core/clocks.ts";
import { type AccountId, asCallId, asWorkerId, type CallId } from "../../../src/core/ids.ts";
import { UNKNOWN_CALL_MS } from "../../../src/core/limits/phone/phone-calls.ts";
import type { CallEvent } from "../../../src/store/calls/call-store.ts";
import type { StreamAuthentication, StreamProof } from "../../../src/store/redemptions.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { Carrier } from "../../../src/store/telephony/carrier-store.ts";
import type { NewPhoneCall, PhoneCallStep } from "../../../src/store/telephony/phone-call-store.ts";
import { createCall, endAt, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import {
  createCarrier,
  INBOUND,
  importNumber,
  NEW_CARRIER,
  OUTBOUND,
  queuedCall,
  stepAt,
} from "../../support/telephony/stored.ts";
import { mintToken, redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const UNRECORDED: CallSpec = { ...SPEC, recordingEnabled: false };
const PROOF: StreamProof = { url: "wss://media.example/stream/token", headers: { signature: "right" } };
const isAuthenticStream: StreamAuthentication = (carrier, { authToken }, { headers }) =>
  carrier === "carrier_a" && authToken === NEW_CARRIER.credentials.authToken && headers.signature === "right";

/** What every PhoneCallStore must do, and every redemption of its calls. */
export function phoneCallContract(name: string, make: () => StoresUnderTest): void {
  describe(`PhoneCallStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    let carrier: Carrier;
    let emitted: CallEvent[];
    beforeEach(async () => {
      under = make();
      await open();
      accountId = await stores.accounts.ensure("first");
      carrier = await createCarrier(stores, accountId);
    });
    afterEach(() => stores.close());

    async function open(bootId?: string): Promise<void> {
      stores = await under.open({ secretsKeys: SEALING_KEYS, isAuthenticStream, ...(bootId && { bootId }) });
      emitted = [];
      stores.calls.subscribe((event) => emitted.push(event));
    }
    const nowMs = () => under.clock.epochMs();
    const newCall = (more: Partial<NewPhoneCall> = {}) => queuedCall(accountId, carrier.id, nowMs(), more);
    async function create(more: Partial<NewPhoneCall> = {}): Promise<CallId> {
      const made = await stores.phoneCalls.create(newCall(more));
      if (made.kind !== "created") throw new Error(made.kind);
      return made.call.id;
    }
    const createInbound = (carrierCallId = "CA1", more: Partial<NewPhoneCall> = {}) =>
      create({ facts: INBOUND, status: "ringing", carrierCallId, ...more });
    /** The next step of the call. */
    async function step(callId: CallId, more: Partial<PhoneCallStep> = {}): Promise<void> {
      const { eventCount = 0 } = (await stores.phoneCalls.get(callId)) ?? {};
      expect(await stores.phoneCalls.step(callId, eventCount, stepAt(nowMs(), more))).toBe(true);
    }
    const statusOf = async (callId: CallId) => (await stores.calls.get(accountId, callId))?.status;
    /** A token with which a stream may connect to the call from now on. */
    async function giveToken(callId: CallId, more: { sealed?: string; ttlMs?: number } = {}): Promise<string> {
      const hash = hashSecret(mintToken());
      await step(callId, { token: { hash, ttlMs: TTL_MS, ...more } });
      return hash;
    }
    const redeem = (hash: string, proof: StreamProof | undefined = PROOF, nonce = "nonce") =>
      stores.redemptions.redeem(hash, redeemedBy("worker-1", { nonce }), ["carrier_c"], proof);

    test("an outbound call is queued, has no token, and its record has both numbers", async () => {
      const number = await importNumber(stores, carrier);
      const made = await stores.phoneCalls.create(newCall({ phoneNumberId: number.id }));
      const record = { status: "queued", phone: { ...OUTBOUND, carrierId: carrier.id, phoneNumberId: number.id } };
      expect(made).toMatchObject({ kind: "created", call: record });
      if (made.kind !== "created") return;
      const { id: callId } = made.call;
      expect(await stores.calls.get(accountId, callId)).toEqual(made.call);
      expect(await stores.phoneCalls.get(callId)).toEqual({
        callId,
        accountId,
        facts: record.phone,
        carrierId: carrier.id,
        phoneNumberId: number.id,
        state: { phase: "queued" },
        eventCount: 1,
      });
      expect(emitted).toEqual([{ kind: "phone-created", callId, spec: SPEC }]);
      expect(await stores.calls.listWaiting()).toEqual([]);
      const tables: string[] = [];
      await stores.transfer.export(async ({ table }) => {
        tables.push(table);
      });
      expect(tables).toContain("phone_call_events");
      expect(tables).not.toContain("stream_tokens");
    });

    test("a call and its creation are reported to webhooks together", async () => {
      await stores.eventStreams.open(accountId);
      const callId = await create();
      const rows: object[] = [];
      await stores.transfer.export(async ({ table, row }) => {
        if (table === "stream_events") rows.push(row);
      });
      expect(rows).toEqual([expect.objectContaining({ type: "call.created", call_id: callId })]);
    });

    test("an idempotency key creates one call, also at once, and not for another body", async () => {
      const idempotency = { keyHash: "name", fingerprint: "body" };
      const results = await Promise.all([1, 2, 3].map(() => stores.phoneCalls.create(newCall({ idempotency }))));
      expect(results.map(({ kind }) => kind).sort()).toEqual(["created", "replayed", "replayed"]);
      const ids = results.map((result) => ("call" in result ? result.call.id : ""));
      expect(new Set(ids).size).toBe(1);
      const [, first] = results;
      expect(await stores.phoneCalls.findRepeated({ accountId, idempotency })).toEqual(
        first && "call" in first ? { kind: "replayed", call: first.call } : undefined,
      );
      expect(await stores.phoneCalls.findRepeated({ accountId })).toBeUndefined();
      const other = newCall({ idempotency: { ...idempotency, fingerprint: "another" } });
      expect(await stores.phoneCalls.create(other)).toEqual({ kind: "mismatch" });
    });

    test("webhooks of one carrier's call create one call, also at once; another carrier may use the same id", async () => {
      const inbound = newCall({ facts: INBOUND, status: "ringing", carrierCallId: "CA1" });
      const results = await Promise.all([1, 2, 3].map(() => stores.phoneCalls.create(inbound)));
      expect(results.map(({ kind }) => kind).sort()).toEqual(["created", "replayed", "replayed"]);
      const found = await stores.phoneCalls.findByCarrierCall(carrier.id, "CA1");
      expect(found).toMatchObject({ carrierCallId: "CA1", facts: INBOUND });
      const second = await createCarrier(stores, accountId);
      expect(await stores.phoneCalls.findByCarrierCall(second.id, "CA1")).toBeUndefined();
      expect(await createInbound("CA1", { carrierId: second.id })).not.toBe(found?.callId);
      expect(await stores.calls.get(accountId, found?.callId ?? asCallId(""))).toMatchObject({
        status: "ringing",
        carrierCallId: "CA1",
        phone: { headers: INBOUND.headers },
      });
    });

    test("a step is stored with everything that belongs to it, where no other was faster", async () => {
      const callId = await create();
      const later = addMs(nowMs(), 5_000);
      const changes = {
        state: { phase: "dialling" },
        row: { atMs: nowMs(), event: { kind: "answer" }, commands: [{ kind: "hang-up" }] },
        dueAtMs: later,
        carrierCallId: "CA7",
        carrierCode: "busy here",
        price: { amount: 0.02, currency: "USD" },
        jobs: [{ kind: "phone.command", payload: { callId }, key: `${callId} 1` }],
      };
      const results = await Promise.all([1, 2].map(() => stores.phoneCalls.step(callId, 1, stepAt(nowMs(), changes))));
      expect(results.sort()).toEqual([false, true]);
      expect(await stores.phoneCalls.get(callId)).toMatchObject({
        state: changes.state,
        eventCount: 2,
        dueAtMs: later,
        carrierCallId: "CA7",
        facts: { carrierCode: "busy here" },
      });
      expect(await stores.calls.get(accountId, callId)).toMatchObject({
        carrierCallId: "CA7",
        phone: { carrierCode: "busy here" },
        carrierPrice: changes.price,
      });
      const { jobs } = await stores.jobs.list({ kind: "phone.command", limit: 10 });
      expect(jobs).toMatchObject([{ accountId, payload: { callId } }]);
      expect(await stores.phoneCalls.step(asCallId("call_unknown"), 0, stepAt(nowMs()))).toBe(false);
    });

    test("the journal is read in order and in pages, by its account alone", async () => {
      const callId = await create();
      await step(callId, { row: { atMs: nowMs(), event: { kind: "second" }, commands: [1] } });
      await step(callId, { row: { atMs: nowMs(), event: { kind: "third" }, commands: [] } });
      const events = await stores.phoneCalls.events(accountId, callId, { from: 0, limit: 2 });
      expect(events?.map(({ event }) => event)).toEqual([{ kind: "requested" }, { kind: "second" }]);
      expect(await stores.phoneCalls.events(accountId, callId, { from: 2, limit: 2 })).toEqual([
        { atMs: nowMs(), event: { kind: "third" }, commands: [] },
      ]);
      const other = await stores.accounts.ensure("second");
      expect(await stores.phoneCalls.events(other, callId, { from: 0, limit: 2 })).toBeUndefined();
    });

    test("calls are due by their time, the longest due first", async () => {
      const [late, early, never] = [await create(), await create(), await create()];
      await step(late, { dueAtMs: addMs(nowMs(), 2_000) });
      await step(early, { dueAtMs: addMs(nowMs(), 1_000) });
      await step(never, {});
      expect(await stores.phoneCalls.due(addMs(nowMs(), 999), 10)).toEqual([]);
      expect(await stores.phoneCalls.due(addMs(nowMs(), 1_000), 10)).toEqual([early]);
      expect(await stores.phoneCalls.due(addMs(nowMs(), 9_000), 10)).toEqual([early, late]);
      expect(await stores.phoneCalls.due(addMs(nowMs(), 9_000), 1)).toEqual([early]);
      await step(early, {});
      expect(await stores.phoneCalls.due(addMs(nowMs(), 9_000), 10)).toEqual([late]);
    });

    test("calls that are due are handled in turn: no carrier waits for another, and those that wait to be dialled come last", async () => {
      const other = await createCarrier(stores, accountId);
      const ofFirst = [await create(), await create(), await create()] as const;
      const ofOther = await create({ carrierId: other.id });
      for (const [index, id] of ofFirst.entries()) await step(id, { dueAtMs: addMs(nowMs(), index) });
      await step(ofOther, { dueAtMs: addMs(nowMs(), 500) });
      const due = (limit: number) => stores.phoneCalls.due(addMs(nowMs(), 1_000), limit);
      expect(await due(2)).toEqual([ofFirst[0], ofOther]);
      await step(ofFirst[2], { dueAtMs: addMs(nowMs(), 900), holdsSlot: true });
      expect(await due(2)).toEqual([ofOther, ofFirst[2]]);
      expect(await due(10)).toEqual([ofOther, ofFirst[2], ofFirst[0], ofFirst[1]]);
    });

    const placeWaiting = (more: Partial<NewPhoneCall> = {}) =>
      stores.phoneCalls.create(newCall({ waitingMax: { carrier: 2, account: 3 }, dueAtMs: nowMs(), ...more }));

    test("so many calls of a carrier wait to be dialled, and no more; a repeated request is answered all the same", async () => {
      const other = await createCarrier(stores, accountId);
      const idempotency = { keyHash: "k", fingerprint: "f" };
      const first = await placeWaiting({ idempotency });
      await placeWaiting();
      expect(await placeWaiting()).toEqual({ kind: "full", of: "carrier" });
      expect((await placeWaiting({ idempotency })).kind).toBe("replayed");
      if (first.kind !== "created") throw new Error(first.kind);
      await step(first.call.id, { holdsSlot: true, dueAtMs: nowMs() });
      expect((await placeWaiting()).kind).toBe("created");
      expect((await placeWaiting()).kind).toBe("full");
      expect((await placeWaiting({ carrierId: other.id })).kind).toBe("created");
    });

    test("so many calls of an account wait to be dialled at all of its carriers together, and those of another account for themselves", async () => {
      const other = await createCarrier(stores, accountId);
      for (const carrierId of [carrier.id, carrier.id, other.id]) await placeWaiting({ carrierId });
      expect(await placeWaiting({ carrierId: other.id })).toEqual({ kind: "full", of: "account" });
      const second = await stores.accounts.ensure("second");
      const { id: carrierId } = await createCarrier(stores, second);
      expect((await placeWaiting({ accountId: second, carrierId })).kind).toBe("created");
    });

    test("a call that the previous version has ended, which leaves it open and waiting for no time, neither waits nor keeps its carrier", async () => {
      const calls = [await placeWaiting(), await placeWaiting()];
      for (const call of calls) {
        if (call.kind !== "created") throw new Error(call.kind);
        await step(call.call.id, { isOver: false, dueAtMs: undefined, end: { status: "ended", endReason: "busy" } });
      }
      const carriers = stores.openCarriers(SEALING_KEYS);
      expect((await placeWaiting()).kind).toBe("created");
      expect(await carriers.remove(accountId, carrier.id)).toBe("in_use");
      const { calls: listed } = await stores.calls.list(accountId, { status: "queued", limit: 10 });
      for (const { id } of listed) await step(id, { isOver: true, end: { status: "ended", endReason: "busy" } });
      expect(await carriers.remove(accountId, carrier.id)).toMatchObject({ id: carrier.id });
    });

    test("a carrier with many due calls takes the turns that others leave, and each of the others has one", async () => {
      const others = await Promise.all([1, 2, 3].map(() => createCarrier(stores, accountId)));
      const ofFirst: CallId[] = [];
      for (let count = 0; count < 6; count += 1) {
        ofFirst.push(await create({ dueAtMs: addMs(nowMs(), count) }));
      }
      const ofOthers: CallId[] = [];
      for (const { id: carrierId } of others) ofOthers.push(await create({ carrierId, dueAtMs: addMs(nowMs(), 50) }));
      expect(await stores.phoneCalls.due(addMs(nowMs(), 1_000), 8)).toEqual([
        ofFirst[0],
        ...ofOthers,
        ...ofFirst.slice(1, 5),
      ]);
    });

    test("pending calls are those that hold a slot without a stream, and live ones those that hold a slot", async () => {
      const { id: phoneNumberId } = await importNumber(stores, carrier);
      const of = { phoneNumberId };
      const [waiting, dialling, inbound] = [await create(of), await create(of), await createInbound("CA1", of)];
      await step(dialling, { holdsSlot: true });
      const pending = async () => (await stores.phoneCalls.listPending()).map(({ callId }) => callId);
      expect(await pending()).toEqual([dialling, inbound]);
      expect(await stores.phoneCalls.countLive({ carrierId: carrier.id })).toBe(2);
      expect(await stores.phoneCalls.countLive(of)).toBe(1);
      await step(dialling, { holdsSlot: false });
      expect(await pending()).toEqual([inbound]);
      await redeem(await giveToken(inbound));
      expect([await statusOf(inbound), await pending()]).toEqual(["active", []]);
      expect(await stores.phoneCalls.countLive(of)).toBe(1);
      expect(await stores.phoneCalls.get(inbound)).toMatchObject({ workerId: "worker-1" });
      await stores.calls.finish(inbound, endAt(under.clock));
      expect(await stores.phoneCalls.countLive(of)).toBe(0);
      expect(await stores.phoneCalls.get(inbound)).not.toHaveProperty("workerId");
      expect(await statusOf(waiting)).toBe("queued");
    });

    test("a number of a carrier is called from at its pace, whichever process asks", async () => {
      const { phoneCalls } = stores;
      const [from, other] = ["+12025550100", "+12025550101"];
      const minuteMs = 60_000;
      const asked = await Promise.all([1, 2, 3].map(() => phoneCalls.paceDial(carrier.id, from, minuteMs)));
      expect(asked.filter((waitMs) => waitMs === 0)).toHaveLength(1);
      for (const waitMs of asked) expect(waitMs).toBeLessThanOrEqual(minuteMs);
      expect(await phoneCalls.paceDial(carrier.id, other, 1)).toBe(0);
      // The pace has changed, or the clock was set back: nothing waits for longer than the pace of now.
      expect(await phoneCalls.paceDial(carrier.id, from, 1)).toBe(0);
    });

    test("an account's calls of a minute are counted where that is asked for", async () => {
      const place = () => stores.phoneCalls.create(newCall({ creationsPerMinute: 1 }));
      expect((await place()).kind).toBe("created");
      expect(await place()).toEqual({ kind: "limit-reached", reason: "account_creations", waitMs: expect.any(Number) });
    });

    test("a step can end a call that has no stream, once; one with a stream is ended by its worker", async () => {
      await stores.eventStreams.open(accountId);
      const [callId, active] = [await create(), await createInbound()];
      const end = { status: "ended", endReason: "busy" } as const;
      await step(callId, { status: "ringing" });
      expect(await statusOf(callId)).toBe("ringing");
      await step(callId, { end });
      await step(callId, { end: { status: "failed", endReason: "no_answer" }, status: "ringing" });
      expect(await stores.calls.get(accountId, callId)).toMatchObject({ ...end, endedAtMs: nowMs() });
      await redeem(await giveToken(active));
      await step(active, { end });
      expect(await statusOf(active)).toBe("active");
      expect(emitted.filter(({ kind }) => kind === "ended")).toEqual([{ kind: "ended", callId, ...end }]);
      const ended: unknown[] = [];
      await stores.transfer.export(async ({ table, row }) => {
        if (table === "stream_events" && row.type === "call.ended") ended.push(row.call_id);
      });
      expect(ended).toEqual([callId]);
    });

    test("neither a queued nor a ringing call expires, and an expired token leaves a call to its machine", async () => {
      const [queued, ringing] = [await create(), await createInbound()];
      const hash = await giveToken(ringing);
      under.clock.advance(TTL_MS);
      expect(await redeem(hash)).toBeUndefined();
      expect(await stores.calls.expire()).toEqual([]);
      expect([await statusOf(queued), await statusOf(ringing)]).toEqual(["queued", "ringing"]);
      expect((await redeem(await giveToken(ringing)))?.callId).toBe(ringing);
    });

    test("a request to end or to delete a call on a line changes nothing: its machine hangs up first", async () => {
      const [queued, ringing] = [await create(), await createInbound()];
      for (const callId of [queued, ringing]) {
        const status = await statusOf(callId);
        const found = await stores.calls.cancel(accountId, callId);
        expect(found).toEqual({ call: await stores.calls.get(accountId, callId), cancelled: false });
        expect(await stores.calls.remove(accountId, callId)).toBe(false);
        expect(await statusOf(callId)).toBe(status);
      }
      await step(queued, { end: { status: "ended", endReason: "api_hangup" } });
      expect(await stores.calls.remove(accountId, queued)).toBe(true);
      expect(await stores.phoneCalls.get(queued)).toBeUndefined();
      expect(await stores.phoneCalls.events(accountId, queued, { from: 0, limit: 1 })).toBeUndefined();
    });

    test("a sealed token is given as long as it can be redeemed, and only that of the latest step that had one", async () => {
      const callId = await createInbound();
      expect(await stores.phoneCalls.sealedToken(callId)).toBeUndefined();
      await giveToken(callId, { sealed: "first" });
      expect(await stores.phoneCalls.sealedToken(callId)).toBe("first");
      const hash = await giveToken(callId, { sealed: "second" });
      await step(callId);
      expect(await stores.phoneCalls.sealedToken(callId)).toBe("second");
      await redeem(hash);
      expect(await stores.phoneCalls.sealedToken(callId)).toBeUndefined();
      const other = await createInbound("CA2");
      await giveToken(other, { sealed: "third" });
      under.clock.advance(TTL_MS);
      expect(await stores.phoneCalls.sealedToken(other)).toBeUndefined();
    });

    test("only a stream with the signature of the call's own carrier redeems its token, which stays valid otherwise", async () => {
      const callId = await createInbound();
      const hash = await giveToken(callId);
      const forged = { ...PROOF, headers: { signature: "wrong" } };
      expect(await redeem(hash, forged)).toBeUndefined();
      const redeemer = redeemedBy("worker-1");
      expect(await stores.redemptions.redeem(hash, redeemer)).toBeUndefined();
      expect(await stores.redemptions.redeem(hash, redeemer, ["carrier_a"])).toBeUndefined();
      expect(await statusOf(callId)).toBe("ringing");
      expect(await redeem(hash)).toMatchObject({ callId, accountId, spec: SPEC });
      expect(await redeem(hash)).toBeUndefined();
    });

    test("the credentials of another carrier of the account are of no use", async () => {
      const credentials = { ...NEW_CARRIER.credentials, authToken: "f".repeat(32) };
      const { id: carrierId } = await createCarrier(stores, accountId, { credentials });
      const hash = await giveToken(await createInbound("CA1", { carrierId }));
      expect(await redeem(hash)).toBeUndefined();
      await stores.openCarriers(SEALING_KEYS).update(accountId, carrierId, { credentials: NEW_CARRIER.credentials });
      expect(await redeem(hash)).toBeDefined();
    });

    test("a further stream of a call is checked with its carrier's credentials", async () => {
      const callId = await createInbound();
      const { redemptions } = stores;
      expect(await redemptions.isStreamOf(callId, PROOF)).toBe(true);
      expect(await redemptions.isStreamOf(callId, { ...PROOF, headers: {} })).toBe(false);
      const { id } = await createCall(stores, accountId);
      expect(await redemptions.isStreamOf(id, PROOF)).toBe(false);
      expect(await redemptions.isStreamOf(asCallId("call_unknown"), PROOF)).toBe(false);
    });

    test("a call without a carrier of its account needs no proof", async () => {
      const { id, tokenHash } = await createCall(stores, accountId);
      const forged = { ...PROOF, headers: {} };
      const redeemer = redeemedBy("worker-1");
      expect(await stores.redemptions.redeem(tokenHash, redeemer, ["carrier_c"], forged)).toBeUndefined();
      expect(await stores.redemptions.redeem(tokenHash, redeemer, ["carrier_a"], forged)).toMatchObject({ callId: id });
    });

    test("a redemption that is returned leaves a telephone call ringing, with a valid token", async () => {
      const callId = await createInbound();
      const hash = await giveToken(callId);
      await redeem(hash);
      under.clock.advance(1_000);
      expect(await stores.redemptions.returnRedemption(hash, "nonce")).toEqual({ callId, remainingMs: TTL_MS - 1_000 });
      expect(await stores.calls.get(accountId, callId)).toMatchObject({ status: "ringing", carrierCallId: "CA1" });
      expect(await redeem(hash, PROOF, "another")).toMatchObject({ callId });
      expect(await stores.calls.listActive()).toMatchObject([{ id: callId, workerId: asWorkerId("worker-1") }]);
    });

    test("a token of an earlier boot is worthless", async () => {
      const hash = await giveToken(await createInbound());
      await stores.close();
      await open("boot-2");
      expect(await redeem(hash)).toBeUndefined();
    });

    test("R2: headers and words of a call that stores none reach no table, and a restart leaves the call to its machine", async () => {
      const callId = await createInbound("CA1", { spec: UNRECORDED });
      expect((await stores.calls.get(accountId, callId))?.phone).not.toHaveProperty("headers");
      const rows: unknown[] = [];
      await stores.transfer.export(async (row) => {
        rows.push(row);
      });
      expect(JSON.stringify(rows)).not.toMatch(/A-17|Lario/);
      const hash = await giveToken(callId);
      await stores.close();
      await open();
      expect(await redeem(hash)).toBeUndefined();
      expect(await statusOf(callId)).toBe("ringing");
      expect(await redeem(hash)).toBeUndefined();
    });

    test("retention deletes the headers with the transcript, and keeps the numbers", async () => {
      const callId = await createInbound();
      await redeem(await giveToken(callId));
      await stores.calls.finish(callId, endAt(under.clock));
      await stores.retention.deleteTranscript(callId);
      const { headers: _, ...numbers } = INBOUND;
      expect((await stores.calls.get(accountId, callId))?.phone).toEqual({ ...numbers, carrierId: carrier.id });
    });

    test("redacted variables may be headers: no list finds the call by them, and they go with its end", async () => {
      const headers = { "x-customer": "Maria Canary" };
      const spec: CallSpec = { ...SPEC, redact: ["variables"], redactedValues: ["Maria Canary"] };
      const ended = await createInbound("CA1", { facts: { ...INBOUND, headers }, spec });
      const refused = await createInbound("CA2", { facts: { ...INBOUND, headers }, spec });
      expect((await stores.calls.get(accountId, ended))?.phone?.headers).toEqual(headers);
      expect((await stores.calls.list(accountId, { limit: 10, headers })).calls).toEqual([]);
      await redeem(await giveToken(ended));
      await stores.calls.finish(ended, endAt(under.clock));
      await step(refused, { end: { status: "ended", endReason: "no_answer" } });
      for (const id of [ended, refused])
        expect(JSON.stringify(await stores.calls.get(accountId, id))).not.toContain("Canary");
    });

    test("lists find telephone calls by their direction and their numbers, alone and together", async () => {
      const { id: plain } = await createCall(stores, accountId);
      const [outbound, inbound] = [await create(), await createInbound()];
      const ids = async (query: object) => {
        const { calls } = await stores.calls.list(accountId, { limit: 10, ...query });
        return calls.map(({ id }) => id);
      };
      expect(await ids({})).toEqual([inbound, outbound, plain]);
      expect(await ids({ direction: "inbound" })).toEqual([inbound]);
      expect(await ids({ direction: "outbound", status: "queued" })).toEqual([outbound]);
      expect(await ids({ from: OUTBOUND.from })).toEqual([outbound]);
      expect(await ids({ to: INBOUND.to, carrierCallId: "CA1" })).toEqual([inbound]);
      expect(await ids({ from: INBOUND.from, to: OUTBOUND.to })).toEqual([]);
      expect(await ids({ status: "ringing" })).toEqual([inbound]);
    });

    test("lists find telephone calls by their headers, alone and together, by names in any case and whole values", async () => {
      const headers = { "x-customer": "12 34", "x-shop": "n\u00f6rd\u{1f4de}" };
      const first = await createInbound("CA1", { facts: { ...INBOUND, headers } });
      const second = await createInbound("CA2", { facts: { ...INBOUND, headers: { "x-customer": "12 34" } } });
      await createInbound("CA3", { facts: { ...INBOUND, headers: {} } });
      await createCall(stores, accountId, { ...SPEC, metadata: { "x-customer": "12 34" } });
      const ids = async (query: object) => {
        const { calls } = await stores.calls.list(accountId, { limit: 10, ...query });
        return calls.map(({ id }) => id);
      };
      expect(await ids({ headers: { "x-customer": "12 34" } })).toEqual([second, first]);
      expect(await ids({ headers: { "X-Customer": "12 34" }, direction: "inbound", status: "ringing" })).toEqual([
        second,
        first,
      ]);
      expect(await ids({ headers })).toEqual([first]);
      expect(await ids({ headers: {} })).toHaveLength(4);
      expect(await ids({ headers: { "x-customer": "12" } })).toEqual([]);
      expect(await ids({ headers: { "x-customer": "12 34" }, metadata: { "x-customer": "12 34" } })).toEqual([]);
      expect(await ids({ headers, status: "ended" })).toEqual([]);
      const other = await stores.accounts.ensure("second");
      expect((await stores.calls.list(other, { limit: 10, headers })).calls).toEqual([]);
    });

    test("no list finds a call by headers that are not stored, or were deleted with its transcript", async () => {
      const headers = INBOUND.headers ?? {};
      const found = async () => (await stores.calls.list(accountId, { limit: 10, headers })).calls.map(({ id }) => id);
      await createInbound("CA1", { spec: { ...SPEC, transcriptEnabled: false } });
      expect(await found()).toEqual([]);
      const metadata = { order: "A-17" };
      const callId = await createInbound("CA2", { spec: { ...SPEC, metadata } });
      expect(await found()).toEqual([callId]);
      await redeem(await giveToken(callId));
      await stores.calls.finish(callId, endAt(under.clock));
      await stores.retention.deleteTranscript(callId);
      expect(await found()).toEqual([]);
      expect((await stores.calls.list(accountId, { limit: 10, metadata })).calls.map(({ id }) => id)).toEqual([callId]);
    });

    test("a call that ended unknown keeps its carrier for an hour, with its name, because it may ring late", async () => {
      const carriers = stores.openCarriers(SEALING_KEYS);
      const other = await createCarrier(stores, accountId);
      const callId = await create();
      await step(callId, { isOver: true, end: { status: "failed", endReason: "unknown" } });
      const unsettled = { callIds: [callId], untilMs: addMs(nowMs(), UNKNOWN_CALL_MS) };
      expect(await carriers.remove(accountId, carrier.id)).toEqual(unsettled);
      expect(await carriers.remove(accountId, other.id)).toMatchObject({ id: other.id });
      under.clock.advance(UNKNOWN_CALL_MS - 1);
      expect(await carriers.remove(accountId, carrier.id)).toEqual(unsettled);
      under.clock.advance(1);
      expect(await carriers.remove(accountId, carrier.id)).toMatchObject({ id: carrier.id });
    });

    test("an address of any length and any characters is stored, its beginning is found, and it is cut", async () => {
      const from = `sip:"${"\u{1f4de}é\\".repeat(200)}`;
      const callId = await createInbound("CA1", { facts: { ...INBOUND, from } });
      const { calls } = await stores.calls.list(accountId, { limit: 1, from });
      expect(calls.map(({ id, phone }) => [id, phone?.from])).toEqual([[callId, from.slice(0, 128)]]);
    });

    test("a journal that is ahead of a restored database makes its call active", async () => {
      const callId = await createInbound();
      await stores.calls.restore({ id: callId, accountId, spec: SPEC, startedAtMs: nowMs() });
      expect(await statusOf(callId)).toBe("active");
    });
  });
}
