/** A chunk with the score by which it was found; more is better. */
export interface Ranked<Key> {
  readonly key: Key;
  readonly score: number;
}

/**
 * How slowly the worth of a rank falls. The 60 of the paper (Cormack, Clarke, Büttcher, SIGIR 2009) is for many rankings: with two it lets
 * passages that both have far down outweigh the first of either, and a weak model of embeddings cost 15 points of recall@5; with 5, 1.3.
 */
const RANK_CONSTANT = 5;

/**
 * Reciprocal rank fusion: joins rankings, each with the best first, whose scores are not comparable. A chunk scores 1 / (5 + its rank) in
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
