import { type DigitWords, writtenDigits } from "./digit-words.ts";
import type { Token } from "./tokens.ts";

/** Digits that were said or written together: a token, or two such as "double four". */
export interface DigitGroup {
  readonly digits: string;
  /** Its tokens, by their places in the stream. */
  readonly first: number;
  readonly last: number;
}

/** Groups of digits between which hardly anything was said. */
export interface DigitRun {
  readonly groups: readonly DigitGroup[];
}

/** A stretch of one run, whole groups: words between them are none of it. */
export interface DigitStretch {
  readonly digits: string;
  readonly groups: readonly DigitGroup[];
}

/** How many other words may stand between two groups of one run: "4111, and then 1111". */
const GAP_WORDS_MAX = 2;
/** The same where the second group is in a later text: "…1111." "Yes, go on." is of another speaker, "OK, then 1111" is not. */
const GAP_WORDS_BETWEEN_TEXTS_MAX = 4;

/** The runs of a stream of tokens, in order. A run may go on in the next text. */
export function digitRunsOf(tokens: readonly Token[], words: DigitWords): DigitRun[] {
  const runs: DigitGroup[][] = [];
  let at = 0;
  while (at < tokens.length) {
    const group = groupAt(tokens, at, words);
    if (group === undefined) {
      at += 1;
      continue;
    }
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run !== undefined && before !== undefined && isSameRun(tokens, before.last, group.first)) run.push(group);
    else runs.push([group]);
    at = group.last + 1;
  }
  return runs.map((groups) => ({ groups }));
}

function isSameRun(tokens: readonly Token[], last: number, first: number): boolean {
  const between = first - last - 1;
  const isOneText = tokens[last]?.textIndex === tokens[first]?.textIndex;
  return between <= (isOneText ? GAP_WORDS_MAX : GAP_WORDS_BETWEEN_TEXTS_MAX);
}

function groupAt(tokens: readonly Token[], at: number, { digits, tens, repeats }: DigitWords): DigitGroup | undefined {
  const word = tokens[at]?.word ?? "";
  const next = tokens[at + 1]?.word ?? "";
  const nextDigit = writtenDigits(next) ?? digits.get(next);
  const times = repeats.get(word);
  if (times !== undefined && nextDigit?.length === 1)
    return { digits: nextDigit.repeat(times), first: at, last: at + 1 };
  if (tens.has(word) && nextDigit?.length === 1 && nextDigit !== "0" && writtenDigits(next) === undefined)
    return { digits: (digits.get(word)?.[0] ?? "") + nextDigit, first: at, last: at + 1 };
  const own = writtenDigits(word) ?? digits.get(word);
  return own === undefined ? undefined : { digits: own, first: at, last: at };
}

/**
 * The groups of a run that are longer than `max` digits and have digits within them that `isFound` accepts, from `min` to `max`: two
 * numbers that were written as one. Each is a stretch as a whole. The work grows with the length of the run times `max`.
 */
export const longGroupsIn = (
  { groups }: DigitRun,
  [min, max]: readonly [min: number, max: number],
  isFound: (digits: string) => boolean,
): DigitStretch[] =>
  groups
    .filter(({ digits }) => digits.length > max && hasWithin(digits, [min, max], isFound))
    .map((group) => ({ digits: group.digits, groups: [group] }));

function hasWithin(
  digits: string,
  [min, max]: readonly [min: number, max: number],
  isFound: (digits: string) => boolean,
): boolean {
  for (let from = 0; from + min <= digits.length; from += 1) {
    for (let to = from + min; to <= Math.min(from + max, digits.length); to += 1) {
      if (isFound(digits.slice(from, to))) return true;
    }
  }
  return false;
}

/**
 * The longest stretches of a run whose digits `isFound` accepts, from `min` to `max` digits, none within another. The work grows with
 * the length of the run times `max`.
 */
export function stretchesIn(
  { groups }: DigitRun,
  [min, max]: readonly [min: number, max: number],
  isFound: (stretch: DigitStretch) => boolean,
): DigitStretch[] {
  const found: DigitStretch[] = [];
  let coveredTo = -1;
  for (let from = 0; from < groups.length; from += 1) {
    let digits = "";
    let best: { stretch: DigitStretch; to: number } | undefined;
    for (let to = from; to < groups.length; to += 1) {
      const group = groups[to] as DigitGroup;
      digits += group.digits;
      if (digits.length > max) break;
      if (digits.length < min) continue;
      const stretch = { digits, groups: groups.slice(from, to + 1) };
      if (to > coveredTo && isFound(stretch)) best = { stretch, to };
    }
    if (best === undefined) continue;
    found.push(best.stretch);
    coveredTo = best.to;
  }
  return found;
}
