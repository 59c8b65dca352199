/** In characters; a surrogate pair is one. */
export const AGENT_NAME_CHARS_MAX = 200;
export const AGENT_CORPORA_MAX = 32;

/** Saved agents of an account, of up to 256 KiB each; one more is 409. */
export const AGENTS_PER_ACCOUNT_MAX = 10_000;

/** Versions of an agent that are kept. Past it the oldest one that was never published is deleted; without one it is 409. */
export const AGENT_VERSIONS_MAX = 1_000;

/** Changed lines of a text that a comparison of two versions finds; with more the whole differing part counts as changed. */
export const DIFF_LINES_MAX = 500;

// Variables of an agent.
export const AGENT_VARIABLES_MAX = 50;
/** In UTF-16 units, as are the following. */
export const VARIABLE_NAME_CHARS_MAX = 64;
export const VARIABLE_VALUE_CHARS_MAX = 2_000;
export const VARIABLE_DESCRIPTION_CHARS_MAX = 500;

/** The JSON of all values of a call, defaults included. */
export const CALL_VARIABLES_BYTES_MAX = 16 * 1024;

/** The prompt of a call with its variables filled in, and its greeting; about what `POST /calls` can have. */
export const FILLED_TEXT_BYTES_MAX = 256 * 1024;
