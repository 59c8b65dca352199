import { lettersOf } from "../../../../core/text/words.ts";

/** How far the estimate of a word's place may be off, in words. */
const PLACE_ERROR_MAX = 4;

/**
 * Joins the words of two passes, whose audio overlaps: `before`, of which those from about `estimate` on are in the second pass,
 * too; and `after`. The place is where most words of both agree; the later pass is believed from there on, for it has heard what
 * follows. Without any agreement the estimate is the place.
 */
export function joinOverlapping(before: readonly string[], estimate: number, after: readonly string[]): string[] {
  if (after.length === 0) return [...before];
  const letters = [before.map(lettersOf), after.map(lettersOf)] as const;
  let best = { place: estimate, skipped: 0, score: 0 };
  for (let place = Math.max(0, estimate - PLACE_ERROR_MAX); place < before.length; place += 1) {
    // The first word of the later pass may be the rest of one that its audio begins in.
    for (const skipped of [0, 1]) {
      const score = scoreOf(letters[0], place, letters[1], skipped, estimate);
      if (score > best.score) best = { place, skipped, score };
    }
  }
  return [...before.slice(0, best.place), ...after.slice(best.skipped)];
}

/**
 * How many words agree in the same order from these two places on; of equal numbers, first where the words at the place itself agree,
 * and then near the estimate. 0 where none agrees.
 */
function scoreOf(
  before: readonly string[],
  place: number,
  after: readonly string[],
  skipped: number,
  estimate: number,
): number {
  let agreeing = 0;
  for (let at = 0; place + at < before.length && skipped + at < after.length; at += 1) {
    if (before[place + at] === after[skipped + at]) agreeing += 1;
  }
  if (agreeing === 0) return 0;
  const begins = before[place] === after[skipped] ? 0.5 : 0;
  return agreeing + begins - Math.abs(place - estimate) / 64 - skipped / 16;
}
