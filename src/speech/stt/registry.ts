import type { Clock } from "../../core/clock.ts";
import type { CallStt, Stt } from "../contracts.ts";
import { meteredStt } from "../metering/usage.ts";
import { type ConfiguredProviders, namesIn, ProviderRegistry } from "../provider-registry.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { FallbackStt } from "./fallback.ts";
import { STT_PROVIDERS } from "./providers/list.ts";

export const STT_REGISTRY = new ProviderRegistry(STT_PROVIDERS);

/** The problems of `stt`, the value of the variable STT, and of the settings of the providers that it names. */
export const sttProblems = (stt: string, configured: ConfiguredProviders<"stt">): string[] =>
  STT_REGISTRY.problemsIn(stt, "STT", configured);

/**
 * Creates the STT that a valid configuration names, as one provider. Each stream is opened with a permit of its
 * provider's circuit breaker.
 */
export function createStt(
  stt: string,
  configured: ConfiguredProviders<"stt">,
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  clock: Clock,
): CallStt {
  const candidates = namesIn(stt).flatMap((name) => configured.get(name)?.create({ clock }) ?? []);
  return withFallbacks(candidates, circuitBreakerOf, clock);
}

function withFallbacks(
  candidates: readonly Stt[],
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  clock: Clock,
): CallStt {
  const metered = candidates.map(meteredStt);
  const [first] = metered;
  const isAlone = metered.length === 1 && first !== undefined;
  if (isAlone && STT_REGISTRY.find(first.provider)?.capabilities.needsNoFallback === true) return first;
  return new FallbackStt(
    metered.map((candidate) => ({ stt: candidate, circuitBreaker: circuitBreakerOf(candidate.provider) })),
    clock,
  );
}
