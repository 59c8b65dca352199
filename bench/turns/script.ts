import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { Random } from "../../test/support/random.ts";
import { isOneSentence, type Prompt } from "../hearing/prompts.ts";
import { clearRunsOf } from "../hearing/truth.ts";

// What scripted callers say: one utterance a turn, with the times at which its words can be known. Samples count from the
// utterance's first clear sample.

/** Words that are spoken without a pause of PAUSE_SAMPLES_MIN, and end before one. */
export interface Phrase {
  text: string;
  from: number;
  to: number;
}

/** What a caller says before wanting an answer. */
export interface CallerUtterance {
  /** 8,000 Hz; begins and ends with clear speech. */
  samples: Float32Array;
  phrases: readonly Phrase[];
}

/** Pauses at which an STT ends a transcript. */
const PAUSE_SAMPLES_MIN = 0.3 * CARRIER_RATE_HZ;
const DIGITS = { count: [4, 7], pauseS: [0.1, 0.4] } as const;
const LEAST_TEXT_CHARS = 2;

export const KINDS = ["single sentence", "several sentences", "number", "spelling"] as const;
export type UtteranceKind = (typeof KINDS)[number];

/** Draws utterances of each kind, where the prompts have them. */
export function utterancesOf(prompts: readonly Prompt[]): Record<UtteranceKind, (random: Random) => CallerUtterance> {
  const known = prompts.filter(({ text }) => text !== undefined && text.length >= LEAST_TEXT_CHARS);
  const plain = known.filter(({ name }) => !/^(digits|letters|phonetic)\//.test(name));
  const single = plain.filter(({ text }) => isOneSentence(text as string)).map(utteranceOf);
  const several = plain.filter(({ text }) => !isOneSentence(text as string)).map(utteranceOf);
  const digits = known.filter(({ name }) => /^digits\/\d$/.test(name)).map(utteranceOf);
  const letters = known.filter(({ name }) => /^letters\/\w$/.test(name)).map(utteranceOf);
  return {
    "single sentence": (random) => random.pick(single),
    "several sentences": (random) => random.pick(several),
    number: (random) => strung(digits, random),
    spelling: (random) => strung(letters, random),
  };
}

/** One prompt, from its first clear sample to its last. */
export function utteranceOf({ samples, text = "" }: Prompt): CallerUtterance {
  const runs = clearRunsOf(samples);
  const start = runs[0]?.from ?? 0;
  const end = runs.at(-1)?.to ?? samples.length;
  const spoken: { from: number; to: number }[] = [];
  for (const { from, to } of runs) {
    const last = spoken.at(-1);
    if (last !== undefined && from - start - last.to < PAUSE_SAMPLES_MIN) last.to = to - start;
    else spoken.push({ from: from - start, to: to - start });
  }
  return { samples: samples.subarray(start, end), phrases: phrasesOf(text, spoken) };
}

/** The words of `text` where they are probably spoken: in proportion to their letters; sentences end at pauses where there are any. */
function phrasesOf(text: string, spoken: readonly { from: number; to: number }[]): Phrase[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const total = spoken.reduce((sum, { from, to }) => sum + to - from, 0);
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  let given = 0;
  let passed = 0;
  return spoken.map(({ from, to }, at) => {
    passed += to - from;
    const isLast = at === spoken.length - 1;
    const own: string[] = [];
    while (words.length > 0 && (isLast || (given + (words[0] as string).length / 2) * total < passed * letters)) {
      const word = words.shift() as string;
      given += word.length;
      own.push(word);
    }
    // Where a sentence ends a word earlier or later than the letters say, it ends at the pause.
    if (!isLast && words.length > 0 && !endsSentence(own.at(-1)) && endsSentence(words[0]))
      own.push(words.shift() as string);
    else if (!isLast && own.length > 1 && !endsSentence(own.at(-1)) && endsSentence(own.at(-2)))
      words.unshift(own.pop() as string);
    return { text: own.join(" "), from, to };
  });
}

const endsSentence = (word: string | undefined): boolean => word !== undefined && /[.!?…]$/.test(word);

/** Single words with short pauses between them, as somebody says a number or spells a name. */
function strung(words: readonly CallerUtterance[], random: Random): CallerUtterance {
  const chosen = Array.from({ length: random.whole(...DIGITS.count) }, () => random.pick(words));
  const parts: { at: number; word: CallerUtterance }[] = [];
  let at = 0;
  for (const word of chosen) {
    parts.push({ at, word });
    at += word.samples.length + Math.round(random.between(...DIGITS.pauseS) * CARRIER_RATE_HZ);
  }
  const last = parts.at(-1) as (typeof parts)[number];
  const samples = new Float32Array(last.at + last.word.samples.length);
  const phrases: Phrase[] = [];
  for (const { at: from, word } of parts) {
    samples.set(word.samples, from);
    const text = word.phrases.map((phrase) => phrase.text).join(" ");
    const to = from + word.samples.length;
    const before = phrases.at(-1);
    if (before !== undefined && from - before.to < PAUSE_SAMPLES_MIN) {
      phrases[phrases.length - 1] = { text: `${before.text} ${text}`, from: before.from, to };
    } else {
      phrases.push({ text, from, to });
    }
  }
  return { samples, phrases };
}
