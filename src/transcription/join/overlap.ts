import { lettersOf } from "../../core/text/words.ts";

/** A word of a channel; times in ms from the beginning of the audio. */
export interface ChannelWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly confidence?: number;
  readonly speaker?: number;
}

/** The words of a stretch of a channel, in the order in which they were spoken. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
  readonly words: readonly ChannelWord[];
  /** Its times are estimated by letters. */
  readonly hasEstimatedTimes: boolean;
}

/** How far times of words are off at most, ms: those of a provider, and those that are estimated. */
export const PROVIDER_JITTER_MS = 200;
const ESTIMATE_JITTER_MS = 1_000;
const jitterOf = ({ hasEstimatedTimes }: Stretch): number =>
  hasEstimatedTimes ? ESTIMATE_JITTER_MS : PROVIDER_JITTER_MS;

/** More words than anyone says in an overlap: then it is divided by time, because aligning them would take too long. */
const OVERLAP_WORDS_MAX = 500;
/** What an alignment costs, beside the squares of the differences in time, ms²: a word that only one stretch has where both should. */
const MISSING_COST = 1e12;
/** Two words in the same place that differ. More than a missing word, so that as many as possible are equal, and less than two. */
const DIFFERENT_COST = 1.5 * MISSING_COST;

/** A word that may be in the overlap. */
interface Candidate {
  readonly index: number;
  readonly letters: string;
  readonly middleMs: number;
  /** It may be missing in the other stretch: it reaches beyond the overlap, as far as its times say. */
  readonly isAtEdge: boolean;
}

/** A word that both stretches have: its indices, and the middle between its two times. */
interface Pair {
  readonly before: number;
  readonly after: number;
  readonly middleMs: number;
  readonly isEqual: boolean;
}

/**
 * The words of two stretches that overlap, each once. The words of the overlap are aligned, and the later stretch continues after the
 * pair of equal words in the middle of the overlap; where there is none, the words are divided by time in its middle.
 *
 * In an overlap of 3,000 ms no word is lost or doubled where
 * - no time is off by more than PROVIDER_JITTER_MS, and no word is longer than 1,500 ms;
 * - a stretch has every word that lies within it, and any text, or none, in place of one that its edge cuts;
 * - the overlap does not repeat itself from edge to edge: at least one of the words that are at least 2 * PROVIDER_JITTER_MS from both
 *   edges, if there are any, has no equal word within 4 * PROVIDER_JITTER_MS, from middle to middle.
 * Where the last does not hold ("no no no no no" for three seconds), the words are aligned by the least differences in time, and a
 * repetition may be lost or doubled. Nothing is guaranteed for estimated times: then the place is the pair of equal words that is
 * nearest to the middle, however far, because time says less than words.
 */
export function joinStretches(before: Stretch, after: Stretch): ChannelWord[] {
  const middleMs = (after.startMs + before.endMs) / 2;
  const jitterMs = (jitterOf(before) + jitterOf(after)) / 2;
  const areEstimated = before.hasEstimatedTimes || after.hasEstimatedTimes;
  const inBefore = candidatesOf(before, after.startMs, before.endMs);
  const inAfter = candidatesOf(after, after.startMs, before.endMs);
  const isAlignable = Math.max(inBefore.length, inAfter.length) <= OVERLAP_WORDS_MAX;
  const pairs = isAlignable ? alignedPairs(inBefore, inAfter, 2 * jitterMs) : [];
  // Words that are farther from the middle are on one side of it in both stretches.
  const near = pairs.filter((pair) => areEstimated || Math.abs(pair.middleMs - middleMs) <= jitterMs);
  const splice =
    nearestTo(
      middleMs,
      near.filter(({ isEqual }) => isEqual),
    ) ?? nearestTo(middleMs, near);
  if (splice !== undefined)
    return [...before.words.slice(0, splice.before + 1), ...after.words.slice(splice.after + 1)];
  return [
    ...before.words.filter((word) => middleOf(word) < middleMs),
    ...after.words.filter((word) => middleOf(word) >= middleMs),
  ];
}

