import type { Clock } from "../../src/core/clock.ts";
import { codeOf } from "../../src/core/errors.ts";
import type { Engine } from "../../src/core/metrics.ts";
import { ProviderLine } from "../../src/speech/provider-line.ts";
import type { ClosableTts, Tts } from "../../src/speech/speech.ts";
import type { ChainedVoice } from "../../src/speech/voice-chain.ts";

/** A line of its own for a provider of a test, and what its watch was told, in order. */
export function lineFor(engine: Engine, provider: string, clock: Clock, streamsMax = Number.POSITIVE_INFINITY) {
  const told: string[] = [];
  const line = new ProviderLine({
    engine,
    provider,
    streamsMax,
    clock,
    watch: {
      known: () => told.push("known"),
      failed: (_engine, _provider, error) => told.push(codeOf(error)),
      leftAlone: (_engine, _provider, isLeftAlone) => told.push(isLeftAlone ? "left alone" : "answers again"),
    },
  });
  return { line, told };
}

/** `tts` under the name of `provider`, on a line of its own. */
export function voiceOf(
  provider: string,
  tts: Tts,
  clock: Clock,
  streamsMax?: number,
): ChainedVoice & { told: string[] } {
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
  return { tts: named, ...lineFor("voice", provider, clock, streamsMax) };
}
