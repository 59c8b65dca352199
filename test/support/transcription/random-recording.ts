import type { PartWord } from "../../../src/core/transcriptions/part.ts";
import type { JoinablePart } from "../../../src/transcription/join/join-parts.ts";
import { Random } from "../random.ts";

/** The overlap of parts that had to be cut within speech, ms. */
const OVERLAP_MS = 3_000;
/** How far a provider's time of a word is off at most, ms. */
const JITTER_MS = 200;
const WORD_MS_MAX = 1_500;
/** So near an edge of the overlap, the times of a word do not say whether the other part has it, too. */
const EDGE_MS = 2 * JITTER_MS;
/** Equal words that are farther apart than this cannot be taken for each other. */
const REPETITION_MS = 4 * JITTER_MS;

/** A word as it was spoken, ms from the beginning. */
export interface SpokenWord {
  text: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface RandomRecording {
  readonly spoken: readonly SpokenWord[];
  readonly durationMs: number;
  readonly parts: readonly JoinablePart[];
}

const VOCABULARIES: readonly (readonly string[])[] = [
  ["no"],
  ["no", "yes"],
  ["la", "di", "da"],
  ["好", "是", "的"],
  ["你", "你好", "好", "世界", "我们", "不", "说"],
  "the cat sat on a mat and then it went to see what was there but no one knew".split(" "),
  Array.from({ length: 500 }, (_, at) => `word${at}`),
];

/**
 * Someone speaks, and the recording is cut anywhere: at pauses, and within speech, where the parts overlap. Each part has the words
 * that lie within it, with times that are off, and something or nothing in place of those that its edges cut.
 */
export function randomRecording(seed: number): RandomRecording {
  const random = new Random(seed);
  const spoken = spokenWords(random);
  const durationMs = Math.ceil((spoken.at(-1)?.endMs ?? 0) + random.between(0, 1_000));
  const ranges = cutAnywhere(random, spoken, durationMs);
  ranges.forEach(([startMs], index) => {
    const beforeEndMs = ranges[index - 1]?.[1] ?? 0;
    if (startMs < beforeEndMs) makeDecidable(spoken, startMs, beforeEndMs, random);
  });
  return { spoken, durationMs, parts: ranges.map(([startMs, endMs]) => transcribed(random, spoken, startMs, endMs)) };
}

function spokenWords(random: Random): SpokenWord[] {
  const vocabulary = random.pick(VOCABULARIES);
  const [isFast, isSlow] = [random.chance(0.3), random.chance(0.2)];
  const untilMs = random.between(1_000, 60_000);
  const spoken: SpokenWord[] = [];
  for (let atMs = random.between(0, 1_000); atMs < untilMs; ) {
    const lengthMs = random.between(isSlow ? 1_000 : 40, isFast ? 200 : WORD_MS_MAX);
    spoken.push({ text: random.pick(vocabulary), startMs: atMs, endMs: atMs + Math.max(40, lengthMs) });
    atMs += Math.max(40, lengthMs) + (random.chance(isFast ? 0.9 : 0.5) ? 0 : random.between(0, 2_000));
  }
  return spoken;
}

function cutAnywhere(random: Random, spoken: readonly SpokenWord[], durationMs: number): (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = [];
  let startMs = 0;
  while (durationMs - startMs > 20_000 || (durationMs - startMs > 8_000 && random.chance(0.7))) {
    const endMs = Math.round(
      startMs + random.between(2 * OVERLAP_MS + 100, Math.min(20_000, durationMs - startMs - 500)),
    );
    const isSilent = !spoken.some((word) => word.startMs < endMs && word.endMs > endMs);
    ranges.push([startMs, endMs]);
    startMs = isSilent && random.chance(0.8) ? endMs : endMs - OVERLAP_MS;
  }
  ranges.push([startMs, durationMs]);
  return ranges;
}

/** An overlap that repeats itself from edge to edge cannot be joined for certain: one of its words becomes another. */
function makeDecidable(spoken: SpokenWord[], startMs: number, endMs: number, random: Random): void {
  const inner = spoken.filter((word) => word.startMs >= startMs + EDGE_MS && word.endMs <= endMs - EDGE_MS);
  const isRepeated = (word: SpokenWord): boolean =>
    spoken.some((other) => other !== word && other.text === word.text && distanceMs(word, other) <= REPETITION_MS);
  if (inner.length === 0 || !inner.every(isRepeated)) return;
  random.pick(inner).text = `unique${startMs}`;
}

const distanceMs = (a: SpokenWord, b: SpokenWord): number => Math.abs(a.startMs + a.endMs - b.startMs - b.endMs) / 2;

function transcribed(random: Random, spoken: readonly SpokenWord[], startMs: number, endMs: number): JoinablePart {
  const jitterOf = random.pick([
    () => random.between(-JITTER_MS, JITTER_MS),
    () => random.pick([-JITTER_MS, JITTER_MS]),
    () => JITTER_MS,
    () => -JITTER_MS,
    () => 0,
  ]);
  const within = (ms: number): number => Math.min(endMs, Math.max(startMs, ms));
  const words: PartWord[] = [];
  let earliestMs = startMs;
  for (const word of spoken) {
    if (word.endMs <= startMs || word.startMs >= endMs) continue;
    const isCut = word.startMs < startMs || word.endMs > endMs;
    const text = isCut ? random.pick(["", word.text, `${word.text.slice(0, 1)}qx`]) : word.text;
    if (text === "") continue;
    const jitterMs = jitterOf();
    earliestMs = Math.max(earliestMs, within(word.startMs + jitterMs));
    const lastMs = Math.max(earliestMs, within(word.endMs + jitterMs));
    words.push({ text, startMs: earliestMs - startMs, endMs: lastMs - startMs });
  }
  const outcome = { words, hasEstimatedTimes: false, provider: "reference", usage: [] };
  return { channel: 0, startMs, endMs, requests: 1, outcome };
}
