/** A chunk with the score by which it was found; more is better. */
export interface Ranked<Key> {
  readonly key: Key;
  readonly score: number;
}

/** From the paper on reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): it keeps the first ranks from outweighing all others. */
const RANK_CONSTANT = 60;

/**
 * Reciprocal rank fusion: joins rankings, each with the best first, whose scores are not comparable. A chunk scores 1 / (60 + its rank) in
 * each ranking that has it. Equal scores keep the order of the first ranking.
 */
export function fused<Key>(rankings: readonly (readonly Ranked<Key>[])[]): readonly Ranked<Key>[] {
  const scores = new Map<Key, number>();
  for (const ranking of rankings) {
    ranking.forEach(({ key }, at) => {
      scores.set(key, (scores.get(key) ?? 0) + 1 / (RANK_CONSTANT + at + 1));
    });
  }
  return [...scores].map(([key, score]) => ({ key, score })).sort((a, b) => b.score - a.score);
}

/** The best of several rankings whose scores are comparable, the best first. */
export const merged = <Key>(rankings: readonly (readonly Ranked<Key>[])[], max: number): readonly Ranked<Key>[] =>
  rankings
    .flat()
    .sort((a, b) => b.score - a.score)
    .slice(0, max);
