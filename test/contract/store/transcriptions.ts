import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AccountId,
  asCallId,
  asTranscriptionId,
  type JobId,
  type TranscriptionId,
} from "../../../src/core/ids.ts";
import { IDEMPOTENCY_MS } from "../../../src/core/limits/control-api/api.ts";
import { RESULT_TEXT_CHARS_MAX } from "../../../src/core/limits/transcriptions/transcriptions.ts";
import { TRANSCRIPTION_JOB } from "../../../src/store/job-kinds.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { NewTranscription, TranscriptionQuery } from "../../../src/store/transcription-store.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { FAILURE, newTranscription, OUTCOME, PART, RESULT } from "../../support/transcriptions/stored.ts";
import type { StoresUnderTest } from "./calls.ts";

const COMPLETED = { status: "completed", result: RESULT } as const;
const FAILED = { status: "failed", failure: FAILURE } as const;
const UNKNOWN = asTranscriptionId("transcription_unknown");
const REQUEST = { keyHash: hashSecret("first"), fingerprint: "f1" };
const OTHER_PART = { ...PART, startMs: 2_000, endMs: 4_000 };

/** What every TranscriptionStore must do. */
export function transcriptionContract(name: string, make: () => StoresUnderTest): void {
  describe(`TranscriptionStore contract: ${name}`, () => {
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

    const create = (more: Partial<NewTranscription> = {}) =>
      stores.transcriptions.create(newTranscription(accountId, more));
    const get = (id: TranscriptionId) => stores.transcriptions.get(accountId, id);
    const over = async (more: Partial<NewTranscription> = {}) => {
      const { id } = await create(more);
      expect(await stores.transcriptions.end(id, COMPLETED)).toBe(true);
      return id;
    };
    const listed = async (query: Partial<TranscriptionQuery> = {}): Promise<TranscriptionId[]> => {
      const { transcriptions } = await stores.transcriptions.list({ accountId, limit: 100, ...query });
      return transcriptions.map(({ id }) => id);
    };
    /** The types of the events that a webhook of the account is sent. */
    const facts = async (): Promise<string[]> => {
      const { jobs } = await stores.jobs.list({ kind: "webhook.deliver", limit: 100 });
      const webhooks = stores.openWebhooks(SEALING_KEYS);
      const ids = jobs.map(({ payload }) => (payload as { deliveryId: never }).deliveryId);
      const due = await Promise.all(ids.map((id) => webhooks.due(id)));
      return due.map((one) => `${one?.event.type} ${one?.event.transcriptionId}`);
    };
    const subscribe = () =>
      stores.openWebhooks(SEALING_KEYS).create(accountId, {
        url: "https://example.com/",
        description: "",
        eventTypes: ["transcription.completed", "transcription.failed"],
        enabled: true,
      });

    describe("creation", () => {
      test("stores what was asked for, with the job that does it", async () => {
        const asked = newTranscription(accountId, { callId: asCallId("call_1"), url: "https://a.example/x.mp3" });
        const created = await stores.transcriptions.create(asked);
        expect(created).toEqual({
          ...asked,
          createdAtMs: clock.epochMs(),
          status: "queued",
          hasAudio: true,
          doneMs: 0,
        });
        await stores.close();
        stores = await under.open();
        expect(await get(asked.id)).toEqual(created);
        expect(await stores.transcriptions.find(asked.id)).toEqual(created);
        const { jobs } = await stores.jobs.list({ kind: TRANSCRIPTION_JOB, limit: 10 });
        expect(jobs).toMatchObject([
          { accountId, key: asked.id, payload: { transcriptionId: asked.id }, status: "pending" },
        ]);
        expect(await stores.transcriptions.jobOf(asked.id)).toBe(jobs[0]?.id);
        const [claimed] = await stores.jobs.claim({
          runnerId: "r",
          kinds: [TRANSCRIPTION_JOB],
          fullLanes: [],
          limit: 1,
        });
        expect(claimed?.lane).toBe(accountId);
      });

      test("a live one has no job and no audio", async () => {
        const { id, hasAudio } = await create({ source: "live" });
        expect(hasAudio).toBe(false);
        expect(await stores.transcriptions.jobOf(id)).toBeUndefined();
      });

      test("another account sees, cancels and removes nothing of it", async () => {
        const { id } = await create();
        const other = await stores.accounts.ensure("second");
        expect(await stores.transcriptions.get(other, id)).toBeUndefined();
        expect(await stores.transcriptions.cancel(other, id)).toBeUndefined();
        expect(await stores.transcriptions.remove(other, id)).toBe(false);
        expect(await stores.transcriptions.result(other, id)).toBeUndefined();
        expect((await stores.transcriptions.list({ accountId: other, limit: 10 })).transcriptions).toEqual([]);
        expect(await get(id)).toMatchObject({ status: "queued" });
      });

      test("a request with the same key creates one; with another fingerprint it is a mismatch", async () => {
        const first = await stores.transcriptions.createOnce(newTranscription(accountId), REQUEST);
        const again = await stores.transcriptions.createOnce(newTranscription(accountId), REQUEST);
        if (first.kind === "mismatch") throw new Error("a first request cannot be a mismatch");
        expect(again).toEqual({ kind: "replayed", transcription: first.transcription });
        const other = { ...REQUEST, fingerprint: "f2" };
        expect(await stores.transcriptions.createOnce(newTranscription(accountId), other)).toEqual({
          kind: "mismatch",
        });
        const second = await stores.accounts.ensure("second");
        const ofOther = await stores.transcriptions.createOnce(newTranscription(second), other);
        expect(ofOther.kind).toBe("created");
        expect(await listed()).toEqual([first.transcription.id]);
      });

      test("requests with the same key at the same time create one", async () => {
        const creations = await Promise.all(
          Array.from({ length: 5 }, () => stores.transcriptions.createOnce(newTranscription(accountId), REQUEST)),
        );
        expect(creations.filter(({ kind }) => kind === "created")).toHaveLength(1);
        expect(await listed()).toHaveLength(1);
      });

      test("a key is free again after its time, and when its transcription is removed", async () => {
        const once = (request = REQUEST) => stores.transcriptions.createOnce(newTranscription(accountId), request);
        await once();
        clock.advance(IDEMPOTENCY_MS);
        const later = await once();
        expect(later.kind).toBe("created");
        if (later.kind !== "mismatch") await stores.transcriptions.remove(accountId, later.transcription.id);
        expect((await once()).kind).toBe("created");
      });
    });

    describe("lists", () => {
      test("newest first, a page after the other", async () => {
        const ids: TranscriptionId[] = [];
        for (let index = 0; index < 5; index += 1) ids.unshift((await create()).id);
        await stores.transcriptions.create(newTranscription(await stores.accounts.ensure("second")));
        expect(await listed()).toEqual(ids);
        expect(await stores.transcriptions.list({ accountId, limit: 5 })).toMatchObject({ more: false });
        const first = await stores.transcriptions.list({ accountId, limit: 2 });
        expect(first.more).toBe(true);
        expect(first.transcriptions.map(({ id }) => id)).toEqual(ids.slice(0, 2));
        expect(await listed({ before: first.transcriptions[1]?.id as TranscriptionId })).toEqual(ids.slice(2));
      });

      test("filters can be combined", async () => {
        const upload = await create();
        clock.advance(1_000);
        const borderMs = clock.epochMs();
        const callId = asCallId("call_1");
        const ofCall = await create({ source: "call", callId });
        const done = await over({ source: "call", callId });
        expect(await listed({ source: "upload" })).toEqual([upload.id]);
        expect(await listed({ callId })).toEqual([done, ofCall.id]);
        expect(await listed({ callId, status: "queued" })).toEqual([ofCall.id]);
        expect(await listed({ createdAfterMs: borderMs })).toEqual([done, ofCall.id]);
        expect(await listed({ createdBeforeMs: borderMs })).toEqual([upload.id]);
        expect(await listed({ source: "url" })).toEqual([]);
      });
    });

    describe("progress", () => {
      test("the first start counts, and how far it is stays after a restart", async () => {
        const { id } = await create();
        const startedAtMs = clock.epochMs();
        expect(await stores.transcriptions.start(id)).toMatchObject({ status: "processing", startedAtMs });
        clock.advance(1_000);
        expect(await stores.transcriptions.start(id)).toMatchObject({ status: "processing", startedAtMs });
        await stores.transcriptions.progress(id, 0, 60_000.5);
        await stores.transcriptions.progress(id, 1_500, undefined);
        await stores.transcriptions.progress(id, 1_000, undefined);
        expect(await get(id)).toMatchObject({ doneMs: 1_500, durationMs: 60_000.5 });
        expect(await stores.transcriptions.start(UNKNOWN)).toBeUndefined();
      });

      test("of an account no more are processing at once than it may have, also of those that start together", async () => {
        const other = await stores.accounts.ensure("second");
        const ofOther = await stores.transcriptions.create(newTranscription(other));
        const ids = [await create(), await create(), await create()].map(({ id }) => id);
        const started = await Promise.all([ofOther.id, ...ids].map((id) => stores.transcriptions.start(id, 1)));
        expect(started.map((one) => one?.status).sort()).toEqual(["processing", "processing", "queued", "queued"]);
        const first = started.slice(1).find((one) => one?.status === "processing");
        if (first === undefined) throw new Error("one of the account has started");
        expect(await stores.transcriptions.start(first.id, 1)).toEqual(first);
        await stores.transcriptions.cancel(accountId, first.id);
        const next = ids.find((id) => id !== first.id) as TranscriptionId;
        expect(await stores.transcriptions.start(next, 1)).toMatchObject({ status: "processing" });
      });

      test("each request of a part is counted, and its first outcome stays", async () => {
        const { id } = await create();
        await stores.transcriptions.start(id);
        expect(await stores.transcriptions.requesting(id, OTHER_PART, "deepgram")).toBe(true);
        expect(await stores.transcriptions.requesting(id, PART, "deepgram")).toBe(true);
        expect(await stores.transcriptions.requesting(id, PART, "deepgram")).toBe(true);
        await stores.transcriptions.transcribed(id, PART, OUTCOME);
        await stores.transcriptions.transcribed(id, PART, { ...OUTCOME, words: [] });
        await stores.close();
        stores = await under.open();
        expect(await stores.transcriptions.parts(id)).toEqual([
          { ...PART, requests: 2, outcome: OUTCOME },
          { ...OTHER_PART, requests: 1 },
        ]);
        expect(await stores.transcriptions.requesting(UNKNOWN, PART, "deepgram")).toBe(false);
      });

      test("nothing of one that is over changes", async () => {
        const id = await over();
        const before = await get(id);
        expect(await stores.transcriptions.start(id)).toEqual(before);
        await stores.transcriptions.progress(id, 1, 2);
        expect(await stores.transcriptions.requesting(id, PART, "deepgram")).toBe(false);
        await stores.transcriptions.transcribed(id, PART, OUTCOME);
        expect(await stores.transcriptions.parts(id)).toEqual([]);
        expect(await stores.transcriptions.end(id, FAILED)).toBe(false);
        expect(await stores.transcriptions.cancel(accountId, id)).toEqual(before);
        expect(await get(id)).toEqual(before);
      });
    });

    describe("the end", () => {
      test("a result is complete, and its event is stored with it", async () => {
        await subscribe();
        const { id } = await create();
        await stores.transcriptions.start(id);
        await stores.transcriptions.requesting(id, PART, "deepgram");
        await stores.transcriptions.transcribed(id, PART, OUTCOME);
        expect(await stores.transcriptions.result(accountId, id)).toBeUndefined();
        clock.advance(1_000);
        expect(await stores.transcriptions.end(id, COMPLETED)).toBe(true);
        expect(await get(id)).toMatchObject({
          status: "completed",
          endedAtMs: clock.epochMs(),
          doneMs: RESULT.durationMs,
          durationMs: RESULT.durationMs,
          usage: OUTCOME.usage,
        });
        expect(await stores.transcriptions.result(accountId, id)).toEqual(RESULT);
        expect(await stores.transcriptions.parts(id)).toEqual([]);
        expect(await facts()).toEqual([`transcription.completed ${id}`]);
      });

      test("a long result of any characters is the same when it is read", async () => {
        const { id } = await create();
        const text = `a${"👋\0é".repeat(RESULT_TEXT_CHARS_MAX)}`;
        expect(await stores.transcriptions.end(id, { status: "completed", result: { ...RESULT, text } })).toBe(true);
        expect((await stores.transcriptions.result(accountId, id))?.text).toBe(text);
      });

      test("of two ends at the same time one counts", async () => {
        await subscribe();
        const { id } = await create();
        const ends = await Promise.all([
          stores.transcriptions.end(id, COMPLETED),
          stores.transcriptions.end(id, FAILED),
          stores.transcriptions.end(id, COMPLETED),
        ]);
        expect(ends.filter(Boolean)).toHaveLength(1);
        expect(await facts()).toHaveLength(1);
      });

      test("one that fails says why, and what its parts have used", async () => {
        await subscribe();
        const { id } = await create();
        for (const part of [PART, OTHER_PART]) {
          await stores.transcriptions.requesting(id, part, "deepgram");
          await stores.transcriptions.transcribed(id, part, OUTCOME);
        }
        expect(await stores.transcriptions.end(id, FAILED)).toBe(true);
        expect(await get(id)).toMatchObject({
          status: "failed",
          failure: FAILURE,
          usage: [{ provider: "deepgram", model: "nova-3", audioSeconds: 5 }],
        });
        expect(await stores.transcriptions.result(accountId, id)).toBeUndefined();
        expect(await facts()).toEqual([`transcription.failed ${id}`]);
      });

      test("every request is in the usage: repeated ones, those of other providers, and those of parts that were not transcribed", async () => {
        const used = async (end: (id: TranscriptionId) => Promise<unknown>) => {
          const { id } = await create();
          for (const provider of ["openai", "deepgram", "deepgram"])
            await stores.transcriptions.requesting(id, PART, provider);
          await stores.transcriptions.transcribed(id, PART, OUTCOME);
          await stores.transcriptions.requesting(id, OTHER_PART, "local");
          await end(id);
          return (await get(id))?.usage;
        };
        const all = [
          { provider: "deepgram", model: "nova-3", audioSeconds: 5.001 },
          { provider: "openai", audioSeconds: 2.501 },
          { provider: "local", audioSeconds: 2 },
        ];
        const sorted = (usage: typeof all) => usage.sort((one, other) => (one.provider < other.provider ? -1 : 1));
        for (const end of [
          (id: TranscriptionId) => stores.transcriptions.end(id, COMPLETED),
          (id: TranscriptionId) => stores.transcriptions.end(id, FAILED),
          (id: TranscriptionId) => stores.transcriptions.cancel(accountId, id),
        ])
          expect(sorted([...((await used(end)) as typeof all)])).toEqual(sorted(all));
      });

      test("a cancelled one has no job, no parts and no event, and does not end again", async () => {
        await subscribe();
        const { id } = await create();
        await stores.transcriptions.requesting(id, PART, "deepgram");
        await stores.transcriptions.transcribed(id, PART, OUTCOME);
        expect(await stores.transcriptions.cancel(accountId, id)).toMatchObject({
          status: "cancelled",
          usage: OUTCOME.usage,
        });
        expect(await stores.transcriptions.jobOf(id)).toBeUndefined();
        expect(await stores.transcriptions.parts(id)).toEqual([]);
        expect(await stores.transcriptions.end(id, COMPLETED)).toBe(false);
        expect(await stores.transcriptions.result(accountId, id)).toBeUndefined();
        expect(await facts()).toEqual([]);
      });

      test("one whose job is given up has failed, and is queued again when the job is attempted again", async () => {
        await subscribe();
        const { id } = await create();
        const [job] = await stores.jobs.claim({ runnerId: "r", kinds: [TRANSCRIPTION_JOB], fullLanes: [], limit: 1 });
        if (job === undefined) throw new Error("the transcription has a job");
        await stores.transcriptions.start(id);
        await stores.jobs.settle("r", new Map([[job.id, { kind: "dead", error: "no way" }]]));
        expect(await get(id)).toMatchObject({ status: "failed", failure: { code: "abandoned" } });
        expect(await facts()).toEqual([`transcription.failed ${id}`]);
        await stores.jobs.replay({ ids: [job.id] });
        const queued = await get(id);
        expect(queued).toMatchObject({ status: "queued" });
        expect(queued?.failure).toBeUndefined();
      });

      test("the parts of one whose job is given up stay for another attempt, until retention or removal", async () => {
        const giveUp = async (job: JobId) => {
          await stores.jobs.claim({ runnerId: "r", kinds: [TRANSCRIPTION_JOB], fullLanes: [], limit: 10 });
          await stores.jobs.settle("r", new Map([[job, { kind: "dead", error: "no way" }]]));
        };
        const { id } = await create();
        const job = (await stores.transcriptions.jobOf(id)) as JobId;
        await stores.transcriptions.start(id);
        await stores.transcriptions.requesting(id, PART, "deepgram");
        await stores.transcriptions.transcribed(id, PART, OUTCOME);
        await giveUp(job);
        expect(await get(id)).toMatchObject({ status: "failed", usage: OUTCOME.usage });
        expect(await stores.transcriptions.result(accountId, id)).toBeUndefined();
        await stores.jobs.replay({ ids: [job] });
        expect(await stores.transcriptions.parts(id)).toEqual([{ ...PART, requests: 1, outcome: OUTCOME }]);
        await giveUp(job);
        clock.advance(1);
        const due = { part: "transcript", endedBeforeMs: clock.epochMs(), limit: 10 } as const;
        expect((await stores.transcriptions.listDue(accountId, due)).map((one) => one.id)).toEqual([id]);
        await stores.transcriptions.deleteResult(id);
        expect(await stores.transcriptions.parts(id)).toEqual([]);
        expect(await stores.transcriptions.listDue(accountId, due)).toEqual([]);
      });

      test("an upload whose audio is gone stays failed when its job is attempted again; other audio is fetched again", async () => {
        const replayed = async (source: "upload" | "url") => {
          const { id } = await create({ source });
          const job = (await stores.transcriptions.jobOf(id)) as JobId;
          await stores.jobs.claim({ runnerId: "r", kinds: [TRANSCRIPTION_JOB], fullLanes: [], limit: 10 });
          await stores.jobs.settle("r", new Map([[job, { kind: "dead", error: "no way" }]]));
          await stores.transcriptions.audioDeleted(id);
          await stores.jobs.replay({ ids: [job] });
          return await get(id);
        };
        expect(await replayed("upload")).toMatchObject({ status: "failed", failure: { code: "abandoned" } });
        expect(await replayed("url")).toMatchObject({ status: "queued", hasAudio: true });
      });

      test("one whose job is cancelled or given up is reported, once that is stored", async () => {
        const reported: unknown[] = [];
        stores.transcriptions.onOver((id, transcription) => reported.push([id, transcription?.status]));
        const [cancelled, dead] = [await create(), await create()];
        const jobs = await Promise.all([cancelled, dead].map(({ id }) => stores.transcriptions.jobOf(id)));
        await stores.jobs.cancel(jobs[0] as JobId);
        await stores.jobs.claim({ runnerId: "r", kinds: [TRANSCRIPTION_JOB], fullLanes: [], limit: 10 });
        await stores.jobs.settle("r", new Map([[jobs[1] as JobId, { kind: "dead", error: "no way" }]]));
        expect(reported).toEqual([
          [cancelled.id, "failed"],
          [dead.id, "failed"],
        ]);
      });

      test("each end, cancellation and removal is reported once", async () => {
        const reported: unknown[] = [];
        stores.transcriptions.onOver((id, transcription) => reported.push([id, transcription?.status]));
        const [ended, cancelled, removed] = [await create(), await create(), await create()];
        for (let times = 0; times < 2; times += 1) {
          await stores.transcriptions.end(ended.id, FAILED);
          await stores.transcriptions.cancel(accountId, cancelled.id);
          await stores.transcriptions.remove(accountId, removed.id);
        }
        expect(reported).toEqual([
          [ended.id, "failed"],
          [cancelled.id, "cancelled"],
          [removed.id, undefined],
        ]);
      });
    });

    describe("deletion", () => {
      test("nothing of a removed one is left, in any state", async () => {
        await subscribe();
        await stores.eventStreams.open(accountId);
        const done = await over();
        const open = await create();
        await stores.transcriptions.requesting(open.id, PART, "deepgram");
        const dead = await create();
        const act = { actor: { kind: "operator", id: "root" } } as const;
        for (const id of [done, open.id, dead.id]) {
          expect(await stores.transcriptions.remove(accountId, id, act)).toBe(true);
          expect(await stores.transcriptions.remove(accountId, id, act)).toBe(false);
          expect(await get(id)).toBeUndefined();
          expect(await stores.transcriptions.jobOf(id)).toBeUndefined();
        }
        expect(await stores.transcriptions.end(open.id, COMPLETED)).toBe(false);
        const sums = await stores.transfer.export(async () => {});
        for (const table of [
          "transcriptions",
          "transcription_parts",
          "transcription_results",
          "transcription_requests",
          "webhook_events",
          "webhook_deliveries",
          "stream_events",
        ])
          expect([table, sums[table]?.rows]).toEqual([table, 0]);
        const { events } = await stores.audit.list(accountId, { action: "transcription.deleted", limit: 10 });
        expect(events.map(({ target }) => target.id)).toEqual([dead.id, open.id, done]);
      });

      test("retention finds those that are over and still have the part, the earliest end first", async () => {
        const due = async (part: "recording" | "transcript" | "record", after?: TranscriptionId) => {
          const of = after && (await get(after));
          const query = { part, endedBeforeMs: clock.epochMs(), limit: 10 };
          const found = await stores.transcriptions.listDue(accountId, {
            ...query,
            ...(of?.endedAtMs !== undefined && { after: { id: of.id, endedAtMs: of.endedAtMs } }),
          });
          return found.map(({ id }) => id);
        };
        const first = await over();
        const cancelled = (await create()).id;
        await stores.transcriptions.cancel(accountId, cancelled);
        const second = await over();
        await create();
        clock.advance(1);
        const late = await over();
        const all = [first, cancelled, second];
        expect(new Set(await due("record"))).toEqual(new Set(all));
        expect(new Set(await due("recording"))).toEqual(new Set(all));
        expect(await due("transcript")).toEqual([first, second]);
        expect(await due("transcript", first)).toEqual([second]);
        clock.advance(1);
        expect(await due("transcript")).toEqual([first, second, late]);
        await stores.transcriptions.audioDeleted(first);
        expect(await get(first)).toMatchObject({ hasAudio: false });
        expect(await due("recording")).not.toContain(first);
        await stores.transcriptions.deleteResult(first);
        expect(await due("transcript")).toEqual([second, late]);
        expect(await stores.transcriptions.result(accountId, first)).toBeUndefined();
        expect(await get(first)).toMatchObject({ status: "completed", resultDeletedAtMs: clock.epochMs() });
      });
    });
  });
}
