import type { Clock } from "../core/clock.ts";
import { meteredVoice } from "./metered.ts";
import type { ProviderLine } from "./provider-line.ts";
import { createCartesia } from "./providers/cartesia.ts";
import { createElevenLabs } from "./providers/elevenlabs.ts";
import { createEspeak } from "./providers/espeak.ts";
import { createOpenAiVoice } from "./providers/openai-voice.ts";
import { createReferenceVoice } from "./providers/reference-voice.ts";
import { SeveralVoices } from "./several-voices.ts";
import type { ClosableTts } from "./speech.ts";
import { withSpokenText } from "./spoken-voice.ts";
import { type VoiceSettings, voiceProblems } from "./voice-settings.ts";

export interface VoicesOptions {
  settings: VoiceSettings;
  /** How many programs a voice runs that is one. */
  espeakProcesses: number;
  clock: Clock;
  /** Told of each voice program that is lost and will be replaced. */
  onTrouble: (provider: string, why: string) => void;
  lineOf: (provider: string) => ProviderLine;
}

const espeakOptions = ({ espeakProcesses, clock, onTrouble }: VoicesOptions, provider: string) => ({
  children: espeakProcesses,
  clock,
  onTrouble: (why: string) => onTrouble(provider, why),
});

const VOICES: Readonly<Record<string, (options: VoicesOptions) => ClosableTts>> = {
  cartesia: ({ settings, clock }) => createCartesia({ ...settings.cartesia, clock }),
  elevenlabs: ({ settings, clock }) => createElevenLabs({ ...settings.elevenlabs, clock }),
  espeak: (options) => createEspeak(espeakOptions(options, "espeak")),
  openai: ({ settings, clock }) => createOpenAiVoice({ ...settings.openai, clock }),
  reference: (options) => createReferenceVoice(espeakOptions(options, "reference")),
};

const REFERENCE = "reference";

/** Every provider of a voice. */
export const VOICE_PROVIDERS: readonly string[] = Object.keys(VOICES);

/** The providers that TTS names, each once. */
export const voiceProvidersIn = (tts: string): string[] => [...new Set(tts.split(",").map((name) => name.trim()))];

/** What is wrong with the voices that `tts` names, separated by commas, and with what they are told. */
export const voicesProblems = (tts: string, settings: VoiceSettings): string[] =>
  voiceProvidersIn(tts).flatMap((name) =>
    Object.hasOwn(VOICES, name)
      ? voiceProblems(name, settings)
      : [`TTS must be one of ${Object.keys(VOICES).join(", ")}, not ${JSON.stringify(name)}`],
  );

/** The voices that `tts` names, which has no problems, as one; each speaks through the line of its provider. */
export const createVoices = (tts: string, options: VoicesOptions): SeveralVoices =>
  new SeveralVoices(
    voiceProvidersIn(tts).flatMap((name) => {
      const made = VOICES[name]?.(options);
      if (made === undefined) return [];
      const voice = meteredVoice(made);
      // What the reference voice says is read by the reference ear, to the letter.
      return [{ tts: name === REFERENCE ? voice : withSpokenText(voice), line: options.lineOf(name) }];
    }),
    options.clock,
  );
