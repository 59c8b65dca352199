import type { Clock } from "../../core/clock.ts";
import type { CallStt } from "../contracts.ts";
import { remembered } from "../languages.ts";
import { meteredStt } from "../metering/usage.ts";
import type { SttDeps } from "../provider-descriptor.ts";
import { type ConfiguredProviders, namesIn } from "../provider-registry.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import type { SttCandidate } from "./candidates.ts";
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
  openLocalSpeech: SttDeps["openLocalSpeech"],
): Promise<CallStt> {
  const candidates = namesIn(stt).map(async (name): Promise<SttCandidate[]> => {
    const provider = configured.get(name);
    if (provider === undefined) return [];
    const created = meteredStt(await provider.create({ clock, openLocalSpeech }));
    const servesLanguage = remembered((language) => provider.servesLanguage(language));
    return [{ stt: created, circuitBreaker: circuitBreakerOf(created.provider), servesLanguage }];
  });
  return withFallbacks((await Promise.all(candidates)).flat(), clock);
}

function withFallbacks(candidates: readonly SttCandidate[], clock: Clock): CallStt {
  const [first] = candidates;
  const isAlone = candidates.length === 1 && first !== undefined;
  if (isAlone && STT_REGISTRY.find(first.stt.provider)?.capabilities.needsNoFallback === true) return first.stt;
  return new FallbackStt(candidates, clock);
}
