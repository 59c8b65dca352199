import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { callMs, epochMs } from "../../../src/core/clocks.ts";
import {
  type AccountId,
  asAccountId,
  asCallId,
  asCarrierCallId,
  asCorpusId,
  asWorkerId,
  type CallId,
} from "../../../src/core/ids.ts";
import { referenceOf } from "../../../src/core/knowledge/call-knowledge.ts";
import type { CallEnd, CallQuery, NewCall } from "../../../src/store/calls/call-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { RedemptionKeys, Stores } from "../../../src/store/stores.ts";
import {
  AGENT,
  createCall,
  endAt,
  inEveryStatus,
  listed,
  listedIds,
  SPEC,
  TTL_MS,
  TURNS,
} from "../../support/calls/stored-calls.ts";
import { passage } from "../../support/knowledge/passages.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { redeemedBy } from "../../support/tokens.ts";

export interface StoresUnderTest {
  /**
   * Opens the stores over the same data each time, as a restarted process would. `wallMs` is the wall clock's step
   * until then, `bootId` the boot of the machine, `mediaSealing` seals the keys of encrypted media,
   * `secretsKeys` open the secrets of accounts, and `isAuthenticStream` checks the streams of telephone calls.
   */
  open(change?: { wallMs?: number; bootId?: string } & RedemptionKeys): Promise<Stores>;
  /** The age clock, and the wall clock but for its step. */
  clock: ManualClock;
}

const RECORDING = { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true };

