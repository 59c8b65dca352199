// Responses of LLM providers. A response that exceeds one of these limits has failed.
export const LLM_ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** One server-sent event, in characters. */
export const LLM_EVENT_CHARS_MAX = 1024 * 1024;

/** How much of an error response is read to find its code. */
export const LLM_ERROR_BODY_BYTES_MAX = 64 * 1024;

/** How long the end of the body is awaited after the last event, so that the connection can be reused. */
export const LLM_BODY_END_WAIT_MS = 250;

/** Tokens of text and reasoning, for providers that require a bound: twice the longest turn. */
export const LLM_OUTPUT_TOKENS_MAX = 8_192;

/** Signatures of tool calls that are kept for later prompts; the oldest are dropped. */
export const LLM_TOOL_CALL_SIGNATURES_MAX = 4_096;
export const LLM_TOOL_CALL_SIGNATURE_CHARS_MAX = 16 * 1024;

/** An LLM or TTS that has not sent anything by then is replaced by its fallback, if there is one. */
export const LLM_FIRST_TOKEN_MS_MAX = 3_000;

/** The longest silence within a response, and within speech that playout waits for. */
export const LLM_IDLE_MS_MAX = 6_000;

/** The time for a whole LLM response, and for all waiting for one segment: responses that trickle end here. */
export const LLM_ANSWER_MS_MAX = 60_000;

// Prompts.

/**
 * The default of HISTORY_TOKENS_MAX: estimated tokens of a prompt without the system prompt and the tools, about an hour of
 * conversation. Past it old turns are dropped, each as a whole.
 */
export const HISTORY_TOKENS_DEFAULT = 16_384;
export const HISTORY_TOKENS_MIN = 1_024;
export const HISTORY_TOKENS_LIMIT = 1_000_000;

/** The context size of an unknown model, unless CONTEXT_TOKENS names it. */
export const CONTEXT_TOKENS_DEFAULT = 32_768;
export const CONTEXT_TOKENS_MIN = 1_024;
export const CONTEXT_TOKENS_LIMIT = 10_000_000;

/** The largest share of a model's context for the prompt: tokens are estimated, and the reply must fit too. */
export const PROMPT_CONTEXT_SHARE = 0.75;

/** When a prompt is too long, old turns are dropped down to this share of the limit, so that trimming is rare and drops several turns. */
export const PROMPT_TRIM_SHARE = 0.75;
