import { cutText } from "../../../core/text/graphemes.ts";

/** The note at the end of a truncated result, which says how much of it is missing. */
const NOTE = /\n\[Cut off: the first \d+ of (\d+) characters are shown\.\]$/;

const noteOf = (shownChars: number, allChars: number): string =>
  `\n[Cut off: the first ${shownChars} of ${allChars} characters are shown.]`;

/** Room for a note whose numbers have up to ten digits. */
const NOTE_CHARS_MAX = noteOf(9_999_999_999, 9_999_999_999).length;

/** The end of a block of documents (call/knowledge/passages-block.ts): whatever is cut off, the block ends. */
const BLOCK_END = /\n-{5} [0-9a-f]{32} -{5}$/;

/**
 * Truncates a tool's result to `charsMax` UTF-16 units, at least 100, with a last line that says how much of it is
 * shown. A result that was truncated before still names its original length. No character is split.
 */
export function truncateToolResult(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const [note = "", allChars] = NOTE.exec(text) ?? [];
  const result = text.slice(0, text.length - note.length);
  const [end = ""] = BLOCK_END.exec(result) ?? [];
  const shown = cutText(result.slice(0, result.length - end.length), charsMax - NOTE_CHARS_MAX - end.length);
  return shown + end + noteOf(shown.length, Number(allChars ?? text.length));
}
