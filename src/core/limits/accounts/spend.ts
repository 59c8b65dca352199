/** Bounds on the spend of a call and an account; docs/providers.md states the resulting costs. */

/** The sliding window of spend limits: in no window of this length is more spent than the limit. */
export const SPEND_WINDOW_S = 60;

/**
 * The defaults of one call within SPEND_WINDOW_S. A conversation has 5 to 10 turns a minute, and a minute of speech has 900
 * characters. Prompts stay below 100,000 tokens also when a text is made to tokenize badly and its request is aborted: tokens are
 * then estimated, up to a third too low.
 */
export const CALL_SPEND_DEFAULT = {
  llm_requests: 18,
  input_tokens: 60_000,
  output_tokens: 20_000,
  tts_characters: 6_000,
};

/** The defaults of all calls of one account within SPEND_WINDOW_S: about 100 concurrent conversations. */
export const ACCOUNT_SPEND_DEFAULT = {
  llm_requests: 600,
  input_tokens: 2_000_000,
  output_tokens: 200_000,
  tts_characters: 200_000,
};

/** The largest limit that an operator may set; `off` sets none. */
export const SPEND_PER_MINUTE_MAX = 1_000_000_000;

/** The consecutive turn refused by a limit at which the call ends. */
export const REFUSED_TURNS_MAX = 5;

/** How long the announcement of the spend limit may play before the call ends: one sentence more than a goodbye. */
export const SPEND_LIMIT_GOODBYE_MS_MAX = 7_000;

/** The smallest and the largest `maxCost` of a call, in the currency of PRICES. */
export const MAX_COST_MIN = 0.001;
export const MAX_COST_MAX = 1_000_000;
