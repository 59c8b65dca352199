// How subtitles are laid out, so that they can be read while they are shown.

/** Characters of a line; of one with a Chinese, Japanese or Korean character. */
export const LINE_CHARS_MAX = 42;
export const CJK_LINE_CHARS_MAX = 16;

export const CUE_LINES_MAX = 2;

/** How long a cue is shown, ms. */
export const CUE_MS_MIN = 1_000;
export const CUE_MS_MAX = 7_000;

/** Between two cues, ms: without a gap a change is not noticed. */
export const CUE_GAP_MS_MIN = 80;

/** How fast people read, in characters a second. */
export const CUE_CHARS_PER_SECOND_MAX = 17;

/** How much later than its first word a cue may begin so that the one before it can be read, ms. */
export const CUE_LAG_MS_MAX = 1_000;
