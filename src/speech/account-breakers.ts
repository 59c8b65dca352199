import type { Stage } from "../core/calls/stages.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import { loggableError } from "../core/log/logger.ts";
import type { ConfiguredProviders } from "./provider-registry.ts";
import type { CircuitBreaker, CircuitBreakerObserver } from "./resilience/circuit-breaker.ts";
import type { SpeechMetrics } from "./resilience/circuit-breaker-log.ts";
import { circuitBreakers } from "./resilience/circuit-breakers.ts";

export type BreakersByStage = (stage: Stage) => (provider: string) => CircuitBreaker;

export interface AccountBreakersOptions {
  providers: { readonly [S in Stage]?: ConfiguredProviders<S> };
  /** The service's own. */
  circuitBreakersOf: BreakersByStage;
  clock: Clock;
  log: { warn(fields: object, message: string): void };
  metrics: SpeechMetrics | undefined;
}

/**
 * The circuit breakers of an account: those of the service, and new ones for the providers for which the account has an API key of its
 * own in `credentials`.
 */
export function accountBreakers(
  { providers, circuitBreakersOf, clock, log, metrics }: AccountBreakersOptions,
  credentials: Readonly<Record<string, string>>,
): BreakersByStage {
  const own = circuitBreakers({}, clock, observer(log, metrics));
  return (stage) => (provider) => {
    const payer = providers[stage]?.get(provider)?.credentialOf;
    const isOwn = payer !== undefined && Object.hasOwn(credentials, payer);
    return (isOwn ? own : circuitBreakersOf)(stage)(provider);
  };
}

/** Failures count as any; the state of the circuit breakers in the metrics is that of the service's own. */
function observer(
  log: AccountBreakersOptions["log"],
  metrics: AccountBreakersOptions["metrics"],
): CircuitBreakerObserver {
  const isAccountCredential = true;
  return {
    registered: () => {},
    failed(stage, provider, error) {
      const fields = { stage, provider, isAccountCredential, code: codeOf(error), ...loggableError(error) };
      log.warn(fields, "provider failed");
      metrics?.providerFailed(stage, provider);
    },
    circuitChanged(stage, provider, isOpen) {
      const message = isOpen ? "circuit breaker opened" : "circuit breaker closed";
      log.warn({ stage, provider, isAccountCredential }, message);
    },
  };
}

/** The providers with an account's API keys in place of the service's. */
export const withKeys = <S extends Stage>(
  configured: ConfiguredProviders<S>,
  credentials: Readonly<Record<string, string>>,
): ConfiguredProviders<S> =>
  new Map(
    [...configured].map(([id, provider]) => {
      const apiKey = provider.credentialOf === undefined ? undefined : credentials[provider.credentialOf];
      return [id, apiKey === undefined ? provider : provider.withApiKey(apiKey)];
    }),
  );
