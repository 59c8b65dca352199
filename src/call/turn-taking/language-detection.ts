/**
 * A single word says little about its language: "okay" is used everywhere. Unspaced scripts write many words as one.
 */
export const isLanguageReliable = (text: string): boolean =>
  /\S\s+\S/u.test(text) || /^[^\p{Script=Latin}\s]{4,}$/u.test(text);
