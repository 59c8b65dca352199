import type { Phrases } from "./phrases.ts";

/** The phrases of one language and their source. */
export interface BuiltInPhrases {
  /** Who wrote and who checked them, and the form of address. Change it together with the texts. */
  source: string;
  phrases: Phrases;
}

/** No native speaker has checked these phrases. When one does, write who it was and when. */
export const unchecked = (form = ""): string =>
  `written for this project, not checked by a speaker${form === "" ? "" : `; ${form}`}`;
