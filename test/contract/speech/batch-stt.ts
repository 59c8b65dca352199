import { describe, expect, test } from "vitest";
import { BATCH_REQUEST_MS_MAX } from "../../../src/core/limits/transcriptions/batch-stt.ts";
import type { BatchRequest, BatchStt } from "../../../src/speech/stt/batch/contract.ts";
import { transcribeInTime } from "../../../src/speech/stt/batch/fallback.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import type { FakeTranscript } from "../../support/providers/stt/batch-fakes.ts";
import { type BatchAnswer, type BatchServer, FAULTS } from "../../support/providers/stt/batch-server.ts";
import { eventually, STT_KEY } from "../../support/providers/stt/stt-kit.ts";

export const WORDS = [
  { text: "Good", startMs: 100, endMs: 400 },
  { text: "morning,", startMs: 400, endMs: 900, speaker: 0 },
  { text: "Anna.", startMs: 1_100, endMs: 1_600, speaker: 1 },
];
/** Two seconds of a hum. */
export const AUDIO = Int16Array.from({ length: 32_000 }, (_, at) => Math.round(3_000 * Math.sin(at / 10)));

export const requestOf = (options: Partial<BatchRequest> = {}): BatchRequest => ({
  samples: AUDIO,
  language: "en",
  speakers: false,
  vocabulary: [],
  ...options,
});
export const transcribed = (
  stt: BatchStt,
  options: Partial<BatchRequest> = {},
  signal = new AbortController().signal,
) => stt.transcribe(requestOf(options), signal);

/** A batch adapter with a fake of its provider, which understands `transcript`, or has a fault. */
export interface BatchSubject {
  stt: BatchStt;
  server: BatchServer;
  /** What the fake was sent. */
  sent(): Promise<{ language: string | undefined; detects: boolean; vocabulary: readonly string[] }>;
}

/** A batch adapter, and audio in which it understands `text`. `drive` lets its time pass. */
export interface AnyBatchSubject {
  stt: BatchStt;
  samples: Int16Array;
  text: string;
  drive<T>(pending: Promise<T>): Promise<T>;
}

/** What holds for every batch adapter. */
export function anyBatchSttContract(name: string, start: () => Promise<AnyBatchSubject>): void {
  describe(`any batch adapter: ${name}`, () => {
    test("has the words of a part in their order, with whole times within it", async () => {
      const { stt, samples, text, drive } = await start();
      const { words } = await drive(transcribed(stt, { samples }));
      expect(words.map((word) => word.text).join(" ")).toBe(text);
      const times = words.flatMap(({ startMs, endMs }) => [startMs, endMs]);
      expect(times.toSorted((a, b) => a - b)).toEqual(times);
      expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...times)).toBeLessThanOrEqual(samples.length / 16);
    });

    test("changes no sample, and understands the same again", async () => {
      const { stt, samples, drive } = await start();
      const before = samples.slice();
      const first = await drive(transcribed(stt, { samples }));
      expect(await drive(transcribed(stt, { samples }))).toEqual(first);
      expect(samples).toEqual(before);
    });

    test("of no audio has no words", async () => {
      const { stt, drive } = await start();
      expect((await drive(transcribed(stt, { samples: new Int16Array(0) }))).words).toEqual([]);
    });

    test("rejects with the reason of an abort that came first", async () => {
      const { stt, samples } = await start();
      await expect(transcribed(stt, { samples }, AbortSignal.abort("cancelled"))).rejects.toBe("cancelled");
    });

    test("takes parts that are longer than an overlap, and has room for at least one request", async () => {
      const { capabilities } = (await start()).stt;
      expect(capabilities.partMsMax).toBeGreaterThanOrEqual(30_000);
      expect(capabilities.speakersPartMsMax ?? capabilities.partMsMax).toBeGreaterThanOrEqual(capabilities.partMsMax);
      expect(capabilities.concurrentMax).toBeGreaterThanOrEqual(1);
    });
  });
}

