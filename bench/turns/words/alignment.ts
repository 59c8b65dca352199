import { FEATURES, type Spectra } from "./spectra.ts";

/** A step that advances in one recording alone costs this much more: speech is rarely that much faster or slower. */
const SINGLE_STEP_COST = 1.2;
/** Pauses may be longer in one recording, or missing in it. */
const PAUSE_STEP_COST = 0.4;
/** Between a step of speech and one of a pause. */
const SPEECH_TO_PAUSE = 5;
const [BOTH, OWN, OTHER] = [0, 1, 2];

/**
 * Dynamic time warping: for each step of `other`, the last step of `own` that it is paired with when both are passed through in
 * order.
 */
export function aligned(own: Spectra, other: Spectra): number[] {
  const rows = own.audible.length;
  const columns = other.audible.length;
  const cost = new Float64Array(rows * columns);
  const move = new Uint8Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const here = distance(own, row, other, column);
      const at = row * columns + column;
      const ownStep = own.audible[row] === 0 ? PAUSE_STEP_COST : here + SINGLE_STEP_COST;
      const otherStep = other.audible[column] === 0 ? PAUSE_STEP_COST : here + SINGLE_STEP_COST;
      const both = row > 0 && column > 0 ? (cost[at - columns - 1] as number) + here : Number.POSITIVE_INFINITY;
      const ownAlone = row > 0 ? (cost[at - columns] as number) + ownStep : Number.POSITIVE_INFINITY;
      const otherAlone = column > 0 ? (cost[at - 1] as number) + otherStep : Number.POSITIVE_INFINITY;
      const least = Math.min(both, ownAlone, otherAlone);
      cost[at] = at === 0 ? here : least;
      move[at] = least === both ? BOTH : least === ownAlone ? OWN : OTHER;
    }
  }
  return traced(move, rows, columns);
}

function traced(move: Uint8Array, rows: number, columns: number): number[] {
  const path = new Array<number>(columns).fill(0);
  let column = columns - 1;
  for (let row = rows - 1; row > 0 || column > 0; ) {
    path[column] = Math.max(path[column] as number, row);
    const step = move[row * columns + column];
    if (step !== OTHER) row -= 1;
    if (step !== OWN) column -= 1;
  }
  return path;
}

function distance(own: Spectra, row: number, other: Spectra, column: number): number {
  if (own.audible[row] === 0 || other.audible[column] === 0) {
    return own.audible[row] === other.audible[column] ? 0 : SPEECH_TO_PAUSE;
  }
  let squares = 0;
  for (let feature = 0; feature < FEATURES; feature += 1) {
    const difference = own.features[row * FEATURES + feature] as number;
    squares += (difference - (other.features[column * FEATURES + feature] as number)) ** 2;
  }
  return Math.sqrt(squares);
}
