import type { Phrases } from "./phrases.ts";

/** Where the phrases of one language come from, and what they are. */
export interface BuiltInPhrases {
  /** Who wrote them, who has checked them, and which form they take. Change it together with the texts. */
  source: string;
  phrases: Phrases;
}

/** None of these has been checked by somebody who grew up with the language. Write who has, and when, where one is. */
export const unchecked = (form = ""): string =>
  `written for this project, not checked by a speaker${form === "" ? "" : `; ${form}`}`;
