// The call's state machine.
/** The longest transcript of a turn. Longer ones are truncated, and a longer reply of an LLM is stopped: no turn is that long. */
export const TURN_TEXT_CHARS_MAX = 16_384;

/** Consecutive LLM failures that end the call; before that the caller hears an apology. */
export const LLM_FAILURES_MAX = 2;
export const REPLY_SEGMENTS_MAX = 400;

/** DTMF digits of one entry; the next digit begins another entry. */
export const DTMF_ENTRY_DIGITS_MAX = 64;
/** DTMF digits whose tones are still to be sent, of one call; those of a request that would exceed it are refused. 25.6 s of tones. */
export const DTMF_TONES_MAX = 128;
export const MARKS_OUTSTANDING_MAX = 1_024;

/** Preemptive generations within one turn of the caller: a caller who pauses after each word causes no more than that. */
export const PREEMPTIVE_GENERATIONS_PER_TURN_MAX = 3;

/** How much of a reply is sent again when its leg was lost; a caller who has heard less of it misses the rest. */
export const REWIND_MS_MAX = 5_000;

// Calls.
export const MAX_DURATION_S_MIN = 60;
export const MAX_DURATION_S_MAX = 7_200;
export const MAX_DURATION_S_DEFAULT = 3_000;
export const INACTIVITY_S_MIN = 10;
export const INACTIVITY_S_MAX = 300;
export const INACTIVITY_S_DEFAULT = 30;

/** A call without a word of the caller for this long ends, seconds. A call with a longer `inactivityTimeout` ends at that. */
export const MAX_WORDLESS_S_MIN = 30;
export const MAX_WORDLESS_S_MAX = MAX_DURATION_S_MAX;
export const MAX_WORDLESS_S_DEFAULT = 600;

/** Consecutive unanswered inactivity prompts; with this one the call ends. */
export const INACTIVITY_PROMPTS_MAX = 3;
export const METADATA_BYTES_MAX = 8 * 1024;
export const METADATA_DEPTH_MAX = 5;

/** Parameters of a carrier's `start`, and the UTF-8 bytes of all their names and values; what exceeds either is left out and counted. */
export const PARAMETERS_MAX = 64;
export const PARAMETERS_BYTES_MAX = 8 * 1024;

/** How long the control process may take to answer the agent's request to transfer the caller; then it counts as refused. */
export const TRANSFER_REQUEST_MS_MAX = 10_000;

/** How long the agent waits for the reason of a failed transfer when the caller is back. */
export const TRANSFER_RESULT_MS_MAX = 1_000;

/** How long a caller is on hold at most, seconds; then the agent comes back by itself, so that no caller is lost on hold. */
export const HOLD_S_MIN = 1;
export const HOLD_S_MAX = 600;
export const HOLD_S_DEFAULT = 300;

/** How long the goodbye of a call that the service ends may play; then the call ends anyway. */
export const GOODBYE_MS_MAX = 3_500;
