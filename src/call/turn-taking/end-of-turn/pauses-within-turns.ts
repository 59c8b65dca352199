/** Shorter ones are a part of words: the closure of a "t", and what the detector misses. */
export const PAUSE_MS_MIN = 100;
/** A longer one was not waited for, and says nothing of how this caller speaks. */
const PAUSE_MS_MAX = 3_000;

/** Counts the pauses that the caller made within turns so far. */
export class PausesWithinTurns {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The caller went on with the same turn after a pause of this length. */
  add(pauseMs: number): void {
    if (pauseMs >= PAUSE_MS_MIN && pauseMs <= PAUSE_MS_MAX) this.#count += 1;
  }
}
