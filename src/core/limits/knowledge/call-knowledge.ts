// Retrieval within a call.
/** Corpora that one call may ask, those of its agent included. */
export const CALL_CORPORA_MAX = 32;

/** Passages of one answer of the corpora, which the LLM is given. */
export const PASSAGES_MIN = 1;
export const PASSAGES_DEFAULT = 5;
export const PASSAGES_LIMIT = 20;

/** Passages in one prompt or tool result, as they are written there, in UTF-16 units; those that do not fit are left out, the worst first. */
export const PASSAGES_CHARS_MAX = 12_000;
/** What they take of a prompt at most, in estimated tokens. */
export const PASSAGES_TOKENS_MAX = 6_000;

/** Passages that the record of one turn names: several tool calls may have given more. */
export const TURN_PASSAGES_MAX = 40;

/** All corpora of the mode `full` of one call, in estimated tokens; the creation of a call with more is 400. */
export const WHOLE_CORPORA_TOKENS_MAX = 8_000;

/** The question to the corpora: the end of a longer turn of the caller, in UTF-16 units. */
export const RETRIEVAL_QUESTION_CHARS_MAX = 1_000;

/**
 * How long the answer to the caller waits for passages to its last words, when there are some to the words before. The time is lost
 * to the caller.
 */
export const RETRIEVAL_WAIT_MS_MAX = 10;
/** The same when there are none: an STT without interim transcripts, or a typed text. Without them the answer would be a guess. */
export const RETRIEVAL_ONLY_WAIT_MS_MAX = 150;

/** While the caller speaks, the corpora are asked again when the words have changed by so many characters, and no sooner than this. */
export const RETRIEVAL_CHANGE_CHARS_MIN = 12;
export const RETRIEVAL_INTERVAL_MS = 1_000;
/** After so much silence of the caller any change counts. */
export const RETRIEVAL_PAUSE_MS = 60;
/** Questions before the end of one turn of the caller; the one at its end comes in addition. */
export const RETRIEVALS_PER_TURN_MAX = 12;

/** An answer of the corpora that has not come by then has failed: to a question for every turn, and to one of the LLM. */
export const RETRIEVAL_MS_MAX = 1_000;
export const RETRIEVAL_TOOL_MS_MAX = 3_000;
