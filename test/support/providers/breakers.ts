import type { Clock } from "../../../src/core/clock.ts";
import { codeOf } from "../../../src/core/errors.ts";
import type { Stage } from "../../../src/core/metrics/worker-metrics.ts";
import type { ClosableTts, Tts } from "../../../src/speech/contracts.ts";
import { CircuitBreaker } from "../../../src/speech/resilience/circuit-breaker.ts";
import type { TtsCandidate } from "../../../src/speech/tts/fallback.ts";

/** A line of its own for a provider of a test, and what its watch was told, in order. */
export function breakerFor(stage: Stage, provider: string, clock: Clock, streamsMax = Number.POSITIVE_INFINITY) {
  const told: string[] = [];
  const line = new CircuitBreaker({
    stage,
    provider,
    streamsMax,
    clock,
    observer: {
      registered: () => told.push("known"),
      failed: (_engine, _provider, error) => told.push(codeOf(error)),
      circuitChanged: (_engine, _provider, isLeftAlone) => told.push(isLeftAlone ? "left alone" : "answers again"),
    },
  });
  return { circuitBreaker: line, told };
}

/** `tts` under the name of `provider`, on a line of its own. */
export function ttsWithBreaker(
  provider: string,
  tts: Tts,
  clock: Clock,
  streamsMax?: number,
): TtsCandidate & { told: string[] } {
  const named: ClosableTts = {
    provider,
    capabilities: tts.capabilities,
    voices: async () =>
      (await tts.voices()).map((voice) => ({
        ...voice,
        provider,
        id: voice.id.replace(/^scripted\//, `${provider}/`),
      })),
    speak: (request, signal) => tts.speak(request, signal),
    close: () => {},
  };
  return { tts: named, ...breakerFor("tts", provider, clock, streamsMax) };
}
