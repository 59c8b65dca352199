import { setImmediate } from "node:timers/promises";
import {
  BATCH_CONCURRENT_MAX,
  BATCH_PART_MS_MAX,
  BATCH_PART_MS_MIN,
} from "../../core/limits/transcriptions/batch-stt.ts";
import type { PartWord } from "../../core/transcriptions/part.ts";
import { BATCH_RATE_HZ, type BatchStt } from "../stt/batch/contract.ts";
import { WatermarkDecoder } from "./watermark/decoder.ts";
import { wordFrame } from "./watermark/frame.ts";
import { BAUD, BYTE_BITS, PREAMBLE_BITS } from "./watermark/modulation.ts";

/** The decoder decides this much later, ms: so much silence follows the audio, so that its last word is complete. */
const DECISION_MS = 50;
/** Between two decoded stretches other work of the process has its turn. */
const STRETCH_SAMPLES = 60 * BATCH_RATE_HZ;

/**
 * The reference STT for recordings: the words that the reference TTS has put into the audio, each with the time that its watermark
 * takes in the audio.
 */
export const createReferenceBatchStt = (): BatchStt => ({
  provider: "reference",
  capabilities: {
    partMsMax: BATCH_PART_MS_MAX,
    partMsMin: BATCH_PART_MS_MIN,
    vocabulary: false,
    detectsLanguage: false,
    concurrentMax: BATCH_CONCURRENT_MAX,
  },
  async transcribe({ samples }, signal) {
    const durationMs = (samples.length * 1_000) / BATCH_RATE_HZ;
    const words: PartWord[] = [];
    const decoder = new WatermarkDecoder(BATCH_RATE_HZ, Number.POSITIVE_INFINITY, {
      onWord(text, atMs) {
        const endMs = Math.min(durationMs, atMs);
        const earliestMs = words.at(-1)?.endMs ?? 0;
        words.push({ text, startMs: Math.min(endMs, Math.max(earliestMs, endMs - watermarkMs(text))), endMs });
      },
      onQuiet() {},
    });
    for (let at = 0; at < samples.length; at += STRETCH_SAMPLES) {
      signal.throwIfAborted();
      decoder.write(samples.subarray(at, at + STRETCH_SAMPLES));
      await setImmediate();
    }
    decoder.write(new Int16Array((DECISION_MS * BATCH_RATE_HZ) / 1_000));
    signal.throwIfAborted();
    return { words, hasEstimatedTimes: false };
  },
});

/** How long the watermark of a word is, ms. */
const watermarkMs = (word: string): number =>
  ((PREAMBLE_BITS + (wordFrame(word)?.length ?? 0) * BYTE_BITS) * 1_000) / BAUD;
