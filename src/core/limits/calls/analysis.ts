/** The prompt of an analysis, UTF-16 units. Its schema has the limits of a tool's. */
export const ANALYSIS_PROMPT_CHARS_MAX = 4_000;

/** The part of a transcript that is analysed, from its end, UTF-16 units: some 50,000 tokens. */
export const ANALYSIS_TRANSCRIPT_CHARS_MAX = 200_000;
/** Where a model's context is known, the transcript has so many units of each of its tokens: prompt, schema and answer need the rest. */
export const ANALYSIS_CHARS_PER_TOKEN = 2;

/** The longest answer of the LLM, UTF-16 units. */
export const ANALYSIS_ANSWER_CHARS_MAX = 64 * 1024;

/** An LLM that has sent nothing of an analysis by then is replaced by its fallback; no caller waits for it. The longest silence within it. */
export const ANALYSIS_FIRST_TOKEN_MS_MAX = 45_000;
export const ANALYSIS_IDLE_MS_MAX = 30_000;

/** How long one request to the LLM may take, ms, fallbacks included. */
export const ANALYSIS_REQUEST_MS_MAX = 120_000;

/** How long `call.ended` waits for the analysis, ms. */
export const ANALYSIS_EVENT_WAIT_MS = 30_000;

/** The delays between the attempts, ms: a provider that is away for minutes costs no analysis. After the last one it has failed. */
export const ANALYSIS_RETRY_DELAYS_MS: readonly number[] = [1_000, 3_000, 10_000, 30_000, 120_000, 600_000, 1_800_000];
/** Attempts whose answer does not fit the schema: each costs as much as a valid one. */
export const ANALYSIS_INVALID_ANSWERS_MAX = 3;

/** How many analyses are in progress at a time, of one account and of all: they share the providers with live calls. */
export const ANALYSES_PER_ACCOUNT_MAX = 4;
export const ANALYSES_CONCURRENT_MAX = 16;
