import { wordsOfNumber } from "./number-words.ts";

// Word error as jiwer defines it: (substitutions + deletions + insertions) / words of the reference.

/** Counts over one or more texts; they may be added up. */
export interface WordErrors {
  words: number;
  substitutions: number;
  deletions: number;
  insertions: number;
}

export const NO_ERRORS: WordErrors = { words: 0, substitutions: 0, deletions: 0, insertions: 0 };

export const sumOfErrors = (all: readonly WordErrors[]): WordErrors =>
  all.reduce(
    (sum, each) => ({
      words: sum.words + each.words,
      substitutions: sum.substitutions + each.substitutions,
      deletions: sum.deletions + each.deletions,
      insertions: sum.insertions + each.insertions,
    }),
    NO_ERRORS,
  );

export const wrongWords = ({ substitutions, deletions, insertions }: WordErrors): number =>
  substitutions + deletions + insertions;

/** Percent of the reference's words; NaN without any. */
export const wordErrorPercent = (errors: WordErrors): number => (100 * wrongWords(errors)) / errors.words;

/** Titles that a transcript may abbreviate. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ["mr", "mister"],
  ["mrs", "missus"],
  ["dr", "doctor"],
]);

/**
 * The words of a text as transcripts are compared: lower case, no punctuation, hyphenated words apart, titles and numbers spelled out.
 * `numbers: false` leaves digits as they are, for languages other than English.
 */
export function comparableWords(text: string, { numbers }: { numbers: boolean } = { numbers: true }): string[] {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/['’]/g, "")
    .replaceAll(/(?<=\d),(?=\d{3}\b)/g, "")
    .match(/[\p{L}\p{N}\p{M}]+/gu);
  return (words ?? []).flatMap((word) =>
    numbers && /^\d+$/.test(word) ? wordsOfNumber(word) : [TITLES.get(word) ?? word],
  );
}

/** The fewest errors that turn `reference` into `heard`. Words are equal or not: prepare both sides with `comparableWords`. */
export function wordErrors(reference: readonly string[], heard: readonly string[]): WordErrors {
  let row: WordErrors[] = heard.map((_, at) => ({ ...NO_ERRORS, insertions: at + 1 }));
  row.unshift(NO_ERRORS);
  for (const word of reference) {
    const next: WordErrors[] = [{ ...(row[0] as WordErrors), deletions: (row[0] as WordErrors).deletions + 1 }];
    for (const [at, other] of heard.entries()) {
      const diagonal = row[at] as WordErrors;
      const above = row[at + 1] as WordErrors;
      const left = next[at] as WordErrors;
      next.push(
        least([
          word === other ? diagonal : { ...diagonal, substitutions: diagonal.substitutions + 1 },
          { ...above, deletions: above.deletions + 1 },
          { ...left, insertions: left.insertions + 1 },
        ]),
      );
    }
    row = next;
  }
  return { ...(row.at(-1) as WordErrors), words: reference.length };
}

const least = (all: readonly WordErrors[]): WordErrors =>
  all.reduce((best, each) => (wrongWords(each) < wrongWords(best) ? each : best));
