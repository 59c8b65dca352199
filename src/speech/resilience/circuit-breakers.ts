import type { Stage } from "../../core/calls/stages.ts";
import type { Clock } from "../../core/clock.ts";
import { CircuitBreaker, type CircuitBreakerObserver } from "./circuit-breaker.ts";

/**
 * The circuit breakers of providers by stage: one for each provider, shared by all its models. A provider that `streamsMax`
 * does not list has no limit of streams.
 */
export function circuitBreakers(
  streamsMax: Readonly<Record<string, number>>,
  clock: Clock,
  observer: CircuitBreakerObserver,
): (stage: Stage) => (provider: string) => CircuitBreaker {
  const breakers = new Map<string, CircuitBreaker>();
  return (stage) => (provider) => {
    const id = `${stage} ${provider}`;
    const max = streamsMax[provider] ?? Number.POSITIVE_INFINITY;
    const breaker = breakers.get(id) ?? new CircuitBreaker({ stage, provider, streamsMax: max, clock, observer });
    breakers.set(id, breaker);
    return breaker;
  };
}