const middleOf = ({ startMs, endMs }: ChannelWord): number => (startMs + endMs) / 2;

function nearestTo(middleMs: number, pairs: readonly Pair[]): Pair | undefined {
  return pairs.toSorted((a, b) => Math.abs(a.middleMs - middleMs) - Math.abs(b.middleMs - middleMs))[0];
}

/** The words of a stretch that may be in the overlap. */
function candidatesOf(stretch: Stretch, startMs: number, endMs: number): Candidate[] {
  const jitterMs = jitterOf(stretch);
  return stretch.words.flatMap((word, index): Candidate[] => {
    if (word.endMs < startMs - jitterMs || word.startMs > endMs + jitterMs) return [];
    const isAtEdge = word.startMs <= startMs + jitterMs || word.endMs >= endMs - jitterMs;
    // A word without letters, such as a dash, is compared as it is.
    return [{ index, letters: lettersOf(word.text) || word.text, middleMs: middleOf(word), isAtEdge }];
  });
}

/** How the best alignment of two beginnings ends: with a word of the one, of the other, or with one of both. */
const STEPS = { before: 0, after: 1, both: 2 } as const;

/** The alignment with the fewest words that differ or are missing, and of those the one with the least differences in time. */
function alignedPairs(before: readonly Candidate[], after: readonly Candidate[], windowMs: number): Pair[] {
  const width = after.length + 1;
  const costs = new Float64Array((before.length + 1) * width);
  const steps = new Uint8Array(costs.length);
  for (let i = 0; i <= before.length; i += 1) {
    for (let j = 0; j <= after.length; j += 1) {
      if (i === 0 && j === 0) continue;
      const [a, b] = [before[i - 1], after[j - 1]];
      const at = i * width + j;
      const skipBefore =
        a === undefined ? Number.POSITIVE_INFINITY : (costs[at - width] as number) + missingCost(a, windowMs);
      const skipAfter =
        b === undefined ? Number.POSITIVE_INFINITY : (costs[at - 1] as number) + missingCost(b, windowMs);
      const pair =
        a === undefined || b === undefined
          ? Number.POSITIVE_INFINITY
          : (costs[at - width - 1] as number) + pairCost(a, b, windowMs);
      const least = Math.min(skipBefore, skipAfter, pair);
      costs[at] = least;
      steps[at] = least === skipBefore ? STEPS.before : least === skipAfter ? STEPS.after : STEPS.both;
    }
  }
  return pairsOf(before, after, steps);
}

/** An equal word at a near time is better than none, also at an edge. */
const missingCost = ({ isAtEdge }: Candidate, windowMs: number): number =>
  isAtEdge ? windowMs ** 2 / 2 : MISSING_COST;

function pairCost(a: Candidate, b: Candidate, windowMs: number): number {
  const differenceMs = a.middleMs - b.middleMs;
  if (Math.abs(differenceMs) > windowMs) return Number.POSITIVE_INFINITY;
  return differenceMs ** 2 + (a.letters === b.letters ? 0 : DIFFERENT_COST);
}

/** The pairs of an alignment, whose last steps are given. */
function pairsOf(before: readonly Candidate[], after: readonly Candidate[], steps: Uint8Array): Pair[] {
  const pairs: Pair[] = [];
  let [i, j] = [before.length, after.length];
  while (i > 0 || j > 0) {
    const step = steps[i * (after.length + 1) + j];
    if (step === STEPS.both) {
      const [a, b] = [before[i - 1] as Candidate, after[j - 1] as Candidate];
      const middleMs = (a.middleMs + b.middleMs) / 2;
      pairs.push({ before: a.index, after: b.index, middleMs, isEqual: a.letters === b.letters });
    }
    if (step !== STEPS.after) i -= 1;
    if (step !== STEPS.before) j -= 1;
  }
  return pairs;
}
