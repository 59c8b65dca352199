import type { Clock } from "../../core/clock.ts";
import type { CallStt, Stt } from "../contracts.ts";
import { meteredStt } from "../metering/usage.ts";
import { createReferenceStt } from "../reference/stt.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { FallbackStt } from "./fallback.ts";
import { createAssemblyAiStt } from "./providers/assemblyai.ts";
import { createDeepgramStt } from "./providers/deepgram.ts";
import { createOpenAiStt } from "./providers/openai.ts";
import {
  detectsLanguage,
  isSttProvider,
  REFERENCE,
  type SttProvider,
  type SttSettings,
  sttNamesIn,
} from "./settings.ts";

/** The placeholder for servers over WebSocket that need no API key. */
const NO_API_KEY = "none";

const FACTORIES: Readonly<Record<SttProvider, (settings: SttSettings, clock: Clock) => Stt>> = {
  assemblyai: ({ assemblyai: { apiKey = NO_API_KEY, model, url } }, clock) =>
    createAssemblyAiStt({ apiKey, model, url, clock }),
  deepgram: ({ deepgram: { apiKey = NO_API_KEY, model, url } }, clock) =>
    createDeepgramStt({ apiKey, model, url, clock }),
  openai: ({ openai }) => createOpenAiStt({ ...openai, languageDetection: detectsLanguage(openai) }),
  reference: createReferenceStt,
};

/**
 * Creates the STT that a valid configuration names, as one provider. Each stream is opened with a permit of its
 * provider's circuit breaker.
 */
export function createStt(
  stt: string,
  settings: SttSettings,
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  clock: Clock,
): CallStt {
  const candidates = sttNamesIn(stt)
    .filter(isSttProvider)
    .map((name) => meteredStt(FACTORIES[name](settings, clock)));
  const [first] = candidates;
  // The reference STT decodes only the reference TTS: no transcript of a person's speech is no failure.
  if (candidates.length === 1 && first?.provider === REFERENCE) return first;
  return new FallbackStt(
    candidates.map((candidate) => ({ stt: candidate, circuitBreaker: circuitBreakerOf(candidate.provider) })),
    clock,
  );
}
