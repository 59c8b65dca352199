import type { ClosableTts } from "../contracts.ts";
import { createEspeakTts } from "../tts/providers/espeak/adapter.ts";
import type { EspeakPoolOptions } from "../tts/providers/espeak/pool.ts";

/**
 * The reference TTS: eSpeak's speech, low-passed at 2.4 kHz, with its words as an audio watermark above that
 * (watermark/modulation.ts), so that the reference STT knows to the word what was heard. A test instrument for demos,
 * tests and load runs.
 *
 * It speaks at 8,000 Hz, the telephone's rate: a higher rate would contain nothing more, and carrier legs need not
 * resample it. A word ends when its sound and its watermark have both ended; the watermark of a short last word may be
 * longer than its sound.
 */
export const createReferenceTts = (options: EspeakPoolOptions): ClosableTts =>
  createEspeakTts("reference", true, options);