/** What holds for every batch adapter of a provider on the network, beside that. */
export function batchSttContract(
  name: string,
  start: (transcript: FakeTranscript, fault?: BatchAnswer) => Promise<BatchSubject>,
): void {
  const failing = async (fault: BatchAnswer): Promise<{ error: Error & { code?: string }; server: BatchServer }> => {
    const { stt, server } = await start({ words: WORDS }, fault);
    const error = await transcribed(stt).then(
      () => expect.fail("was transcribed"),
      (thrown: unknown) => thrown as Error,
    );
    expect(error.message).not.toContain(STT_KEY);
    expect(error.message).not.toContain("secret");
    return { error, server };
  };

  anyBatchSttContract(name, async () => {
    const { stt } = await start({ words: WORDS });
    return { stt, samples: AUDIO, text: "Good morning, Anna.", drive: (pending) => pending };
  });

  describe(`the batch adapter of ${name}`, () => {
    test("transcribes a part in one go: its words with their times and punctuation", async () => {
      const { stt } = await start({ words: WORDS });
      const { words, hasEstimatedTimes } = await transcribed(stt);
      expect(words.map(({ text, startMs, endMs }) => ({ text, startMs, endMs }))).toEqual(
        WORDS.map(({ text, startMs, endMs }) => ({ text, startMs, endMs })),
      );
      expect(hasEstimatedTimes).toBe(false);
    });

    test("of audio without words has none", async () => {
      const { stt } = await start({ words: [] });
      expect((await transcribed(stt)).words).toEqual([]);
    });

    test("sends the language, and the vocabulary where it has one", async () => {
      const { stt, sent } = await start({ words: WORDS });
      const { language } = await transcribed(stt, { language: "de-DE", vocabulary: ["Anna", "Trunkline"] });
      expect(await sent()).toMatchObject({ language: "de", detects: false });
      expect((await sent()).vocabulary).toEqual(stt.capabilities.vocabulary ? ["Anna", "Trunkline"] : []);
      expect(language).toBeUndefined();
    });

    test("sends no more of a vocabulary than the provider takes", async () => {
      const { stt, sent } = await start({ words: WORDS });
      await transcribed(stt, { vocabulary: Array.from({ length: 1_000 }, (_, at) => `word${at}`) });
      expect((await sent()).vocabulary.length).toBeLessThanOrEqual(200);
    });

    test("detects the language where it can, and reports it", async () => {
      const { stt, sent } = await start({ words: WORDS, detected: "fr" });
      if (!stt.capabilities.detectsLanguage) return;
      expect((await transcribed(stt, { language: "auto" })).language).toBe("fr");
      expect(await sent()).toMatchObject({ language: undefined, detects: true });
    });

    test("tells speakers apart where it can, by numbers from 0", async () => {
      const { stt } = await start({ words: WORDS });
      const { words } = await transcribed(stt, { speakers: true });
      const speakers = stt.capabilities.speakersPartMsMax === undefined ? [undefined, undefined] : [0, 1];
      expect(words.slice(1).map(({ speaker }) => speaker)).toEqual(speakers);
    });

    test("sends the API key, and its audio whole", async () => {
      const { stt, server } = await start({ words: WORDS });
      await transcribed(stt);
      expect(server.seen[0]?.headers.authorization).toContain(STT_KEY);
      expect(server.seen[0]?.body.length).toBeGreaterThan(AUDIO.byteLength);
    });

    test.each([
      [401, {}, undefined],
      [429, { "retry-after": "7" }, 7_000],
      [500, {}, undefined],
    ] as const)("fails when it is refused with %s, and says why as data", async (status, headers, retryAfterMs) => {
      const { error } = await failing(FAULTS.status(status, headers));
      expect(error).toMatchObject({ code: "provider_failed", cause: { status, retryAfterMs } });
    });

    test.each(["html", "otherJson", "breaksOff", "tooLarge"] as const)("fails when its server %s", async (fault) => {
      const { error } = await failing(FAULTS[fault]);
      expect(error).toMatchObject({ code: "provider_failed" });
    });

    test.each(["hangs", "neverEnds"] as const)("has failed when its server %s, and disconnects", async (fault) => {
      const { stt, server } = await start({ words: WORDS }, FAULTS[fault]);
      const clock = new ManualClock();
      const pending = transcribeInTime(stt, requestOf(), new AbortController().signal, clock);
      const failed = expect(pending).rejects.toMatchObject({ code: "provider_failed", cause: { timedOut: true } });
      await eventually(() => server.seen.length).toBe(1);
      await clock.play(BATCH_REQUEST_MS_MAX);
      await failed;
      await eventually(() => server.cancelled).toBe(1);
    });

    test("rejects with the reason of an abort, and disconnects", async () => {
      const { stt, server } = await start({ words: WORDS }, FAULTS.hangs);
      const abortController = new AbortController();
      const pending = transcribed(stt, {}, abortController.signal);
      const failed = expect(pending).rejects.toBe("cancelled");
      await eventually(() => server.seen.length).toBe(1);
      abortController.abort("cancelled");
      await failed;
      await eventually(() => server.cancelled).toBe(1);
    });

    test("sends nothing after an abort, and nothing of no audio", async () => {
      const { stt, server } = await start({ words: WORDS });
      await expect(transcribed(stt, {}, AbortSignal.abort("cancelled"))).rejects.toBe("cancelled");
      await transcribed(stt, { samples: new Int16Array(0) });
      expect(server.seen).toHaveLength(0);
    });
  });
}
