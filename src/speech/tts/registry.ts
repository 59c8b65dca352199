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
  /** How many programs a voice runs that is one. */
  espeakProcesses: number;
  clock: Clock;
  /** Told of each voice program that is lost and will be replaced. */
  onProcessFailure: (provider: string, why: string) => void;
  circuitBreakerOf: (provider: string) => CircuitBreaker;
}

const espeakOptions = ({ espeakProcesses, clock, onProcessFailure }: TtsOptions, provider: string) => ({
  children: espeakProcesses,
  clock,
  onTrouble: (why: string) => onProcessFailure(provider, why),
});

const FACTORIES: Readonly<Record<string, (options: TtsOptions) => ClosableTts>> = {
  cartesia: ({ settings, clock }) => createCartesiaTts({ ...settings.cartesia, clock }),
  elevenlabs: ({ settings, clock }) => createElevenLabsTts({ ...settings.elevenlabs, clock }),
  espeak: (options) => createEspeak(espeakOptions(options, "espeak")),
  openai: ({ settings, clock }) => createOpenAiTts({ ...settings.openai, clock }),
  reference: (options) => createReferenceTts(espeakOptions(options, "reference")),
};

const REFERENCE = "reference";

/** Every provider of a voice. */
export const TTS_PROVIDERS: readonly string[] = Object.keys(FACTORIES);

/** The names in `tts`, each once, the first first. */
/** The providers that TTS names, each once. */
export const ttsProvidersIn = (tts: string): string[] => [...new Set(tts.split(",").map((name) => name.trim()))];

/** What is wrong with the voices that `tts` names, separated by commas, and with what they are told. */
export const ttsProblems = (tts: string, settings: TtsSettings): string[] =>
  ttsProvidersIn(tts).flatMap((name) =>
    Object.hasOwn(FACTORIES, name)
      ? ttsSettingsProblems(name, settings)
      : [`TTS must be one of ${Object.keys(FACTORIES).join(", ")}, not ${JSON.stringify(name)}`],
  );

/** The voices that `tts` names, which has no problems, as one; each speaks through the line of its provider. */
export const createTts = (tts: string, options: TtsOptions): TtsRouter =>
  new TtsRouter(
    ttsProvidersIn(tts).flatMap((name) => {
      const made = FACTORIES[name]?.(options);
      if (made === undefined) return [];
      const voice = meteredTts(made);
      // What the reference voice says is read by the reference ear, to the letter.
      return [
        { tts: name === REFERENCE ? voice : normalizingTts(voice), circuitBreaker: options.circuitBreakerOf(name) },
      ];
    }),
    options.clock,
  );
