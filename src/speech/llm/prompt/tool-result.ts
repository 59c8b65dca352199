import { cutText } from "../../../core/text/graphemes.ts";

/** The note at the end of a truncated result, which says how much of it is missing. */
const NOTE = /\n\[Cut off: the first \d+ of (\d+) characters are shown\.\]$/;

const noteOf = (shownChars: number, allChars: number): string =>
  `\n[Cut off: the first ${shownChars} of ${allChars} characters are shown.]`;

/** Room for a note whose numbers have up to ten digits. */
const NOTE_CHARS_MAX = noteOf(9_999_999_999, 9_999_999_999).length;

/**
 * Truncates a tool's result to `charsMax` UTF-16 units, at least 100, with a last line that says how much of it is
 * shown. A result that was truncated before still names its original length. No character is split.
 */
export function truncateToolResult(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const [note = "", allChars] = NOTE.exec(text) ?? [];
  const shown = cutText(text.slice(0, text.length - note.length), charsMax - NOTE_CHARS_MAX);
  return shown + noteOf(shown.length, Number(allChars ?? text.length));
}
