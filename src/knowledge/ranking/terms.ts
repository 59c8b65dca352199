/** How many chunks of a corpus have a term. */
export interface TermFrequency {
  readonly term: string;
  readonly chunks: number;
}

export interface PruningLimits {
  /** Chunks of the corpus. */
  readonly chunks: number;
  /** The most chunks of all terms together. */
  readonly rankedMax: number;
  readonly termsMax: number;
  /** With so many chunks, terms that every second chunk has are not needed. */
  readonly rankedEnough: number;
}

/**
 * The terms of a question that are searched for, the rarest first. Ranking costs time for each chunk that has a term, and the commonest
 * terms cost most and say least: they are left out once the others fill the limit, and those that every second chunk has, to which BM25
 * gives no weight, once there are enough chunks without them. The rarest term remains in any case.
 */
export function prunedTerms(frequencies: readonly TermFrequency[], limits: PruningLimits): readonly string[] {
  const found = frequencies.filter(({ chunks }) => chunks > 0).sort((a, b) => a.chunks - b.chunks);
  const kept: string[] = [];
  let ranked = 0;
  for (const { term, chunks } of found) {
    const isCommon =
      (chunks * 2 > limits.chunks && ranked >= limits.rankedEnough) || ranked + chunks > limits.rankedMax;
    if (kept.length > 0 && (isCommon || kept.length >= limits.termsMax)) break;
    kept.push(term);
    ranked += chunks;
  }
  return kept;
}
