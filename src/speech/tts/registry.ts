import type { Clock } from "../../core/clock.ts";
import type { ClosableTts } from "../contracts.ts";
import { ttsMetering } from "../metering/usage.ts";
import { createReferenceTts } from "../reference/tts.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { createCartesiaTts } from "./providers/cartesia.ts";
import { createElevenLabsTts } from "./providers/elevenlabs.ts";
import { createEspeak } from "./providers/espeak/espeak.ts";
import { createOpenAiTts } from "./providers/openai.ts";
import { TtsRouter } from "./router.ts";
import { isTtsProvider, REFERENCE, type TtsProvider, type TtsSettings, ttsProvidersIn } from "./settings.ts";

export interface TtsOptions {
  settings: TtsSettings;
  /** How many eSpeak child processes each of espeak and reference runs. */
  espeakProcesses: number;
  clock: Clock;
  /** Called for each eSpeak child process that failed and will be replaced. */
  onProcessFailure: (provider: string, reason: string) => void;
  circuitBreakerOf: (provider: string) => CircuitBreaker;
}

const espeakOptions = ({ espeakProcesses, clock, onProcessFailure }: TtsOptions, provider: string) => ({
  children: espeakProcesses,
  clock,
  onProcessFailure: (reason: string) => onProcessFailure(provider, reason),
});

const FACTORIES: Readonly<Record<TtsProvider, (options: TtsOptions) => ClosableTts>> = {
  cartesia: ({ settings, clock }) => createCartesiaTts({ ...settings.cartesia, clock }),
  elevenlabs: ({ settings, clock }) => createElevenLabsTts({ ...settings.elevenlabs, clock }),
  espeak: (options) => createEspeak(espeakOptions(options, "espeak")),
  openai: ({ settings, clock }) => createOpenAiTts({ ...settings.openai, clock }),
  reference: (options) => createReferenceTts(espeakOptions(options, "reference")),
};

/** One TTS of the providers that `tts` names. `tts` must have no problems. */
export const createTts = (tts: string, options: TtsOptions): TtsRouter =>
  new TtsRouter(
    ttsProvidersIn(tts)
      .filter(isTtsProvider)
      .map((name) => ({
        tts: FACTORIES[name](options),
        circuitBreaker: options.circuitBreakerOf(name),
        metering: ttsMetering,
        // The reference TTS speaks the text unchanged, because the reference STT decodes it to the letter.
        normalizesText: name !== REFERENCE,
      })),
    options.clock,
  );
