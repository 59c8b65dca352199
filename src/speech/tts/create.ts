import type { Clock } from "../../core/clock.ts";
import { ttsMetering } from "../metering/usage.ts";
import { type ConfiguredProviders, namesIn } from "../provider-registry.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import type { SpeechCache } from "./cache.ts";
import { TTS_REGISTRY } from "./registry.ts";
import { TtsRouter } from "./router.ts";

export interface TtsOptions {
  configured: ConfiguredProviders<"tts">;
  /** Only the voices are listed: no provider needs more than one child process. */
  listsVoicesOnly: boolean;
  clock: Clock;
  /** Called for each child process of a provider that failed and will be replaced. */
  onProcessFailure: (provider: string, reason: string) => void;
  circuitBreakerOf: (provider: string) => CircuitBreaker;
  /** A new one by default. */
  cache?: SpeechCache;
}

/** One TTS of the providers that `tts` names. `tts` must have no problems. */
export async function createTts(tts: string, options: TtsOptions): Promise<TtsRouter> {
  const { configured, listsVoicesOnly, clock, onProcessFailure, circuitBreakerOf, cache } = options;
  const created = namesIn(tts).flatMap(
    (name) =>
      configured.get(name)?.create({
        clock,
        listsVoicesOnly,
        onProcessFailure: (reason) => onProcessFailure(name, reason),
      }) ?? [],
  );
  const adapters = await Promise.all(created);
  return new TtsRouter(
    adapters.map((adapter) => ({
      tts: adapter,
      circuitBreaker: circuitBreakerOf(adapter.provider),
      metering: ttsMetering,
      normalizesText: TTS_REGISTRY.find(adapter.provider)?.capabilities.speaksTextUnchanged !== true,
    })),
    clock,
    cache,
  );
}
