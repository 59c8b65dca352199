import type { Clock } from "../../core/clock.ts";
import type { ClosableTts } from "../contracts.ts";
import { meteredTts } from "../metering/usage.ts";
import { createReferenceTts } from "../reference/tts.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { createCartesiaTts } from "./providers/cartesia.ts";
import { createElevenLabsTts } from "./providers/elevenlabs.ts";
import { createEspeak } from "./providers/espeak/espeak.ts";
import { createOpenAiTts } from "./providers/openai.ts";
import { TtsRouter } from "./router.ts";
import { type TtsSettings, ttsSettingsProblems } from "./settings.ts";
import { normalizingTts } from "./text-normalization/normalizing-tts.ts";

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

const FACTORIES: Readonly<Record<string, (options: TtsOptions) => ClosableTts>> = {
  cartesia: ({ settings, clock }) => createCartesiaTts({ ...settings.cartesia, clock }),
  elevenlabs: ({ settings, clock }) => createElevenLabsTts({ ...settings.elevenlabs, clock }),
  espeak: (options) => createEspeak(espeakOptions(options, "espeak")),
  openai: ({ settings, clock }) => createOpenAiTts({ ...settings.openai, clock }),
  reference: (options) => createReferenceTts(espeakOptions(options, "reference")),
};

const REFERENCE = "reference";

/** The names of all TTS providers. */
export const TTS_PROVIDERS: readonly string[] = Object.keys(FACTORIES);

/** The providers named in `tts`, the value of the variable TTS: in their order, each once. */
export const ttsProvidersIn = (tts: string): string[] => [...new Set(tts.split(",").map((name) => name.trim()))];

/** What is wrong with the comma-separated providers in `tts` and with their settings. */
export const ttsProblems = (tts: string, settings: TtsSettings): string[] =>
  ttsProvidersIn(tts).flatMap((name) =>
    Object.hasOwn(FACTORIES, name)
      ? ttsSettingsProblems(name, settings)
      : [`TTS must be one of ${Object.keys(FACTORIES).join(", ")}, not ${JSON.stringify(name)}`],
  );

/** One TTS of the providers that `tts` names. `tts` must have no problems. */
export const createTts = (tts: string, options: TtsOptions): TtsRouter =>
  new TtsRouter(
    ttsProvidersIn(tts).flatMap((name) => {
      const provider = FACTORIES[name]?.(options);
      if (provider === undefined) return [];
      const metered = meteredTts(provider);
      // The reference TTS speaks the text unchanged, because the reference STT decodes it to the letter.
      const tts = name === REFERENCE ? metered : normalizingTts(metered);
      return [{ tts, circuitBreaker: options.circuitBreakerOf(name) }];
    }),
    options.clock,
  );
