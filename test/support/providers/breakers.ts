import type { Stage } from "../../../src/core/calls/stages.ts";
import type { Clock } from "../../../src/core/clock.ts";
import { codeOf } from "../../../src/core/errors.ts";
import type { ClosableTts, Tts } from "../../../src/speech/contracts.ts";
import { CircuitBreaker } from "../../../src/speech/resilience/circuit-breaker.ts";
import type { TtsCandidate } from "../../../src/speech/tts/fallback.ts";

/** A circuit breaker for a provider of a test, and what its observer was called with, in order. */
export function breakerFor(stage: Stage, provider: string, clock: Clock, streamsMax = Number.POSITIVE_INFINITY) {
  const reports: string[] = [];
  const circuitBreaker = new CircuitBreaker({
    stage,
    provider,
    streamsMax,
    clock,
    observer: {
      registered: () => reports.push("registered"),
      failed: (_stage, _provider, error) => reports.push(codeOf(error)),
      circuitChanged: (_stage, _provider, isOpen) => reports.push(isOpen ? "open" : "closed"),
    },
  });
  return { circuitBreaker, reports };
}

/** `tts` under the name of `provider`, with a circuit breaker of its own. */
export function ttsWithBreaker(
  provider: string,
  tts: Tts,
  clock: Clock,
  streamsMax?: number,
): TtsCandidate & { reports: string[] } {
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
