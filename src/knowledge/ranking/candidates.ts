import type { Ranked } from "./fusion.ts";
import type { TermFrequency } from "./terms.ts";

/** A word of a text: what it is found by, its stem in a language, and its form there. */
export interface Word {
  readonly term: string;
  readonly form: string;
}

/** A chunk that may answer a question. */
export interface Candidate<Key> {
  readonly key: Key;
  readonly words: readonly Word[];
}

export interface RankedQuestion {
  readonly words: readonly Word[];
  /** Those of all terms, in the corpus. */
  readonly frequencies: readonly TermFrequency[];
  /** Chunks of the corpus. */
  readonly chunks: number;
}

/** BM25's k1 and b: how soon more of the same term stops to count, and how much long chunks lose. */
const SATURATION = 0.8;
const LENGTH_PENALTY = 0.75;
/** What a word in the question's own form adds, in parts of its term's weight. */
const FORM_SHARE = 0.5;

/**
 * What a text begins with, and the headings of a chunk, mostly say what it is about: a term adds this much of its weight where it is the
 * first word, and less the later it comes, down to nothing. Measured on texts of one chunk without headings.
 */
const BEGINNING_SHARE = 0.2;
const BEGINNING_WORDS = 30;

/**
 * Ranks the candidates of a question, the best first: BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009), half of a
 * term's weight more where the chunk has the very form of the question, and some more where it has the term at its beginning. The average
 * length is that of the candidates. Equal scores keep their order.
 */
export function rankedCandidates<Key>(
  question: RankedQuestion,
  candidates: readonly Candidate<Key>[],
): readonly Ranked<Key>[] {
  const weights = weightsOf(question);
  const formWeights = new Map<string, number>();
  for (const { term, form } of question.words) {
    formWeights.set(form, Math.max(formWeights.get(form) ?? 0, FORM_SHARE * (weights.get(term) ?? 0)));
  }
  const averageLength = candidates.reduce((sum, { words }) => sum + words.length, 0) / candidates.length;
  const scoreOf = (words: readonly Word[]): number => {
    const counts = new Map<string, number>();
    const forms = new Set<string>();
    let score = 0;
    for (const [at, { term, form }] of words.entries()) {
      const weight = weights.get(term);
      if (weight !== undefined) {
        const count = counts.get(term) ?? 0;
        if (count === 0) score += BEGINNING_SHARE * weight * Math.max(0, 1 - at / BEGINNING_WORDS);
        counts.set(term, count + 1);
      }
      if (formWeights.has(form)) forms.add(form);
    }
    const saturation = SATURATION * (1 - LENGTH_PENALTY + (LENGTH_PENALTY * words.length) / averageLength);
    for (const [term, count] of counts) {
      score += ((weights.get(term) ?? 0) * count * (SATURATION + 1)) / (count + saturation);
    }
    for (const form of forms) score += formWeights.get(form) ?? 0;
    return score;
  };
  return candidates.map(({ key, words }) => ({ key, score: scoreOf(words) })).sort((a, b) => b.score - a.score);
}

/** The inverse frequencies of the terms that the corpus has, none of which is negative. */
function weightsOf({ frequencies, chunks }: RankedQuestion): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { term, chunks: having } of frequencies) {
    if (having > 0) weights.set(term, Math.log(1 + Math.max(0, chunks - having + 0.5) / (having + 0.5)));
  }
  return weights;
}
