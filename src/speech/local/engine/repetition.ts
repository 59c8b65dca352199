/** Longer phrases are not compared. */
const LOOP_TOKENS_MAX = 24;

/** So often a person says the same in a row: a word ("no no no no") or a digit more often than a phrase. */
const timesMax = (tokens: number): number => (tokens === 1 ? 6 : tokens < 4 ? 3 : 2);

/**
 * Speech models loop where they understand nothing, or at the end of what they have understood. How many of `tokens` come before the
 * repetition at their end, of which the first round is kept. Undefined while the end repeats nothing, or no more often than people do.
 * To be asked after each token.
 */
export function lengthBeforeLoop(tokens: readonly string[]): number | undefined {
  for (let length = 1; length <= LOOP_TOKENS_MAX; length += 1) {
    const start = tokens.length - length * (timesMax(length) + 1);
    if (start < 0) return undefined;
    if (isPeriodic(tokens, start, length)) return start + length;
  }
  return undefined;
}

function isPeriodic(tokens: readonly string[], start: number, length: number): boolean {
  for (let i = start + length; i < tokens.length; i += 1) if (tokens[i] !== tokens[i - length]) return false;
  return true;
}
