import type { AccountProviders } from "../../core/accounts/account-providers.ts";
import { allows } from "../../core/accounts/account-settings.ts";
import type { ModelName } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import { accountBreakers, withKeys } from "../account-breakers.ts";
import { AccountCache } from "../account-cache.ts";
import type { CallLlm } from "../contracts.ts";
import { namesIn } from "../provider-registry.ts";
import { NO_TOOLS, type ToolChooser } from "../reference/tools/chooser.ts";
import { circuitBreakerObserver } from "../resilience/circuit-breaker-log.ts";
import { circuitBreakers } from "../resilience/circuit-breakers.ts";
import type { SpeechConfig } from "../settings.ts";
import { sharedProviders } from "../shared-providers.ts";
import { createLlms } from "./create.ts";
import type { LlmDeadlines } from "./fallback.ts";

/** The LLM of an account; rejects with `unavailable` when the account may use no provider of `model`. */
export type AccountLlms = (account: AccountProviders, model: ModelName) => Promise<CallLlm>;

export interface AccountLlmsOptions {
  /** A valid configuration. */
  config: SpeechConfig;
  clock: Clock;
  log: { warn(fields: object, message: string): void };
  /** No caller waits for these LLMs. */
  deadlines: LlmDeadlines;
}

/** Chooses no tools of conversations: nothing is asked here that needs one. */
const NO_CHOOSER: ToolChooser = { prepare: () => {}, choose: async () => NO_TOOLS };

/**
 * The LLMs of accounts without the other stages, for a process that carries no calls: the account's API keys before the service's, the
 * fallbacks of calls, and circuit breakers of this process. Requests that differ in nothing share them.
 */
export function accountLlms({ config, clock, log, deadlines }: AccountLlmsOptions): AccountLlms {
  const { models, contextSizes, providers, streamsMax } = config;
  const circuitBreakersOf = circuitBreakers(streamsMax, clock, circuitBreakerObserver(log, undefined));
  const llm = sharedProviders(providers.llm, ({ model }) => model);
  const cache = new AccountCache<CallLlm>();

  const create = async ({ allowed, credentials = {} }: AccountProviders, model: ModelName): Promise<CallLlm> => {
    const names = namesIn(models[model]).filter((name) => allows(allowed, "llm", name.split(":", 1)[0] ?? name));
    if (names.length === 0) throw unavailable("the account may use no configured llm provider");
    const list = names.join();
    const breakersOf = accountBreakers(
      { providers: { llm }, circuitBreakersOf, clock, log, metrics: undefined },
      credentials,
    );
    const lists = { model_a: list, model_b: list, model_c: list };
    const created = await createLlms(
      lists,
      withKeys(llm, credentials),
      contextSizes,
      breakersOf("llm"),
      clock,
      NO_CHOOSER,
      deadlines,
    );
    return created[model];
  };

  return (account, model) => cache.get([account, model], () => create(account, model));
}
