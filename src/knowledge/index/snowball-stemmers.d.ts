/** The part that we use of the stemmers of https://snowballstem.org as JavaScript. */
declare module "snowball-stemmers" {
  export interface Stemmer {
    /** The stem of a word in lower case. */
    stem(word: string): string;
  }
  /** Throws for a language that is none of its own. */
  export function newStemmer(language: string): Stemmer;
}
