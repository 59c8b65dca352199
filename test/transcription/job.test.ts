import { describe, expect, test } from "vitest";
import { epochMs } from "../../src/core/clocks.ts";
import { providerFailed, TrunklineError } from "../../src/core/errors.ts";
import type { AccountId, JobId, TranscriptionId } from "../../src/core/ids.ts";
import { ROOM_AWAITED_MS } from "../../src/core/limits/storage/bucket.ts";
import {
  TRANSCRIPTION_RETRY_DELAYS_MS,
  TRANSCRIPTION_TURN_MS,
} from "../../src/core/limits/transcriptions/transcriptions.ts";
import type { RedactionKind } from "../../src/core/redaction/kinds.ts";
import type { PartKey } from "../../src/core/transcriptions/part.ts";
import type { TranscriptionResult } from "../../src/core/transcriptions/result.ts";
import { JobPostponed } from "../../src/jobs/handler.ts";
import { deserializeError, serializeError } from "../../src/process/renderer/messages.ts";
import type { ClaimedJob } from "../../src/store/job-store.ts";
import type { StoredPart, Transcription, TranscriptionEnd } from "../../src/store/transcription-store.ts";
import { TranscriptionJob, type TranscriptionJobOptions } from "../../src/transcription/job.ts";
import type { Transcriber } from "../../src/transcription/transcriber.ts";
import { memoryLog } from "../support/memory-log.ts";

const ID = "transcription_1" as TranscriptionId;
const ACCOUNT = "account_1" as AccountId;
const PART: PartKey = { channel: 0, startMs: 0, endMs: 1_000 };
const RESULT = { text: "hello", durationMs: 1_000 } as TranscriptionResult;
const OUTCOME = { words: [], hasEstimatedTimes: false, provider: "scripted", usage: [] };

/** One transcription, as a store has it. */
class OneTranscription {
  status: Transcription["status"] = "queued";
  end: TranscriptionEnd | undefined;
  others = 0;
  readonly parts: StoredPart[] = [];
  readonly progress: [number, number | undefined][] = [];
  redact: readonly RedactionKind[] = [];

  get transcription(): Transcription {
    return {
      id: ID,
      accountId: ACCOUNT,
      createdAtMs: epochMs(0),
      status: this.status,
      source: "upload",
      options: {
        language: "en",
        channels: "mix",
        timestamps: "word",
        speakers: false,
        vocabulary: [],
        redact: this.redact,
      },
      metadata: {},
      deletesAudio: false,
      hasAudio: true,
      doneMs: 0,
    };
  }
}

function scene(transcriber: Transcriber["transcribe"], options: Partial<TranscriptionJobOptions> = {}) {
  const stored = new OneTranscription();
  const removed: string[] = [];
  const released: string[] = [];
  const { log } = memoryLog();
  const job = new TranscriptionJob({
    store: {
      find: async () => stored.transcription,
      start: async (_, concurrentMax = Number.POSITIVE_INFINITY) => {
        if (stored.status === "queued" && stored.others < concurrentMax) stored.status = "processing";
        return stored.transcription;
      },
      progress: async (_, doneMs, durationMs) => void stored.progress.push([doneMs, durationMs]),
      parts: async () => stored.parts,
      requesting: async () => stored.status === "processing",
      transcribed: async (_, part, outcome) => void stored.parts.push({ ...part, requests: 1, outcome }),
      end: async (_, end) => {
        if (stored.end !== undefined || stored.status === "cancelled") return false;
        stored.end = end;
        stored.status = end.status;
        return true;
      },
    },
    transcriber: { transcribe: transcriber },
    audioOf: async () => "audio.wav",
    removeAudio: async (id) => void removed.push(id),
    releaseAudio: async ({ id }) => void released.push(id),
    providersOf: async () => ({ credentials: { scripted: "key" } }),
    concurrentMaxOf: async () => undefined,
    onProgress: () => {},
    log,
    ...options,
  });
  const abort = new AbortController();
  const run = (attempt = 1) =>
    job.run(
      { id: "job_1" as JobId, lane: ACCOUNT, payload: { transcriptionId: ID }, attempt } as unknown as ClaimedJob,
      { signal: abort.signal, reportProgress: () => {} },
    );
  return { stored, removed, released, run, abort };
}

test("a file is transcribed with the account's providers, and each part is stored as it comes", async () => {
  const heard: unknown[] = [];
  const onProgress = (progress: unknown) => void heard.push(progress);
  const transcribe: Transcriber["transcribe"] = async ({ path, account, options }, store) => {
    expect({ path, account, language: options.language }).toEqual({
      path: "audio.wav",
      account: { credentials: { scripted: "key" } },
      language: "en",
    });
    expect(await store.requesting(PART, "scripted")).toBe(true);
    await store.transcribed(PART, OUTCOME);
    store.progress(500, 1_000);
    return RESULT;
  };
  const { stored, released, run } = scene(transcribe, { onProgress });
  await run();
  expect(released).toEqual([ID]);
  expect(stored.end).toEqual({ status: "completed", result: RESULT });
  expect(stored.parts).toEqual([{ ...PART, requests: 1, outcome: OUTCOME }]);
  expect(stored.progress).toEqual([[500, 1_000]]);
  expect(heard).toEqual([{ transcriptionId: ID, accountId: ACCOUNT, doneMs: 500, durationMs: 1_000 }]);
});

