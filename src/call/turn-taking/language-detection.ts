/**
 * A single word says little about its language: "okay" is used everywhere. Unspaced scripts write many words as one.
 */
export const isLanguageReliable = (text: string): boolean =>
  /\S\s+\S/u.test(text) || /^[^\p{Script=Latin}\s]{4,}$/u.test(text);

/** Compares primary languages: `de` and `de-AT` are the same. */
export const isSameLanguage = (a: string, b: string): boolean => primary(a) === primary(b);
const primary = (code: string): string => code.split("-", 1)[0]?.toLowerCase() ?? "";
