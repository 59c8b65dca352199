/** Graphemes are the same in all languages. */
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The last index in `text`, up to `at` UTF-16 units, that separates no character from its marks and no surrogate pair. */
export function graphemeEnd(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const start = graphemes.segment(text).containing(at)?.index ?? 0;
  if (start > 0) return start;
  // Real texts have no character with thousands of marks.
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

/** At most `charsMax` UTF-16 units of `text`, cut after a whole character. */
export const cutText = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : text.slice(0, graphemeEnd(text, charsMax));