test("what must not be kept is not in the result that is stored", async () => {
  const said = {
    ...{ text: "it is 4111 1111 1111 1111", language: "en", durationMs: 1_000, channels: 1 },
    ...{ utterances: [], words: [], hasEstimatedTimes: false, parts: [] },
  };
  const { stored, run } = scene(async () => said);
  stored.redact = ["card_number"];
  await run();
  expect(stored.end).toEqual({ status: "completed", result: { ...said, text: "it is [card number]" } });
});

test("another attempt is given the parts of the first, also where the account may have no more at once", async () => {
  const { stored, run } = scene(
    async ({ parts }) => {
      expect(parts).toHaveLength(1);
      return RESULT;
    },
    { concurrentMaxOf: async () => 1 },
  );
  stored.status = "processing";
  stored.others = 1;
  stored.parts.push({ ...PART, requests: 1, outcome: OUTCOME });
  await run(2);
  expect(stored.end?.status).toBe("completed");
});

describe("a failure", () => {
  test("of a provider is attempted again, and after the last attempt it is the end, in words", async () => {
    const { stored, run } = scene(() => Promise.reject(providerFailed("scripted", "refused with status 500")));
    await expect(run()).rejects.toMatchObject({ code: "provider_failed" });
    expect(stored.end).toBeUndefined();
    await run(TRANSCRIPTION_RETRY_DELAYS_MS.length + 1);
    expect(stored.end).toEqual({
      status: "failed",
      failure: { code: "provider_failed", message: "the speech providers did not transcribe the audio" },
    });
  });

  test("of the file is the end at once, with what is wrong with it", async () => {
    const unreadable = new TrunklineError("audio_unreadable", "caller", "the file has no audio");
    const { stored, run } = scene(() => Promise.reject(unreadable));
    await run();
    expect(stored.end).toEqual({
      status: "failed",
      failure: { code: "audio_unreadable", message: "the file has no audio" },
    });
  });

  test("that is a defect of ours, or the system's, says nothing of itself to the account, also from the transcriber", async () => {
    const error = deserializeError(serializeError(new TypeError("/secret/path is not a function")));
    const { stored, run } = scene(() => Promise.reject(error));
    await run(TRANSCRIPTION_RETRY_DELAYS_MS.length + 1);
    expect(stored.end).toMatchObject({ failure: { code: "internal", message: "the audio could not be processed" } });
  });
});

test("one that was cancelled is not begun, and one that is cancelled meanwhile does not end again", async () => {
  const { stored, run } = scene(async () => {
    stored.status = "cancelled";
    return RESULT;
  });
  await run();
  expect(stored.end).toBeUndefined();
  await run();
  expect(stored.end).toBeUndefined();
});

test("an abort leaves it as it is, for the next attempt", async () => {
  const { stored, run, abort } = scene(async () => {
    abort.abort(new Error("the service stops"));
    throw new Error("stopped");
  });
  await expect(run()).rejects.toThrow("the service stops");
  expect(stored.status).toBe("processing");
});

test("it is postponed while its audio cannot be fetched for want of room, also at the last attempt", async () => {
  const postponed = new JobPostponed(ROOM_AWAITED_MS);
  const { stored, run } = scene(async () => RESULT, { audioOf: () => Promise.reject(postponed) });
  await expect(run(TRANSCRIPTION_RETRY_DELAYS_MS.length + 1)).rejects.toBe(postponed);
  expect(stored.end).toBeUndefined();
});

test("it is postponed while its account has as many in progress as it may, and holds no place meanwhile", async () => {
  const { stored, run } = scene(async () => RESULT, { concurrentMaxOf: async () => 2 });
  stored.others = 2;
  await expect(run()).rejects.toEqual(new JobPostponed(TRANSCRIPTION_TURN_MS));
  expect(stored.status).toBe("queued");
  stored.others = 1;
  await run();
  expect(stored.end?.status).toBe("completed");
});

test("audio that was fetched for one that was cancelled meanwhile is removed", async () => {
  const cancelled = scene(async () => RESULT, {
    audioOf: async () => {
      cancelled.stored.status = "cancelled";
      return "audio.wav";
    },
  });
  await expect(cancelled.run()).rejects.toMatchObject({ code: "unavailable" });
  expect(cancelled.removed).toEqual([ID]);
});
