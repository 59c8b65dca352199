import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls.ts";
import { cutText } from "../../core/text/words.ts";

/** A provider's transcript as one line of bounded length: no control characters, no space but single ones between words. */
export const transcriptText = (text: string): string =>
  cutText(text, TURN_TEXT_CHARS_MAX)
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();

/**
 * What a call in `spoken` is told of an ear that heard `detected`, both BCP 47: the call's own tag where the languages are
 * the same, for ears know no regions.
 */
export function transcriptLanguage(detected: string, spoken: string): string {
  const primary = (tag: string): string | undefined => tag.split(/[-_]/, 1)[0]?.toLowerCase();
  return primary(detected) === primary(spoken) ? spoken : detected;
}
