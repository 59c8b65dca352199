import type { Spend } from "../billing/spend.ts";

/** Bounds on what a call and an account may spend; docs/providers.md, "What a call may spend", states what they come to. */

/** How long an amount counts. Within any such time no more is spent than the limit. */
export const SPEND_WINDOW_S = 60;

/**
 * Of one call within SPEND_WINDOW_S. A conversation has 5 to 10 turns a minute, and speech 900 characters. The prompts stay below
 * 100,000 tokens also where a text was made to tokenize badly and its request aborted: then they are estimated, up to a third too low.
 */
export const CALL_SPEND_DEFAULT: Spend = {
  llm_requests: 18,
  input_tokens: 60_000,
  output_tokens: 20_000,
  tts_characters: 6_000,
};

/** Of all calls of one account within SPEND_WINDOW_S: about 100 conversations at once. */
export const ACCOUNT_SPEND_DEFAULT: Spend = {
  llm_requests: 600,
  input_tokens: 2_000_000,
  output_tokens: 200_000,
  tts_characters: 200_000,
};

/** What an operator may set at most; `off` sets no limit. */
export const SPEND_PER_MINUTE_MAX = 1_000_000_000;

/** Turns in a row that are refused because of a limit; with this one the call ends. */
export const REFUSED_TURNS_MAX = 5;

/** The caller hears for so long at most that the call ends because of a limit: one sentence more than a goodbye. */
export const SPEND_LIMIT_GOODBYE_MS_MAX = 7_000;

/** `maxCost` of a call, in the currency of PRICES. */
export const MAX_COST_MIN = 0.001;
export const MAX_COST_MAX = 1_000_000;
