import type { ClosableTts } from "../contracts.ts";
import { createEspeakTts } from "../tts/providers/espeak/espeak.ts";
import type { EspeakPoolOptions } from "../tts/providers/espeak/pool.ts";

/**
 * The reference voice: eSpeak's speech, low-passed at 2.4 kHz, carrying its own words as data above that (word-carrier.ts), so
 * that the reference ear knows what was heard, to the word. An instrument for demos, tests and load runs.
 *
 * Speaks at 8,000 Hz, the telephone's rate: there is nothing in it that a higher rate would keep, and carrier legs take it
 * as it is. A word ends when its sound and its data are both over; the data of a last short word may outlast the sound.
 */
export const createReferenceTts = (options: EspeakPoolOptions): ClosableTts =>
  createEspeakTts("reference", true, options);
