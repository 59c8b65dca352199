import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import { comparableWords } from "../../src/core/text/word-errors.ts";
import { mulawDecode, mulawEncode } from "../../src/media/g711.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import type { PROMPT_LANGUAGES } from "../hearing/packages.ts";
import { FULL_SCALE, readPrompts } from "../hearing/prompts.ts";
import { CLIP_RATE_HZ, readClips, resampled } from "../stt/clips.ts";

// Speech with its words in several languages: prompts of Asterisk, one speaker each, and read English prose.

/** `reading` is English, recorded at 16,000 Hz; all others were recorded at 8,000 Hz. */
export const SPEECH_SETS = ["reading", "en", "it", "ru", "es", "fr"] as const;
export type SpeechSet = (typeof SPEECH_SETS)[number];

export const CONDITIONS = ["clean", "G.711"] as const;
export type Condition = (typeof CONDITIONS)[number];

export interface Utterance {
  name: string;
  /** A code of `GET /languages`. */
  language: string;
  words: readonly string[];
  /** 16,000 Hz, -1 to 1. */
  samples: Record<Condition, Float32Array>;
}

const WORDS_MIN = 3;
const UTTERANCE_MS_MAX = 20_000;
/** A text with digits or notes in brackets is not what is said, word by word. */
const UNCLEAR_TEXT = /[\d[(<]/;

/** At most `count` utterances of a set, evenly from all whose words are known; the same ones each time. */
export function readSpeech(
  cacheDir: string,
  set: SpeechSet,
  count: number,
  makeResampler: ResamplerFactory,
): Utterance[] {
  return set === "reading"
    ? readReading(cacheDir, count, makeResampler)
    : readPromptSet(cacheDir, set, count, makeResampler);
}

const readReading = (cacheDir: string, count: number, makeResampler: ResamplerFactory): Utterance[] =>
  evenly(
    readClips(cacheDir, makeResampler).filter(({ group }) => group === "reading" || group === "commands"),
    count,
  ).map(({ name, text, samples }) => ({
    name,
    language: "en",
    words: comparableWords(text),
    samples: { clean: unit(samples), "G.711": unit(telephone(samples, makeResampler)) },
  }));

function readPromptSet(
  cacheDir: string,
  language: (typeof PROMPT_LANGUAGES)[number],
  count: number,
  makeResampler: ResamplerFactory,
): Utterance[] {
  const clear = readPrompts(cacheDir, language, makeResampler).flatMap(({ name, text = "", samples }) => {
    const words = comparableWords(text, { numbers: language === "en" });
    const isClear = words.length >= WORDS_MIN && !UNCLEAR_TEXT.test(text);
    return isClear && samples.length <= (CARRIER_RATE_HZ * UTTERANCE_MS_MAX) / 1_000 ? [{ name, words, samples }] : [];
  });
  return evenly(clear, count).map(({ name, words, samples }) => {
    const narrow = Int16Array.from(samples, (sample) => Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, sample)));
    const wide = (heard: Int16Array): Float32Array =>
      unit(resampled(heard, CARRIER_RATE_HZ, CLIP_RATE_HZ, makeResampler));
    return { name, language, words, samples: { clean: wide(narrow), "G.711": wide(throughMulaw(narrow)) } };
  });
}

const evenly = <Item>(items: readonly Item[], count: number): Item[] =>
  items.length <= count
    ? [...items]
    : Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)] as Item);

function telephone(samples: Int16Array, makeResampler: ResamplerFactory): Int16Array {
  const narrow = resampled(samples, CLIP_RATE_HZ, CARRIER_RATE_HZ, makeResampler);
  return resampled(throughMulaw(narrow), CARRIER_RATE_HZ, CLIP_RATE_HZ, makeResampler);
}

function throughMulaw(samples: Int16Array): Int16Array {
  const bytes = new Uint8Array(samples.length);
  mulawEncode(samples, bytes);
  const decoded = new Int16Array(samples.length);
  mulawDecode(bytes, decoded);
  return decoded;
}

const unit = (samples: Int16Array): Float32Array => Float32Array.from(samples, (sample) => sample / FULL_SCALE);
