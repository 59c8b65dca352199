import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls/calls.ts";
import { cutText } from "../../core/text/graphemes.ts";
import { isSameLanguage } from "../../core/text/language-tags.ts";

/**
 * A provider's transcript as one line of bounded length: without control characters, with single spaces between words.
 */
export const transcriptText = (text: string): string =>
  cutText(text, TURN_TEXT_CHARS_MAX)
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();

/**
 * The language of a transcript, for a call in `callLanguage` and the `detected` language, both BCP 47: the call's own
 * tag where the languages are equal, because STT detects no regions.
 */
export const transcriptLanguage = (detected: string, callLanguage: string): string =>
  isSameLanguage(detected, callLanguage) ? callLanguage : detected;
