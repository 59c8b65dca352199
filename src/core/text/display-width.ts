/** Characters of East Asian width, which take two columns and are about a syllable each. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\u30fc\uff00-\uff60]/u;
/** Combining marks take no column of their own. */
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/**
 * The length of a text in any script, in display columns: a Han, kana or Hangul character takes two and a combining mark none.
 * Across the built-in languages this is closer to the length of the speech than the number of characters.
 */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
