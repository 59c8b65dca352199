import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { epochMs } from "../../../src/core/clocks.ts";
import { type AccountId, asTranscriptionId, type CallId } from "../../../src/core/ids.ts";
import { WEBHOOK_EVENT_TYPES } from "../../../src/core/webhook-events.ts";
import type { CallEnd, NewCall } from "../../../src/store/calls/call-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { TranscriptionEnd } from "../../../src/store/transcription-store.ts";
import { createCall, endAt, listedIds, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { redeemedBy } from "../../support/tokens.ts";
import { newTranscription, RESULT } from "../../support/transcriptions/stored.ts";
import type { StoresUnderTest } from "./calls.ts";

const LIVE: CallSpec = {
  ...SPEC,
  mode: "transcription",
  connectionType: "websocket",
  websocket: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 },
  recordingEnabled: false,
  transcriptEnabled: true,
  tools: [],
  metadata: { meeting: "A-17" },
};
const COMPLETED: TranscriptionEnd = { status: "completed", result: RESULT };
const WORKER = "worker-1";

/** What every CallStore and TranscriptionStore must do with live transcriptions, which are calls. */
export function liveTranscriptionContract(name: string, make: () => StoresUnderTest): void {
  describe(`live transcriptions: ${name}`, () => {
    let stores: Stores;
    let clock: ManualClock;
    let accountId: AccountId;
    let over: string[];

    beforeEach(async () => {
      const under = make();
      clock = under.clock;
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      over = [];
      stores.transcriptions.onOver((id, transcription) => over.push(`${id} ${transcription?.status}`));
    });
    afterEach(() => stores.close());

    const create = (more?: Partial<NewCall>) => createCall(stores, accountId, LIVE, more);
    const transcription = (id: CallId) => stores.transcriptions.get(accountId, asTranscriptionId(id));
    const redeemed = async () => {
      const { id, tokenHash } = await create();
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy(WORKER))).toMatchObject({ callId: id, spec: LIVE });
      return { id, tokenHash };
    };
    const finish = (id: CallId, transcriptionEnd: TranscriptionEnd, more: Partial<CallEnd> = {}) =>
      stores.calls.finish(id, { ...endAt(clock, { turns: [] }), transcription: transcriptionEnd, ...more });
    /** The events that a webhook of the account for all of them is sent. */
    const subscribed = async () => {
      const webhooks = stores.openWebhooks(SEALING_KEYS);
      await webhooks.create(accountId, {
        url: "https://example.com/",
        description: "",
        eventTypes: WEBHOOK_EVENT_TYPES,
        enabled: true,
      });
      return async (): Promise<string[]> => {
        const { jobs } = await stores.jobs.list({ kind: "webhook.deliver", limit: 100 });
        const ids = jobs.map(({ payload }) => (payload as { deliveryId: never }).deliveryId);
        return (await Promise.all(ids.map((id) => webhooks.due(id)))).map((one) => `${one?.event.type}`);
      };
    };

    test("one is created with its call, whose id it has", async () => {
      const { id } = await create();
      expect(id).toMatch(/^transcription_[0-9a-f-]{36}$/);
      expect(await transcription(id)).toEqual({
        id,
        accountId,
        createdAtMs: clock.epochMs(),
        status: "queued",
        source: "live",
        options: { language: "en-US", channels: "mix", timestamps: "word", speakers: false, vocabulary: [] },
        metadata: { meeting: "A-17" },
        deletesAudio: false,
        hasAudio: false,
        doneMs: 0,
      });
      expect(await stores.transcriptions.jobOf(asTranscriptionId(id))).toBeUndefined();
    });

    test("has what is not kept of it in its options, also where it is restored from its journal", async () => {
      const spec: CallSpec = { ...LIVE, redact: ["card_number"] };
      const { id } = await createCall(stores, accountId, spec);
      expect(await transcription(id)).toMatchObject({ options: { redact: ["card_number"] } });
      expect(await stores.calls.isRedacted(id)).toBe(true);
      const restored = "transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e11" as CallId;
      await stores.calls.restore({ id: restored, accountId, spec, startedAtMs: clock.epochMs() });
      expect(await transcription(restored)).toMatchObject({ options: { redact: ["card_number"] } });
    });

    test("is in no list of calls, whatever its filters, and in no usage of calls", async () => {
      const call = await createCall(stores, accountId);
      const { id } = await redeemed();
      await finish(id, COMPLETED, { usage: [{ stage: "stt", provider: "x", audioSeconds: 5, cost: null }] });
      for (const query of [{}, { status: "ended" as const }, { connectionType: "websocket" as const }])
        expect(await listedIds(stores, accountId, query)).not.toContain(id);
      expect(await listedIds(stores, accountId, { metadata: { meeting: "A-17" } })).toEqual([]);
      expect(await listedIds(stores, accountId, {})).toEqual([call.id]);
      const all = { endedFromMs: epochMs(0), endedBeforeMs: epochMs(9e15), limit: 10 };
      expect(await stores.usage.listEnded(accountId, all)).toEqual([]);
      const { transcriptions } = await stores.transcriptions.list({ accountId, source: "live", limit: 10 });
      expect(transcriptions.map((one) => one.id)).toEqual([id]);
    });

    test("starts with its stream, and waits again when the redemption is returned", async () => {
      const { id, tokenHash } = await create();
      const by = redeemedBy(WORKER);
      clock.advance(1_000);
      await stores.redemptions.redeem(tokenHash, by);
      expect(await transcription(id)).toMatchObject({ status: "processing", startedAtMs: clock.epochMs() });
      await stores.redemptions.returnRedemption(tokenHash, by.nonce);
      const waiting = await transcription(id);
      expect([waiting?.status, waiting?.startedAtMs]).toEqual(["queued", undefined]);
    });

    test("is none of the transcriptions in progress that an account may have at once", async () => {
      await redeemed();
      const { id } = await stores.transcriptions.create(newTranscription(accountId));
      expect(await stores.transcriptions.start(id, 1)).toMatchObject({ status: "processing" });
    });

    test("takes a slot as a call does, while it waits and while it is live", async () => {
      const { id } = await create();
      expect((await stores.calls.listWaiting()).map((call) => call.id)).toEqual([id]);
      const live = await redeemed();
      expect((await stores.calls.listActive()).map((call) => call.id)).toEqual([live.id]);
    });

    test("ends with its call, with a result, its usage and one event, and no event of calls", async () => {
      const events = await subscribed();
      const { id } = await redeemed();
      expect(await finish(id, COMPLETED)).toBe(true);
      expect(await transcription(id)).toMatchObject({
        status: "completed",
        durationMs: RESULT.durationMs,
        usage: [{ provider: "deepgram", model: "nova-3", audioSeconds: 2.5 }],
      });
      expect(await stores.transcriptions.result(accountId, asTranscriptionId(id))).toEqual(RESULT);
      expect(await events()).toEqual(["transcription.completed"]);
      expect(over).toEqual([`${id} completed`]);
      expect(await finish(id, COMPLETED)).toBe(false);
      expect(over).toHaveLength(1);
    });

    test("that a fault has ended has failed, with what was final until then", async () => {
      const events = await subscribed();
      const { id } = await redeemed();
      const failure = { code: "worker_lost", message: "the media worker was lost" };
      await finish(id, { status: "failed", failure, result: RESULT }, { endReason: "worker_lost" });
      expect(await transcription(id)).toMatchObject({ status: "failed", failure, durationMs: RESULT.durationMs });
      expect(await stores.transcriptions.result(accountId, asTranscriptionId(id))).toEqual(RESULT);
      expect(await events()).toEqual(["transcription.failed"]);
    });

    test("that was lost before anything was recorded has failed without a result", async () => {
      const { id } = await redeemed();
      await finish(id, { status: "failed", failure: { code: "worker_lost", message: "lost" } });
      expect(await transcription(id)).toMatchObject({ status: "failed" });
      expect(await stores.transcriptions.result(accountId, asTranscriptionId(id))).toBeUndefined();
    });

    test("whose end belongs to a redemption that was returned does not end", async () => {
      const { id } = await redeemed();
      const other = { workerId: redeemedBy("worker-2").workerId, workerConnection: 9, epoch: 9 };
      const end = { ...endAt(clock, { turns: [] }), transcription: COMPLETED };
      expect(await stores.calls.finish(id, end, other)).toBe(false);
      expect(await transcription(id)).toMatchObject({ status: "processing" });
      expect(over).toEqual([]);
    });

    test("fails when its stream does not connect in time", async () => {
      const events = await subscribed();
      const { id } = await create();
      clock.advance(TTL_MS);
      expect(await stores.calls.expire()).toEqual([id]);
      expect(await transcription(id)).toMatchObject({ status: "failed", failure: { code: "token_expired" } });
      expect(await events()).toEqual(["transcription.failed"]);
      expect(over).toEqual([`${id} failed`]);
    });

    test("is cancelled with its call before its stream has connected, without an event", async () => {
      const events = await subscribed();
      const { id } = await create();
      expect(await stores.calls.cancel(accountId, id)).toMatchObject({ cancelled: true });
      expect(await transcription(id)).toMatchObject({ status: "cancelled" });
      expect(await events()).toEqual([]);
      expect(over).toEqual([`${id} cancelled`]);
    });

    test("outlives the removal of its call, and the audit log has only its own removal", async () => {
      const { id } = await redeemed();
      await finish(id, COMPLETED);
      expect(await stores.calls.remove(accountId, id)).toBe(true);
      expect(await transcription(id)).toMatchObject({ status: "completed" });
      expect(await stores.transcriptions.remove(accountId, asTranscriptionId(id))).toBe(true);
      const { events } = await stores.audit.list(accountId, { limit: 10 });
      expect(events.map(({ action }) => action)).toEqual(["transcription.deleted"]);
    });

    test("that has expired in an older database goes on to the end that its journal has", async () => {
      const { id } = await create();
      clock.advance(TTL_MS);
      await stores.calls.expire();
      await stores.calls.restore({ id, accountId, spec: LIVE, startedAtMs: clock.epochMs() });
      expect(await transcription(id)).toMatchObject({ status: "processing" });
      await finish(id, COMPLETED);
      const ended = await transcription(id);
      expect([ended?.status, ended?.failure]).toEqual(["completed", undefined]);
    });

    test("is restored from its journal, and then ends as a lost one does", async () => {
      const id = "transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10" as CallId;
      await stores.calls.restore({ id, accountId, spec: LIVE, startedAtMs: clock.epochMs() });
      expect(await transcription(id)).toMatchObject({ source: "live", status: "queued" });
      expect(await finish(id, COMPLETED)).toBe(true);
      expect(await transcription(id)).toMatchObject({ status: "completed" });
    });
  });
}
