import { CARRIER_RATE_HZ } from "../../../src/core/limits/streams/media.ts";
import type { ResamplerFactory } from "../../../src/media/resampler.ts";
import type { Random } from "../../../test/support/random.ts";
import { isOneSentence, type Language, type Prompt, readPrompts } from "../../hearing/prompts.ts";
import { clearRunsOf } from "../../hearing/truth.ts";
import { KINDS, type UtteranceKind } from "../script.ts";
import { type SpokenWord, WordTimes } from "../words/word-times.ts";

// What callers of one language say, with the time of each word.

/** Development speech: rules and weights are made with these languages. */
export const DEVELOPMENT_LANGUAGES = ["it", "ru"] as const satisfies readonly Language[];
/** No rule or weight was chosen by them. */
export const HELD_OUT_LANGUAGES = ["en", "es", "fr"] as const satisfies readonly Language[];

/**
 * What callers say: the kinds of the bench, and single sentences into which a pause was cut between two words, as somebody makes who
 * looks for the next one. Those are made, and not said.
 */
export const SPOKEN_KINDS = [...KINDS, "hesitation"] as const;
export type SpokenKind = UtteranceKind | "hesitation";

/** One utterance: 8,000 Hz, from its first clear sample on. The voice dies away after its last clear sample, as it was recorded. */
export interface TimedUtterance {
  kind: SpokenKind;
  samples: Float32Array;
  /** The sample after the last clear one. */
  clearEnd: number;
  /** Samples count from the utterance's first. */
  words: readonly SpokenWord[];
}

/** What one speaker can say. */
export interface Speaker {
  language: Language;
  draw(kind: SpokenKind, random: Random): TimedUtterance;
  /** All prompts of that kind, once; those that are strung together are drawn instead. */
  all(kind: "single sentence" | "several sentences"): readonly TimedUtterance[];
}

const LEAST_TEXT_CHARS = 2;
/** Longer ones are menus, which are no turns of a caller and would be half of the speech. */
const LONGEST_S = 20;
/** How many digits or letters are strung together, and the pauses between them. */
const HESITATION = { words: 4, pauseS: [0.2, 0.8], fadeSamples: 40 } as const;
const STRUNG = { count: [4, 7], pauseS: [0.1, 0.4] } as const;

/** The speakers of `languages`, one each, with the words of all that they say. Takes some seconds for each. */
export async function readSpeakers(
  cacheDir: string,
  languages: readonly Language[],
  makeResampler: ResamplerFactory,
): Promise<Speaker[]> {
  const times = new WordTimes(makeResampler);
  try {
    const speakers: Speaker[] = [];
    for (const language of languages)
      speakers.push(await speakerOf(readPrompts(cacheDir, language, makeResampler), times));
    return speakers;
  } finally {
    times.close();
  }
}

async function speakerOf(prompts: readonly Prompt[], times: WordTimes): Promise<Speaker> {
  const said = { single: [] as TimedUtterance[], several: [] as TimedUtterance[] };
  const digits: TimedUtterance[] = [];
  const letters: TimedUtterance[] = [];
  for (const prompt of prompts) {
    const { name, language, samples } = prompt;
    // Notes of the writers: "[*] star".
    const text = prompt.text?.replaceAll(/\[[^\]]*\]/g, "").trim() ?? "";
    if (text.length < LEAST_TEXT_CHARS && !/^letters\/\w$/.test(name)) continue;
    if (samples.length > LONGEST_S * CARRIER_RATE_HZ) continue;
    const isListed = /^(digits|letters|phonetic)\//.test(name);
    if (isListed && !/^(digits\/\d|letters\/[a-z])$/.test(name)) continue;
    const runs = clearRunsOf(samples);
    const [from, to] = [runs[0]?.from, runs.at(-1)?.to];
    if (from === undefined || to === undefined) continue;
    const clear = samples.subarray(from, to);
    const sound = { samples: samples.subarray(from), clearEnd: clear.length };
    if (isListed) {
      const utterance = { ...sound, words: [{ text: text.toLowerCase(), from: 0, to: clear.length }] };
      if (name.startsWith("digits")) digits.push({ kind: "number", ...utterance });
      else letters.push({ kind: "spelling", ...utterance });
      continue;
    }
    const words = await times.of(clear, text, language);
    if (words.length === 0) continue;
    if (isOneSentence(text)) said.single.push({ kind: "single sentence", ...sound, words });
    else said.several.push({ kind: "several sentences", ...sound, words });
  }
  const draws: Record<SpokenKind, (random: Random) => TimedUtterance> = {
    "single sentence": (random) => random.pick(said.single),
    "several sentences": (random) => random.pick(said.several),
    number: (random) => strung("number", digits, random),
    spelling: (random) => strung("spelling", letters, random),
    hesitation: (random) =>
      hesitating(random.pick(said.single.filter(({ words }) => words.length >= HESITATION.words)), random),
  };
  const language = prompts[0]?.language;
  if (language === undefined) throw new Error("a speaker must have prompts");
  return {
    language,
    draw: (kind, random) => draws[kind](random),
    all: (kind) => (kind === "single sentence" ? said.single : said.several),
  };
}

/** Single words with short pauses between them, as somebody says a number or spells a name. */
function strung(kind: SpokenKind, words: readonly TimedUtterance[], random: Random): TimedUtterance {
  const chosen = Array.from({ length: random.whole(...STRUNG.count) }, () => random.pick(words));
  const placed: { at: number; utterance: TimedUtterance }[] = [];
  let end = 0;
  for (const utterance of chosen) {
    placed.push({ at: end, utterance });
    end += utterance.clearEnd + Math.round(random.between(...STRUNG.pauseS) * CARRIER_RATE_HZ);
  }
  const last = placed.at(-1) as (typeof placed)[number];
  const samples = new Float32Array(last.at + last.utterance.samples.length);
  for (const { at, utterance } of placed) {
    for (const [n, sample] of utterance.samples.entries()) {
      if (at + n < samples.length) samples[at + n] = (samples[at + n] as number) + sample;
    }
  }
  return {
    kind,
    samples,
    clearEnd: last.at + last.utterance.clearEnd,
    words: placed.flatMap(({ at, utterance }) =>
      utterance.words.map(({ text, from, to }) => ({ text, from: at + from, to: at + to })),
    ),
  };
}

/** The same words with a pause before one of them. */
function hesitating({ samples, clearEnd, words }: TimedUtterance, random: Random): TimedUtterance {
  const next = random.whole(1, words.length - 1);
  const cut = (words[next - 1] as SpokenWord).to;
  const gap = Math.round(random.between(...HESITATION.pauseS) * CARRIER_RATE_HZ);
  const longer = new Float32Array(samples.length + gap);
  longer.set(samples.subarray(0, cut), 0);
  longer.set(samples.subarray(cut), cut + gap);
  for (let at = 0; at < HESITATION.fadeSamples; at += 1) {
    const weight = at / HESITATION.fadeSamples;
    longer[cut - 1 - at] = weight * (longer[cut - 1 - at] as number);
    longer[cut + gap + at] = weight * (longer[cut + gap + at] as number);
  }
  const moved = ({ text, from, to }: SpokenWord, index: number): SpokenWord =>
    index < next ? { text, from, to: Math.min(to, cut) } : { text, from: from + gap, to: to + gap };
  return { kind: "hesitation", samples: longer, clearEnd: clearEnd + gap, words: words.map(moved) };
}
