/** A single word says little of its language: "okay" is one everywhere. Scripts without spaces write many words as one. */
export const isLanguageReliable = (text: string): boolean =>
  /\S\s+\S/u.test(text) || /^[^\p{Script=Latin}\s]{4,}$/u.test(text);

/** `de` and `de-AT` are. */
export const isSameLanguage = (a: string, b: string): boolean => primary(a) === primary(b);
const primary = (code: string): string => code.split("-", 1)[0]?.toLowerCase() ?? "";
