import { FENCED_BLOCK_END } from "../../../core/knowledge/fences.ts";
import { cutText } from "../../../core/text/graphemes.ts";

/** The note at the end of a truncated result, which says how much of it is missing. */
const NOTE = /\n\[Cut off: the first \d+ of (\d+) characters are shown\.\]$/;

const noteOf = (shownChars: number, allChars: number): string =>
  `\n[Cut off: the first ${shownChars} of ${allChars} characters are shown.]`;

/** Room for a note whose numbers have up to ten digits. */
const NOTE_CHARS_MAX = noteOf(9_999_999_999, 9_999_999_999).length;

/**
 * Truncates a tool's result to `charsMax` UTF-16 units, at least 150, with a last line that says how much of it is shown. Where the
 * result ends with documents between fences, the second fence stays before that line: what follows would be read as a document. A result
 * that was truncated before still names its original length. No character is split.
 */
export function truncateToolResult(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const [note = "", allChars] = NOTE.exec(text) ?? [];
  const result = text.slice(0, text.length - note.length);
  const [end = ""] = FENCED_BLOCK_END.exec(result) ?? [];
  const shown = cutText(result.slice(0, result.length - end.length), charsMax - NOTE_CHARS_MAX - end.length);
  return shown + end + noteOf(shown.length, Number(allChars ?? text.length));
}
