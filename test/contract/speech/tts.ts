import { describe, expect, test } from "vitest";
import type { Tts, TtsChunk } from "../../../src/speech/contracts.ts";

interface TtsUnderTest {
  tts: Tts;
  voiceId: string;
  /** Advances the time until `promise` has settled. */
  drive<T>(promise: Promise<T>): Promise<T>;
}

const TEXT = "Good morning, this is  a text of some length: it has numbers (12.50), and two sentences. Is that all?";

/** The contract of every Tts. Each provider's test calls this with its own subject. */
export function ttsContract(name: string, make: () => Promise<TtsUnderTest>): void {
  /** Collects the chunks; aborts after `abortAfter` of them. */
  const collect = async ({ tts, voiceId }: TtsUnderTest, abortAfter = Number.POSITIVE_INFINITY, text = TEXT) => {
    const abortController = new AbortController();
    const chunks: TtsChunk[] = [];
    for await (const chunk of tts.speak({ text, voiceId, language: "en-US" }, abortController.signal)) {
      chunks.push(chunk);
      if (chunks.length === abortAfter) abortController.abort();
    }
    return chunks;
  };

  describe(`Tts contract: ${name}`, () => {
    test("offers voices with unique ids and languages in BCP 47", async () => {
      const { tts, voiceId } = await make();
      const voices = await tts.voices();
      expect(voices.map((voice) => voice.id)).toContain(voiceId);
      expect(new Set(voices.map((voice) => voice.id)).size).toBe(voices.length);
      for (const voice of voices) {
        expect(voice.id.startsWith(`${tts.provider}/`)).toBe(true);
        expect(voice.provider).toBe(tts.provider);
        expect(Intl.getCanonicalLocales(voice.language)).toEqual([voice.language]);
        expect(voice.name).not.toBe("");
      }
    });

    test("speaks in several chunks of one rate", async () => {
      const subject = await make();
      const chunks = await subject.drive(collect(subject));
      expect(chunks.length).toBeGreaterThan(1);
      expect(new Set(chunks.map((chunk) => chunk.rateHz)).size).toBe(1);
      const samples = chunks.flatMap((chunk) => [...chunk.samples]);
      const seconds = samples.length / (chunks[0]?.rateHz ?? Number.NaN);
      expect(seconds).toBeGreaterThan(1);
      expect(seconds).toBeLessThan(15);
      expect(samples.filter((sample) => Math.abs(sample) > 500).length / samples.length).toBeGreaterThan(0.2);
    });

    test("times every word of the text, in order and within the audio", async () => {
      const subject = await make();
      const chunks = await subject.drive(collect(subject));
      const words = chunks.flatMap((chunk) => [...chunk.words]);
      if (!subject.tts.capabilities.wordTimestamps) {
        expect(words).toEqual([]);
        return;
      }
      expect(words.map((word) => word.text).join(" ")).toBe(TEXT.replaceAll(/\s+/g, " "));
      const rateHz = chunks[0]?.rateHz ?? Number.NaN;
      const endMs = (chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0) * 1_000) / rateHz;
      let before = { startMs: 0, endMs: 0 };
      for (const word of words) {
        expect(word.startMs).toBeGreaterThanOrEqual(before.startMs);
        expect(word.endMs).toBeGreaterThanOrEqual(before.endMs);
        expect(word.endMs).toBeGreaterThan(word.startMs);
        before = word;
      }
      expect(before.endMs).toBeLessThanOrEqual(endMs + 1);
    });

    test("never changes a chunk after yielding it", async () => {
      const subject = await make();
      const abortController = new AbortController();
      const taken: { chunk: TtsChunk; copy: Int16Array }[] = [];
      const take = async () => {
        const request = { text: TEXT, voiceId: subject.voiceId, language: "en-US" };
        for await (const chunk of subject.tts.speak(request, abortController.signal)) {
          taken.push({ chunk, copy: chunk.samples.slice() });
        }
      };
      await subject.drive(take());
      for (const { chunk, copy } of taken) expect(chunk.samples).toEqual(copy);
    });

    test("emits nothing after an abort", async () => {
      const subject = await make();
      expect(await subject.drive(collect(subject, 1))).toHaveLength(1);
    });

    test("emits nothing when it was aborted before the request", async () => {
      const { tts, voiceId, drive } = await make();
      const speak = async () => {
        for await (const _ of tts.speak({ text: TEXT, voiceId, language: "en-US" }, AbortSignal.abort())) {
          expect.fail("spoke");
        }
      };
      await drive(speak());
    });

    test("continues to speak after another request was aborted", async () => {
      const subject = await make();
      await subject.drive(collect(subject, 1));
      const chunks = await subject.drive(collect(subject, Number.POSITIVE_INFINITY, "One more."));
      expect(chunks.length).toBeGreaterThan(0);
    });

    test("speaks several texts concurrently, each completely", async () => {
      const subject = await make();
      const texts = ["The first one.", "The second of them.", "A third."];
      const all = await subject.drive(
        Promise.all(texts.map((text) => collect(subject, Number.POSITIVE_INFINITY, text))),
      );
      for (const [index, chunks] of all.entries()) {
        expect(chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0)).toBeGreaterThan(0);
        if (subject.tts.capabilities.wordTimestamps) {
          expect(chunks.flatMap((chunk) => chunk.words.map((word) => word.text)).join(" ")).toBe(texts[index]);
        }
      }
    });
  });
}
