/** Scripts that write words without spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/** How many words a text has: those between blanks; of scripts without spaces two characters count as one. */
export function wordsIn(text: string): number {
  let unspaced = 0;
  const spaced = text.replace(UNSPACED, () => {
    unspaced += 1;
    return " ";
  });
  let words = unspaced / 2;
  let isInWord = false;
  for (let index = 0; index < spaced.length; index += 1) {
    const isBlank = spaced.charCodeAt(index) <= 0x20 || spaced[index] === "\u00a0";
    if (!isBlank && !isInWord) words += 1;
    isInWord = !isBlank;
  }
  return words;
}
