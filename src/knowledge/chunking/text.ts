/** Characters that databases or JSON cannot carry: controls but tab and line feed, and halves of characters. */
const UNSTORABLE = /(?![\t\n])\p{Cc}|\p{Surrogate}/gu;

/** The text as it is stored: without control characters, halves of characters, soft hyphens and runs of blanks. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(UNSTORABLE, "")
    .replace(/\u00ad/g, "")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
