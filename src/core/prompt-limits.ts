/** Bounds of what one question to an LLM may hold. */

/**
 * What a prompt may hold beside the system prompt and the tools, in estimated tokens, unless HISTORY_TOKENS_MAX says otherwise: about
 * an hour of talk. Past it whole old turns are dropped.
 */
export const HISTORY_TOKENS_DEFAULT = 16_384;
export const HISTORY_TOKENS_MIN = 1_024;
export const HISTORY_TOKENS_LIMIT = 1_000_000;

/** The context of a model that is in no list of ours, unless CONTEXT_TOKENS names it. */
export const CONTEXT_TOKENS_DEFAULT = 32_768;
export const CONTEXT_TOKENS_MIN = 1_024;
export const CONTEXT_TOKENS_LIMIT = 10_000_000;

/** Of a model's context the prompt takes this share at most, for tokens are estimated; and the answer must fit beside it. */
export const PROMPT_CONTEXT_SHARE = 0.75;

/** Once a prompt is too long, its old turns are dropped to this share of what they may take: seldom, and several at a time. */
export const PROMPT_TRIM_SHARE = 0.75;

/** A tool's result is not cut below this, in characters, however long the prompt. */
export const TOOL_RESULT_CHARS_MIN = 256;
