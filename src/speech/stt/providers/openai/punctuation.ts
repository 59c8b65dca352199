import { lettersOf, wordsOf } from "../../../../core/text/words.ts";

/** How many words of a text may be missing in the list before it is found again. */
const SKIPPED_MAX = 3;

/**
 * The texts of words as the whole `text` has them, with their punctuation: Whisper lists words without it. A word that the text has not
 * stays as it is.
 */
export function punctuated(words: readonly string[], text: string, language: string): string[] {
  const written = wordsOf(text, language);
  let next = 0;
  return words.map((word) => {
    const letters = lettersOf(word);
    const found = written.slice(next, next + SKIPPED_MAX + 1).findIndex((other) => lettersOf(other) === letters);
    if (letters === "" || found < 0) return word;
    next += found + 1;
    return written[next - 1] as string;
  });
}