/** What every CallStore must do. */
export function callStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`CallStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let clock: ManualClock;
    let accountId: AccountId;

    beforeEach(async () => {
      under = make();
      clock = under.clock;
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const restart = async () => {
      await stores.close();
      stores = await under.open();
    };

    const create = (spec?: CallSpec, more?: Partial<NewCall>) => createCall(stores, accountId, spec, more);
    const end = (changes?: Partial<CallEnd>) => endAt(clock, changes);
    const idsOf = (query?: Partial<CallQuery>, account = accountId) => listedIds(stores, account, query);

    test("a new call is `created`, and its record has everything but its words", async () => {
      const { id, record } = await create();
      const { systemPrompt, greeting, ...settings } = SPEC;
      expect(record).toEqual({ id, accountId, status: "created", settings, createdAtMs: clock.epochMs() });
      expect(await stores.calls.get(accountId, id)).toEqual(record);
      expect(JSON.stringify(record)).not.toContain(systemPrompt);
      expect(JSON.stringify(record)).not.toContain(greeting);
      expect(id).toMatch(/^call_[0-9a-f-]{36}$/);
    });

    test("a redemption returns the whole specification and makes the call active", async () => {
      const { id, tokenHash } = await create();
      clock.advance(1_500);
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toEqual({
        callId: id,
        accountId,
        spec: SPEC,
      });
      expect(await stores.calls.get(accountId, id)).toMatchObject({ status: "active", startedAtMs: clock.epochMs() });
    });

    test("a token of a call of another transport is unknown, and stays valid", async () => {
      const { id, tokenHash } = await create({ ...SPEC, connectionType: "carrier_b" });
      expect(
        await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"), ["carrier_a", "websocket"]),
      ).toBeUndefined();
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"), [])).toBeUndefined();
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"), ["carrier_b"])).toMatchObject({
        callId: id,
      });
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"), ["carrier_b"])).toBeUndefined();
      expect(
        await stores.redemptions.redeem(hashSecret("unknown"), redeemedBy("worker-1"), ["carrier_b"]),
      ).toBeUndefined();
    });

    test("unknown, used and expired tokens are refused alike, and do not affect the call", async () => {
      const used = await create();
      await stores.redemptions.redeem(used.tokenHash, redeemedBy("worker-1"));
      const late = await create();
      clock.advance(TTL_MS);
      const live = await create();
      for (const tokenHash of [used.tokenHash, late.tokenHash, hashSecret("x"), "", `${live.tokenHash} `, "'; --"]) {
        expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toBeUndefined();
      }
      expect((await stores.calls.get(accountId, live.id))?.status).toBe("created");
    });

    test("T4: a token is valid until the last millisecond of its lifetime, and no longer", async () => {
      const [early, exact, late] = [await create(), await create(), await create()];
      clock.advance(TTL_MS - 1);
      expect(await stores.redemptions.redeem(early.tokenHash, redeemedBy("worker-1"))).toBeDefined();
      clock.advance(1);
      expect(await stores.redemptions.redeem(exact.tokenHash, redeemedBy("worker-1"))).toBeUndefined();
      clock.advance(1);
      expect(await stores.redemptions.redeem(late.tokenHash, redeemedBy("worker-1"))).toBeUndefined();
    });

    test("T2: of 100 concurrent redemptions of one token exactly one succeeds, 50 times", async () => {
      for (let round = 0; round < 50; round++) {
        const { id, tokenHash } = await create();
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            stores.redemptions.redeem(tokenHash, redeemedBy(`worker-${index}`)),
          ),
        );
        expect(answers.filter((answer) => answer !== undefined)).toEqual([{ callId: id, accountId, spec: SPEC }]);
      }
    });

    test("redemptions and the expiry of the same calls exclude each other", async () => {
      const calls = await Promise.all(Array.from({ length: 20 }, () => create()));
      clock.advance(TTL_MS - 1);
      const redeeming = calls.map((call) => stores.redemptions.redeem(call.tokenHash, redeemedBy("worker-1")));
      clock.advance(1);
      const [expired, ...redeemed] = await Promise.all([stores.calls.expire(), ...redeeming]);
      const active = redeemed.flatMap((call) => (call === undefined ? [] : [call.callId]));
      expect([...active, ...expired].sort()).toEqual(calls.map((call) => call.id).sort());
    });

    test("calls that were not redeemed in time become `expired`, once; others do not change", async () => {
      const late = await create();
      const active = await create();
      await stores.redemptions.redeem(active.tokenHash, redeemedBy("worker-1"));
      clock.advance(TTL_MS - 1);
      const fresh = await create();
      expect(await stores.calls.expire()).toEqual([]);
      clock.advance(1);
      const endedAtMs = clock.epochMs();
      const record = { ...late.record, status: "expired", endReason: "token_expired", endedAtMs };
      expect(await stores.calls.get(accountId, late.id)).toEqual(record);
      clock.advance(TTL_MS - 2);
      expect(await stores.calls.get(accountId, late.id)).toEqual(record);
      expect(await stores.calls.expire()).toEqual([late.id]);
      expect(await stores.calls.expire()).toEqual([]);
      expect(await stores.calls.get(accountId, late.id)).toEqual(record);
      expect(await stores.redemptions.redeem(late.tokenHash, redeemedBy("worker-1"))).toBeUndefined();
      expect(await stores.calls.get(accountId, late.id)).toEqual(record);
      expect((await stores.calls.get(accountId, active.id))?.status).toBe("active");
      expect((await stores.calls.get(accountId, fresh.id))?.status).toBe("created");
    });

    test("an ended call has its transcript, recording, counters, latency, network and bill, as they were passed in", async () => {
      const { id, tokenHash, record } = await create();
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      const startedAtMs = clock.epochMs();
      expect(await stores.calls.transcript(accountId, id)).toEqual([]);
      clock.advance(5_000);
      const whole = { count: 1, p50Ms: 580, p90Ms: 580, p95Ms: 580, p99Ms: 580 };
      const endFields = {
        counters: { malformed: 2 },
        latency: { total: whole },
        network: { lossInPercent: 0.4, jitterInMs: 4.2 },
        usage: [{ stage: "stt", provider: "deepgram", audioSeconds: 5, cost: null }],
        cost: { currency: "USD", total: 0, complete: false },
      } as const;
      expect(await stores.calls.finish(id, end(endFields))).toBe(true);
      expect(await stores.calls.get(accountId, id)).toEqual({
        ...record,
        status: "ended",
        startedAtMs,
        endedAtMs: clock.epochMs(),
        durationMs: 5_000.5,
        endReason: "caller_hangup",
        ...endFields,
      });
      expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS);
    });

    test("the recording of an ended call is rendered by a job, unless the call or its recording is deleted first", async () => {
      const ended = async (spec = SPEC, hasJournal = true) => {
        const { id, tokenHash } = await create(spec);
        await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
        expect(await stores.calls.awaitsRecording(id)).toBe(false);
        await stores.calls.finish(id, end({ hasJournal }));
        return id;
      };
      const [rendered, removed, retained] = [await ended(), await ended(), await ended()];
      await ended({ ...SPEC, recordingEnabled: false });
      await ended(SPEC, false);
      const { jobs } = await stores.jobs.list({ kind: "recording.render", limit: 10 });
      expect(jobs.map(({ payload }) => (payload as { callId: string }).callId)).toEqual([retained, removed, rendered]);
      await stores.calls.remove(accountId, removed);
      await stores.retention.markRecordingDeleted(retained);
      for (const id of [removed, retained]) {
        expect(await stores.calls.awaitsRecording(id)).toBe(false);
        expect(await stores.calls.setRecording(id, RECORDING)).toBe(false);
        expect((await stores.calls.get(accountId, id))?.recording).toBeUndefined();
      }
      expect(await stores.calls.awaitsRecording(rendered)).toBe(true);
      expect(await stores.calls.setRecording(rendered, RECORDING)).toBe(true);
      expect(await stores.calls.get(accountId, rendered)).toMatchObject({ recording: RECORDING });
      expect(await stores.calls.awaitsRecording(rendered)).toBe(false);
      await stores.calls.recordingFailed(rendered);
      expect((await stores.calls.get(accountId, rendered))?.counters).toMatchObject({ recordingFailures: 1 });
    });

    test("a call that an older database does not know, or not as begun, is active again, and one that has ended stays", async () => {
      const startedAtMs = under.clock.epochMs();
      const lost = asCallId("call_01980000-0000-7000-8000-00000000000a");
      const [waiting, expired, ended] = [await create(), await create(SPEC, { tokenTtlMs: 0 }), await create()];
      await stores.redemptions.redeem(ended.tokenHash, redeemedBy("worker-1"));
      await stores.calls.finish(ended.id, end());
      await stores.calls.expire();
      for (const id of [lost, ended.id]) await stores.calls.restore({ id, accountId, spec: SPEC, startedAtMs });
      for (const { id } of [waiting, expired]) {
        await stores.calls.restore({ id, accountId, spec: undefined, startedAtMs });
      }
      for (const id of [lost, waiting.id, expired.id]) {
        const call = await stores.calls.get(accountId, id);
        expect(call).toMatchObject({ status: "active", startedAtMs });
        expect([call?.endReason, call?.endedAtMs]).toEqual([undefined, undefined]);
        expect(await stores.calls.finish(id, end())).toBe(true);
      }
      expect(await stores.calls.get(accountId, ended.id)).toMatchObject({ status: "ended" });
      const unknown = asCallId("call_01980000-0000-7000-8000-00000000000b");
      await stores.calls.restore({ id: unknown, accountId, spec: undefined, startedAtMs });
      expect(await stores.calls.get(accountId, unknown)).toBeUndefined();
    });

    test("a live call whose redemption a database has lost is its worker's again, and its token stays used", async () => {
      const startedAtMs = under.clock.epochMs();
      const { id, tokenHash } = await create();
      const redemption = { workerId: asWorkerId("worker-1"), workerConnection: 3, epoch: 2 };
      await stores.calls.restore({ id, accountId, spec: SPEC, startedAtMs, redemption });
      expect(await stores.calls.listActive(redemption.workerId)).toMatchObject([{ id, ...redemption }]);
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-2"))).toBeUndefined();
      expect(await stores.calls.finish(id, end(), redemption)).toBe(true);
    });

    test("a recording whose job is cancelled has failed", async () => {
      const { id, tokenHash } = await create();
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      await stores.calls.finish(id, end({ hasJournal: true }));
      const [job] = (await stores.jobs.list({ kind: "recording.render", limit: 1 })).jobs;
      expect(job !== undefined && (await stores.jobs.cancel(job.id))).toBe(true);
      expect((await stores.calls.get(accountId, id))?.counters).toMatchObject({ recordingFailures: 1 });
    });

    test("F14-2: only a turn whose end is an estimate is approximate, recorded or not", async () => {
      const guess: TranscriptTurn = {
        role: "agent",
        text: "We are",
        startMs: callMs(1),
        endMs: callMs(2),
        interrupted: true,
        approximate: true,
      };
      for (const recordingEnabled of [true, false]) {
        const { id, tokenHash } = await create({ ...SPEC, recordingEnabled });
        await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
        await stores.calls.finish(id, end({ turns: [...TURNS, guess] }));
        const turns = (await stores.calls.transcript(accountId, id)) ?? [];
        expect(turns.map((turn) => turn.approximate)).toEqual([undefined, undefined, undefined, true]);
      }
    });

    test("a turn names the passages that it was given: without words by their ids and scores alone", async () => {
      const found = referenceOf(passage("a\0b", { documentName: 'Prices "2026"\0' }));
      const { corpusId, documentId, score } = found;
      const answer: TranscriptTurn = {
        ...{ role: "agent", text: "Two euros.", startMs: callMs(1), endMs: callMs(2), interrupted: false },
        retrieval: { tookMs: 12, passages: [found] },
      };
      for (const transcriptEnabled of [true, false]) {
        const { id, tokenHash } = await create({ ...SPEC, transcriptEnabled });
        await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
        await stores.calls.finish(id, end({ turns: [...TURNS, answer] }));
        const turns = (await stores.calls.transcript(accountId, id)) ?? [];
        const passages = transcriptEnabled ? [found] : [{ corpusId, documentId, score }];
        expect(turns.at(-1)?.retrieval).toEqual({ tookMs: 12, passages });
        expect(turns[0]?.retrieval).toBeUndefined();
      }
    });

    test("a corpus has the replies that were given its passages, the latest first, once their calls are over", async () => {
      const [found, elsewhere] = [
        referenceOf(passage("a\0b")),
        { ...referenceOf(passage("other")), corpusId: asCorpusId("cor_other") },
      ];
      const said = (role: "agent" | "user", text: string, startMs: number): TranscriptTurn => ({
        ...{ role, text, startMs: callMs(startMs), endMs: callMs(startMs + 1), interrupted: false },
      });
      const turns: TranscriptTurn[] = [
        { ...said("agent", "Hello.", 0), retrieval: { tookMs: 1, passages: [found] } },
        said("user", "How much?\0", 1_000),
        { ...said("agent", "Two euros.", 2_000), retrieval: { tookMs: 12, passages: [elsewhere, found] } },
        { ...said("agent", "And more.", 3_000), retrieval: { tookMs: 3, passages: [elsewhere] } },
      ];
      const ids: CallId[] = [];
      for (const transcriptEnabled of [true, false]) {
        const { id, tokenHash } = await create({ ...SPEC, transcriptEnabled });
        await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
        await stores.calls.finish(id, end({ turns }));
        ids.push(id);
      }
      const list = (limit: number, before?: { callId: CallId; position: number }) =>
        stores.corpora.listRetrievals({ accountId, corpusId: found.corpusId, limit, before });
      const all = await list(10);
      expect(all.next).toBeUndefined();
      expect(all.retrievals.map(({ callId, position, question }) => [callId, position, question])).toEqual([
        [ids[1], 2, undefined],
        [ids[1], 0, undefined],
        [ids[0], 2, "How much?\0"],
        [ids[0], 0, undefined],
      ]);
      expect(all.retrievals[2]?.retrieval).toEqual({ tookMs: 12, passages: [found] });
      expect(all.retrievals[0]?.retrieval.passages).toEqual([
        { corpusId: found.corpusId, documentId: found.documentId, score: found.score },
      ]);
      const first = await list(1);
      expect(first.next).toEqual({ callId: ids[1], position: 2 });
      expect((await list(2, first.next)).retrievals).toEqual(all.retrievals.slice(1, 3));
      const other = await stores.accounts.ensure("second");
      expect(await stores.corpora.listRetrievals({ accountId: other, corpusId: found.corpusId, limit: 10 })).toEqual({
        retrievals: [],
        next: undefined,
      });
    });

    test.each([
      "CA123",
      "../../etc/passwd",
      "'; DROP TABLE calls; --",
      'a"b\\c',
      "two\nlines",
      "👋",
      "a\0b",
      "\ud800",
      "x".repeat(256),
    ])("F14-4, C8: the carrier's id %j of a call is data: it is in its record, and finds only this call", async (carrierCallId) => {
      const [{ id, tokenHash, record }, other] = [await create(), await create()];
      expect(record.carrierCallId).toBeUndefined();
      for (const hash of [tokenHash, other.tokenHash]) await stores.redemptions.redeem(hash, redeemedBy("worker-1"));
      await stores.calls.finish(id, end({ carrierCallId: asCarrierCallId(carrierCallId) }));
      await stores.calls.finish(other.id, end({ carrierCallId: asCarrierCallId("another") }));
      expect((await stores.calls.get(accountId, id))?.carrierCallId).toBe(carrierCallId);
      expect(await listedIds(stores, accountId, { carrierCallId })).toEqual([id]);
      expect(await listedIds(stores, accountId, { carrierCallId, status: "active" })).toEqual([]);
      expect(await listedIds(stores, accountId, { carrierCallId: `${carrierCallId} ` })).toEqual([]);
      expect(await listedIds(stores, await stores.accounts.ensure("second"), { carrierCallId })).toEqual([]);
    });

    test("F14-4: an active call has its carrier's id from the start of its stream, and keeps it when its journal is lost", async () => {
      const { id, tokenHash } = await create();
      await stores.calls.setCarrierCallId(id, asCarrierCallId("early"));
      expect((await stores.calls.get(accountId, id))?.carrierCallId).toBeUndefined();
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      await stores.calls.setCarrierCallId(id, asCarrierCallId("CA\0 1"));
      expect((await stores.calls.get(accountId, id))?.carrierCallId).toBe("CA\0 1");
      expect(await listedIds(stores, accountId, { carrierCallId: "CA\0 1", status: "active" })).toEqual([id]);
      await stores.calls.finish(id, end());
      await stores.calls.setCarrierCallId(id, asCarrierCallId("late"));
      expect((await stores.calls.get(accountId, id))?.carrierCallId).toBe("CA\0 1");
      await stores.calls.setCarrierCallId(asCallId("call_unknown"), asCarrierCallId("CA1"));
    });

    test.each([
      [{ order: "A-17", constructor: "x", toString: "", "1": "one" }],
      [{ "'; DROP TABLE calls; --": '"\\ \u2028\0👋 ' }],
      [Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`k${i}`, "x".repeat(120)]))],
      [undefined],
    ])("the parameters %j of a start are in the record and in the list, of a recorded call only", async (parameters) => {
      for (const recordingEnabled of [true, false]) {
        const { id, tokenHash, record } = await create({ ...SPEC, recordingEnabled });
        expect(record).not.toHaveProperty("parameters");
        await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
        await stores.calls.finish(id, end({ parameters }));
        const shown = recordingEnabled ? parameters : undefined;
        expect((await stores.calls.get(accountId, id))?.parameters).toEqual(shown);
        const [listed] = (await stores.calls.list(accountId, { limit: 1 })).calls;
        expect([listed?.id, listed?.parameters]).toEqual([id, shown]);
      }
    });

    test("C4: only the first end counts", async () => {
      const { id, tokenHash } = await create();
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      const reasons = ["caller_hangup", "max_duration", "worker_lost"] as const;
      const counted = await Promise.all(reasons.map((endReason) => stores.calls.finish(id, end({ endReason }))));
      expect(counted).toEqual([true, false, false]);
      expect((await stores.calls.get(accountId, id))?.endReason).toBe("caller_hangup");
      expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS);
    });

    test("a call that was never redeemed, and an unknown one, cannot be finished", async () => {
      const { id } = await create();
      expect(await stores.calls.finish(id, end())).toBe(false);
      expect(await stores.calls.finish(asCallId("call_unknown"), end())).toBe(false);
      expect((await stores.calls.get(accountId, id))?.status).toBe("created");
    });

    test("C18: a call without a single turn has a record, and one of 3,000 turns a complete transcript", async () => {
      const long = Array.from({ length: 3_000 }, (_, index) => ({
        ...(TURNS[1] as TranscriptTurn),
        startMs: callMs(index),
      }));
      for (const turns of [[], long]) {
        const { id, tokenHash } = await create();
        await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
        await stores.calls.finish(id, end({ turns: turns, status: "failed", endReason: "provider_error" }));
        expect((await stores.calls.get(accountId, id))?.status).toBe("failed");
        expect(await stores.calls.transcript(accountId, id)).toEqual(turns);
      }
    });

    test("lists the active calls of one worker, or of all", async () => {
      const [first, second, third] = [
        await create(),
        await create({ ...SPEC, recordingEnabled: false }),
        await create(),
      ];
      await stores.redemptions.redeem(first.tokenHash, redeemedBy("worker-1"));
      await stores.redemptions.redeem(second.tokenHash, redeemedBy("worker-2"));
      await stores.redemptions.redeem(third.tokenHash, redeemedBy("worker-1"));
      await stores.calls.finish(third.id, end());
      await create();
      const redeemed = { accountId, workerConnection: 1, epoch: 1 };
      const onFirst = { ...redeemed, id: first.id, workerId: "worker-1", recordingEnabled: true };
      const onSecond = { ...redeemed, id: second.id, workerId: "worker-2", recordingEnabled: false };
      expect(await stores.calls.listActive(asWorkerId("worker-1"))).toEqual([onFirst]);
      expect(await stores.calls.listActive()).toEqual([onFirst, onSecond]);
      expect(await stores.calls.listActive(asWorkerId("worker-3"))).toEqual([]);
    });

    test("A2: another account sees neither a call nor its transcript", async () => {
      const { id, tokenHash } = await create();
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      await stores.calls.finish(id, end());
      const otherAccountId = await stores.accounts.ensure("second");
      expect(await stores.calls.get(otherAccountId, id)).toBeUndefined();
      expect(await stores.calls.transcript(otherAccountId, id)).toBeUndefined();
      expect(await stores.calls.transcript(accountId, asCallId("call_unknown"))).toBeUndefined();
    });

    test("everything survives a restart, including the single use of a token", async () => {
      const [waiting, used] = [await create(), await create()];
      await stores.redemptions.redeem(used.tokenHash, redeemedBy("worker-1"));
      await restart();
      expect(await stores.redemptions.redeem(used.tokenHash, redeemedBy("worker-2"))).toBeUndefined();
      expect(await stores.redemptions.redeem(waiting.tokenHash, redeemedBy("worker-2"))).toEqual({
        callId: waiting.id,
        accountId,
        spec: SPEC,
      });
      expect((await stores.calls.listActive()).map((call) => call.workerId)).toEqual(["worker-2", "worker-1"]);
      await stores.calls.finish(used.id, end());
      await restart();
      expect(await stores.calls.transcript(accountId, used.id)).toEqual(TURNS);
    });

    test("audio and words are stored apart: a recording without words, and words without a recording", async () => {
      const parameters = { order: "A-17" };
      for (const transcriptEnabled of [true, false]) {
        const spec = { ...SPEC, recordingEnabled: !transcriptEnabled, transcriptEnabled };
        const { id, tokenHash } = await create(spec);
        expect((await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1")))?.spec).toEqual(spec);
        await stores.calls.finish(id, end({ parameters, hasJournal: true }));
        const turns = TURNS.map((turn) => (transcriptEnabled ? turn : { ...turn, text: "" }));
        expect(await stores.calls.transcript(accountId, id)).toEqual(turns);
        expect((await stores.calls.get(accountId, id))?.parameters).toEqual(transcriptEnabled ? parameters : undefined);
        const { jobs } = await stores.jobs.list({ kind: "recording.render", limit: 10 });
        expect(jobs.some(({ payload }) => (payload as { callId: string }).callId === id)).toBe(!transcriptEnabled);
      }
    });

    test("a call without words cannot be redeemed after a restart, whether or not it is recorded", async () => {
      const calls = [
        await create({ ...SPEC, recordingEnabled: true, transcriptEnabled: false }),
        await create({ ...SPEC, recordingEnabled: false, transcriptEnabled: true }),
      ];
      await restart();
      const redeemed = [];
      for (const { tokenHash } of calls) {
        redeemed.push((await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))) !== undefined);
      }
      expect(redeemed).toEqual([false, true]);
    });

    test("a call that is not recorded keeps the times of its turns, and not their words", async () => {
      const spec = { ...SPEC, recordingEnabled: false };
      const { id, tokenHash } = await create(spec);
      expect((await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1")))?.spec).toEqual(spec);
      await stores.calls.finish(id, end());
      expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS.map((turn) => ({ ...turn, text: "" })));
    });

    test("a call that is not recorded cannot be redeemed after a restart: its words were only in memory", async () => {
      const { id, tokenHash } = await create({ ...SPEC, recordingEnabled: false });
      await restart();
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toBeUndefined();
      const record = await stores.calls.get(accountId, id);
      expect(record).toMatchObject({ status: "expired", endReason: "token_expired" });
      expect(record).not.toHaveProperty("startedAtMs");
    });

    test("a call that was created from a saved agent has its id in all answers", async () => {
      const { id: agentId } = await stores.agents.create(accountId, AGENT);
      const agent = { id: agentId, version: 3, variables: { customer: "a\0b", loaves: 2, regular: true } };
      const { record, id } = await create(SPEC, { agent });
      expect(record).toMatchObject({ agentId, agentVersion: 3, variables: agent.variables });
      expect(await stores.calls.get(accountId, id)).toEqual(record);
      expect((await stores.calls.list(accountId, { limit: 1 })).calls).toEqual([listed(record)]);
    });

    test("cancelling ends a waiting call, at once and once; any other does not change", async () => {
      const calls = await inEveryStatus(stores, accountId, clock);
      const before = await Promise.all(Object.values(calls).map(({ id }) => stores.calls.get(accountId, id)));
      clock.advance(1_000);
      const ended = { status: "ended", endReason: "api_hangup", endedAtMs: clock.epochMs() };
      const { id, record, tokenHash } = calls.created;
      expect(await stores.calls.cancel(accountId, id)).toEqual({ call: { ...record, ...ended }, cancelled: true });
      clock.advance(1_000);
      expect(await stores.calls.cancel(accountId, id)).toEqual({ call: { ...record, ...ended }, cancelled: false });
      expect(await stores.calls.get(accountId, id)).toEqual({ ...record, ...ended });
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toBeUndefined();
      const others = [calls.active, calls.ended, calls.failed, calls.expired];
      for (const [index, other] of others.entries()) {
        expect(await stores.calls.cancel(accountId, other.id)).toEqual({
          call: before[index + 1],
          ...(other === calls.active && { workerId: "worker-1" }),
          cancelled: false,
        });
      }
      expect((await stores.calls.listActive()).map((call) => call.id)).toEqual([calls.active.id]);
    });

    test("only an active call has a worker, for its own account alone", async () => {
      const calls = await inEveryStatus(stores, accountId, clock);
      const workers = await Promise.all(
        Object.entries(calls).map(async ([name, { id }]) => [name, await stores.calls.workerOf(accountId, id)]),
      );
      expect(workers.filter(([, workerId]) => workerId !== undefined)).toEqual([["active", "worker-1"]]);
      expect(await stores.calls.workerOf(asAccountId("account_other"), calls.active.id)).toBeUndefined();
    });

    test("of a concurrent redemption and cancellation one succeeds, and the other is refused", async () => {
      for (let round = 0; round < 50; round++) {
        const { id, tokenHash } = await create();
        const redeem = () => stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
        const cancel = () => stores.calls.cancel(accountId, id);
        const [redeemed, cancelled] = await (round % 2 === 0
          ? Promise.all([redeem(), cancel()])
          : Promise.all([cancel(), redeem()]).then(([one, other]) => [other, one] as const));
        expect(cancelled?.cancelled).toBe(redeemed === undefined);
        expect(cancelled?.workerId).toBe(redeemed && "worker-1");
      }
    });

    test("removing deletes a call that is over or never began, and nothing of an active one", async () => {
      const { active, ...others } = await inEveryStatus(stores, accountId, clock);
      expect(await stores.calls.remove(accountId, active.id)).toBe(false);
      expect((await stores.calls.get(accountId, active.id))?.status).toBe("active");
      for (const { id, tokenHash } of Object.values(others)) {
        expect(await stores.calls.remove(accountId, id)).toBe(true);
        expect(await stores.calls.get(accountId, id)).toBeUndefined();
        expect(await stores.calls.transcript(accountId, id)).toBeUndefined();
        expect(await stores.calls.cancel(accountId, id)).toBeUndefined();
        expect(await stores.calls.remove(accountId, id)).toBeUndefined();
        expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toBeUndefined();
        expect(await stores.calls.finish(id, end())).toBe(false);
      }
      expect(await idsOf()).toEqual([active.id]);
      await restart();
      expect(await idsOf()).toEqual([active.id]);
      expect(await stores.calls.finish(active.id, end())).toBe(true);
      expect(await stores.calls.transcript(accountId, active.id)).toEqual(TURNS);
    });

    test("a call that is not recorded is cancelled and removed like any other", async () => {
      const spec = { ...SPEC, recordingEnabled: false };
      const [cancelled, removed] = [await create(spec), await create(spec)];
      expect(await stores.calls.cancel(accountId, cancelled.id)).toMatchObject({ call: { status: "ended" } });
      expect(await stores.calls.remove(accountId, removed.id)).toBe(true);
      for (const { tokenHash } of [cancelled, removed]) {
        expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toBeUndefined();
      }
    });

    test("A2, A3: another account lists, cancels and removes nothing of it", async () => {
      const calls = await inEveryStatus(stores, accountId, clock);
      const otherAccountId = await stores.accounts.ensure("second");
      const ids = Object.values(calls).map((call) => call.id);
      for (const id of ids) {
        expect(await stores.calls.cancel(otherAccountId, id)).toBeUndefined();
        expect(await stores.calls.remove(otherAccountId, id)).toBeUndefined();
        expect(await idsOf({ afterCallId: id }, otherAccountId)).toEqual([]);
      }
      const all = { createdFromMs: epochMs(0) };
      for (const query of [{}, { status: "created" }, { metadata: { order: "17" } }, all] as const) {
        expect(await idsOf(query, otherAccountId)).toEqual([]);
      }
      expect(await stores.calls.get(accountId, calls.created.id)).toEqual(calls.created.record);
      expect(await idsOf()).toEqual([...ids].reverse());
    });
  });
}
