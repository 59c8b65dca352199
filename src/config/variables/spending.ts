import { SPEND_UNITS, type SpendUnit } from "../../core/billing/spend.ts";
import type { Variable, Variables } from "../../core/configuration/variable.ts";
import { ACCOUNT_SPEND_DEFAULT, CALL_SPEND_DEFAULT, SPEND_PER_MINUTE_MAX } from "../../core/limits/accounts/spend.ts";

const UNIT_MEANINGS: Readonly<Record<SpendUnit, string>> = {
  llm_requests: "LLM requests",
  input_tokens: "input tokens, [estimated](providers.md#what-an-llm-is-sent) until the provider reports them,",
  output_tokens: "output tokens",
  tts_characters: "characters for the TTS",
};

/** The limits of one scope, named after their units. */
const limits = (prefix: string, defaults: Readonly<Record<SpendUnit, number>>, of: string, addition = ""): Variables =>
  Object.fromEntries(
    SPEND_UNITS.map((unit): [string, Variable] => [
      `${prefix}_${unit.toUpperCase()}_PER_MINUTE`,
      {
        default: String(defaults[unit]),
        range: [1, SPEND_PER_MINUTE_MAX],
        orWord: "off",
        meaning: `how many ${UNIT_MEANINGS[unit]} ${of} may spend within any minute; \`off\` sets no limit${addition}`,
      },
    ]),
  );

/** Prices, and what calls and accounts may spend. */
export const SPENDING_VARIABLES: Variables = {
  PRICES: {
    format:
      "JSON: a `currency`, and by provider, or by `provider:model`, any of `audioMinute`, `inputTokensMillion`, " +
      "`outputTokensMillion`, `charactersThousand`",
    meaning:
      'what providers charge: `{"currency": "USD", "deepgram": {"audioMinute": 0.0077}, "openai": {"inputTokensMillion": 0.15, ' +
      '"outputTokensMillion": 0.6}}`; see [latency, usage and cost](api.md#latency-usage-and-cost)',
  },
  ...limits("CALL", CALL_SPEND_DEFAULT, "one call"),
  ...limits(
    "ACCOUNT",
    ACCOUNT_SPEND_DEFAULT,
    "all calls of an account together",
    ". The default is for about 100 conversations at once: raise it with the number of calls that you expect",
  ),
  SPEND_LIMIT_ACTION: {
    default: "refuse",
    oneOf: ["refuse", "end"],
    meaning:
      "what happens at a limit. `refuse`: the agent says that it cannot answer, and the call continues; five such turns in a row " +
      "end it. `end`: the agent says so, and the call ends with `spend_limit`",
  },
};
