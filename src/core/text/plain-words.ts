/** Words without what an STT adds in a final transcript: capitals, punctuation and spaces of any kind. */
export const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
