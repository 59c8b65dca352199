// The call machine.
/** Transcripts longer than this are cut, and a model that says more at once is stopped: nobody says or hears that much in one turn. */
export const TURN_TEXT_CHARS_MAX = 16_384;

/** Failures of the model in a row that end the call; before that the caller hears an apology. */
export const LLM_FAILURES_MAX = 2;
export const REPLY_SEGMENTS_MAX = 400;

/** Keys of one entry; the next begins another. */
export const DTMF_ENTRY_DIGITS_MAX = 64;
export const MARKS_OUTSTANDING_MAX = 1_024;

/** So often a model is asked ahead within one turn of the caller's: who stops behind each word costs no more than that. */
export const PREEMPTIVE_GENERATIONS_PER_TURN_MAX = 3;

// Calls.
export const MAX_DURATION_S_MIN = 60;
export const MAX_DURATION_S_MAX = 7_200;
export const MAX_DURATION_S_DEFAULT = 3_000;
export const INACTIVITY_S_MIN = 10;
export const INACTIVITY_S_MAX = 300;
export const INACTIVITY_S_DEFAULT = 30;

/** The unanswered prompt that ends the call, counted in a row. */
export const INACTIVITY_PROMPTS_MAX = 3;
export const METADATA_BYTES_MAX = 8 * 1024;
export const METADATA_DEPTH_MAX = 5;

/** The goodbye of a call that we end is heard for so long at most; then the call ends anyway. */
export const GOODBYE_MS_MAX = 3_500;
