import type { Clock } from "../../core/clock.ts";
import type { CallStt, Stt } from "../contracts.ts";
import { meteredStt } from "../metering/usage.ts";
import { type ConfiguredProviders, namesIn } from "../provider-registry.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { FallbackStt } from "./fallback.ts";
import { STT_REGISTRY } from "./registry.ts";

/**
 * Creates the STT that a valid configuration names, as one provider. Each stream is opened with a permit of its
 * provider's circuit breaker.
 */
export async function createStt(
  stt: string,
  configured: ConfiguredProviders<"stt">,
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  clock: Clock,
): Promise<CallStt> {
  const created = namesIn(stt).flatMap((name) => configured.get(name)?.create({ clock }) ?? []);
  return withFallbacks(await Promise.all(created), circuitBreakerOf, clock);
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
