import type { SpendSettings } from "../../../src/core/billing/spend.ts";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { AccountSpends } from "../../../src/gateway/spend/account.ts";
import type { ConnectionOptions } from "../calls/connection.ts";

const NO_LIMITS = {
  llm_requests: Number.POSITIVE_INFINITY,
  input_tokens: Number.POSITIVE_INFINITY,
  output_tokens: Number.POSITIVE_INFINITY,
  tts_characters: Number.POSITIVE_INFINITY,
};

/** For services whose calls have no spend limit. */
export const NO_SPEND_LIMITS: SpendSettings = { call: NO_LIMITS, account: NO_LIMITS, action: "refuse" };

/** For services whose calls may send no LLM requests. */
export const NO_LLM_REQUESTS: SpendSettings = { ...NO_SPEND_LIMITS, call: { ...NO_LIMITS, llm_requests: 0 } };

/** The accounts of a service without limits. */
export const unlimitedAccounts = (): AccountSpends =>
  new AccountSpends({ limits: NO_LIMITS, clock: { nowMs: () => monotonicMs(0) } });

/** For connections whose call has no spend limit. */
export const UNLIMITED_SPEND: ConnectionOptions["spend"] = {
  request: () => {},
  used: () => false,
  actionFor: () => "refuse",
};
