import { ar, hi, ja, ko, zh } from "./asian.ts";
import { cs, el, fi, hu, pl, tr, uk } from "./european.ts";
import { da, de, en, nb, nl, sv } from "./germanic.ts";
import { es, fr, it, pt, ro } from "./romance.ts";
import type { Texts } from "./texts.ts";

/** The texts by the code of their language, in lower case. */
export const TEXTS: Readonly<Record<string, Texts>> = {
  ...{ ar, cs, da, de, el, en, es, fi, fr, hi, hu, it, ja, ko, nb, nl, pl, pt, ro, sv, tr, uk, zh },
  // The code that most Norwegian pages have.
  no: nb,
};

const RIGHT_TO_LEFT: readonly string[] = ["ar"];

/** Texts with the code of their language and the direction of its script. */
export interface ChosenTexts {
  texts: Texts;
  language: string;
  direction: "ltr" | "rtl";
}

/** The texts of the first of these languages that there are texts in; of a region (`de-AT`) those of its language. */
export function textsFor(wanted: readonly (string | null | undefined)[]): ChosenTexts {
  const codes = wanted.flatMap((code) => (code ? [code.toLowerCase().split(/[-_]/)[0] ?? ""] : []));
  const language = codes.find((code) => Object.hasOwn(TEXTS, code)) ?? "en";
  return { texts: TEXTS[language] ?? en, language, direction: RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr" };
}
