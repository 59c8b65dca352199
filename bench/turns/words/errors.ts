import { CARRIER_RATE_HZ } from "../../../src/core/limits/streams/media.ts";
import type { ResamplerFactory } from "../../../src/media/resampler.ts";
import { type Language, readPrompts } from "../../hearing/prompts.ts";
import { pausesOf, WordTimes } from "./word-times.ts";

/** How far the word times are from the pauses that are in the recordings. */
export interface WordTimeErrors {
  language: Language;
  /** Ends of sentences that were compared. */
  ends: number;
  p50Ms: number;
  p90Ms: number;
}

const PAUSE_SAMPLES_MIN = 0.2 * CARRIER_RATE_HZ;
const LONGEST_SAMPLES = 20 * CARRIER_RATE_HZ;
const ONE_END_WITHIN = /^[^.!?…]+[.!?]\s[^.!?…]+[.!?]?\s*$/;

/**
 * Over the prompts with two sentences and one pause: how far the end of the first sentence, as warped and not yet moved to a pause, is
 * from that pause. Where the pause is elsewhere in the sentences, the error is that of the assumption.
 */
export async function wordTimeErrors(
  cacheDir: string,
  languages: readonly Language[],
  makeResampler: ResamplerFactory,
): Promise<WordTimeErrors[]> {
  const times = new WordTimes(makeResampler);
  try {
    const found: WordTimeErrors[] = [];
    for (const language of languages) {
      const errorsMs: number[] = [];
      for (const { samples, text = "" } of readPrompts(cacheDir, language, makeResampler)) {
        if (samples.length > LONGEST_SAMPLES || !ONE_END_WITHIN.test(text)) continue;
        const [pause, ...others] = pausesOf(samples, PAUSE_SAMPLES_MIN);
        if (pause === undefined || others.length > 0) continue;
        const words = await times.of(samples, text, language, false);
        const end = words.slice(0, -1).find(({ text: word }) => /[.!?]$/.test(word))?.to;
        if (end === undefined) continue;
        errorsMs.push((1_000 * Math.max(pause.from - end, end - pause.to, 0)) / CARRIER_RATE_HZ);
      }
      errorsMs.sort((a, b) => a - b);
      const at = (share: number): number => errorsMs[Math.floor(errorsMs.length * share)] ?? Number.NaN;
      found.push({ language, ends: errorsMs.length, p50Ms: at(0.5), p90Ms: at(0.9) });
    }
    return found;
  } finally {
    times.close();
  }
}
