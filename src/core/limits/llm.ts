// Models: what a server may send in answer to one question; past it the answer has failed.
export const LLM_ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** One server-sent event of it, in characters. */
export const LLM_EVENT_CHARS_MAX = 1024 * 1024;

/** What is read of a refusal, for the code that stands in it. */
export const LLM_ERROR_BODY_BYTES_MAX = 64 * 1024;

/** When the last event has come, the end of the body is waited for so long: then its connection can be used again. */
export const LLM_BODY_END_WAIT_MS = 250;

/** What a model may say and think, where its server insists on a bound: twice what a turn keeps. */
export const LLM_OUTPUT_TOKENS_MAX = 8_192;

/** Signatures of a model's tool calls that are kept to be shown again; of the oldest none is known any more. */
export const LLM_TOOL_CALL_SIGNATURES_MAX = 4_096;
export const LLM_TOOL_CALL_SIGNATURE_CHARS_MAX = 16 * 1024;

/** A model, or a voice, that has told nothing by then is given up where there is another one. */
export const LLM_FIRST_TOKEN_MS_MAX = 3_000;

/** Silence within an answer, and within speech that somebody waits for. */
export const LLM_IDLE_MS_MAX = 6_000;

/** A whole answer of a model, and all the waiting for one piece of speech: what only drips ends here. */
export const LLM_ANSWER_MS_MAX = 60_000;

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
