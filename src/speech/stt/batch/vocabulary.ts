/** What a provider takes of a vocabulary. */
interface VocabularyLimits {
  readonly termsMax: number;
  /** Of all terms together. */
  readonly charsMax: number;
}

/** The first terms of a vocabulary, as many as a provider takes: it would refuse more. */
export function vocabularyWithin(vocabulary: readonly string[], { termsMax, charsMax }: VocabularyLimits): string[] {
  let chars = 0;
  return vocabulary.slice(0, termsMax).filter((term) => {
    chars += term.length;
    return chars <= charsMax;
  });
}
