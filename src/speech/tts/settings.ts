import { languageCode } from "../languages.ts";

/** Settings of the TTS providers that are network services. Each is used only if TTS names the provider. */
export interface TtsSettings {
  elevenlabs: { apiKey: string; model: string; url: string };
  cartesia: { apiKey: string; model: string; url: string };
  openai: {
    url: string;
    apiKey: string | undefined;
    model: string;
    voices: readonly { name: string; language: string }[];
  };
}

const PROVIDERS = ["cartesia", "elevenlabs", "espeak", "openai", "reference"] as const;
export type TtsProvider = (typeof PROVIDERS)[number];
export const REFERENCE = "reference";

/** The names of all TTS providers. */
export const TTS_PROVIDERS: readonly string[] = PROVIDERS;

/** Whether a TTS provider has this name, in lower case. */
export const isTtsProvider = (name: string): name is TtsProvider => TTS_PROVIDERS.includes(name);

/** The providers named in `tts`, the value of the variable TTS: in their order, each once. */
export const ttsProvidersIn = (tts: string): string[] => [...new Set(tts.split(",").map((name) => name.trim()))];

/** The address of OpenAI's own service. */
export const OPENAI_URL = "https://api.openai.com/v1";
/**
 * OpenAI's voices; its API has no endpoint that lists them:
 * https://platform.openai.com/docs/guides/text-to-speech#voice-options
 */
const OPENAI_VOICES = "alloy,ash,ballad,cedar,coral,echo,fable,marin,nova,onyx,sage,shimmer,verse";
/** The language of a name without one in OPENAI_TTS_VOICES. */
const LANGUAGE_DEFAULT = "en";

/** Reads the settings through `text`, which returns a variable's value, or `fallback` if it is empty. */
export function readTtsSettings(text: (key: string, fallback: string) => string): TtsSettings {
  const url = (key: string, fallback: string): string => text(key, fallback).replace(/\/+$/, "");
  const openAiUrl = url("OPENAI_TTS_URL", OPENAI_URL);
  const names = text("OPENAI_TTS_VOICES", openAiUrl === OPENAI_URL ? OPENAI_VOICES : "");
  return {
    elevenlabs: {
      apiKey: text("ELEVENLABS_API_KEY", ""),
      model: text("ELEVENLABS_MODEL", "eleven_flash_v2_5"),
      url: url("ELEVENLABS_URL", "https://api.elevenlabs.io"),
    },
    cartesia: {
      apiKey: text("CARTESIA_API_KEY", ""),
      model: text("CARTESIA_MODEL", "sonic-3.5"),
      url: url("CARTESIA_URL", "https://api.cartesia.ai"),
    },
    openai: {
      url: openAiUrl,
      apiKey: text("OPENAI_TTS_API_KEY", "") || undefined,
      model: text("OPENAI_TTS_MODEL", "gpt-4o-mini-tts"),
      voices: names === "" ? [] : names.split(",").map(namedVoice),
    },
  };
}

/** `name` or `name:language`. */
function namedVoice(given: string): { name: string; language: string } {
  const [name = "", language = LANGUAGE_DEFAULT] = given.split(":").map((part) => part.trim());
  return { name, language };
}

/** What is wrong with the comma-separated providers in `tts` and with their settings. */
export const ttsProblems = (tts: string, settings: TtsSettings): string[] =>
  ttsProvidersIn(tts).flatMap((name) =>
    isTtsProvider(name)
      ? settingsProblems(name, settings)
      : [`TTS must be one of ${TTS_PROVIDERS.join(", ")}, not ${JSON.stringify(name)}`],
  );

/**
 * What is wrong with the settings of the provider `name`: the variable, and what would be right. No problem quotes an
 * API key.
 */
function settingsProblems(name: TtsProvider, { elevenlabs, cartesia, openai }: TtsSettings): string[] {
  switch (name) {
    case "elevenlabs":
      return [
        ...apiKeyProblems("ELEVENLABS_API_KEY", name, elevenlabs.apiKey),
        ...urlProblems("ELEVENLABS_URL", elevenlabs.url),
      ];
    case "cartesia":
      return [
        ...apiKeyProblems("CARTESIA_API_KEY", name, cartesia.apiKey),
        ...urlProblems("CARTESIA_URL", cartesia.url),
      ];
    case "openai":
      return [
        ...(openai.url === OPENAI_URL || openai.apiKey !== undefined
          ? apiKeyProblems("OPENAI_TTS_API_KEY", name, openai.apiKey ?? "")
          : []),
        ...urlProblems("OPENAI_TTS_URL", openai.url),
        ...(openai.voices.every((voice) => voice.name !== "" && languageCode(voice.language) !== undefined)
          ? []
          : [
              "OPENAI_TTS_VOICES must be names, separated by commas, each optionally followed by a colon and a language: alloy:en",
            ]),
        ...duplicateVoices(openai.voices).map(
          (voice) => `OPENAI_TTS_VOICES must name each voice once in a language, not ${JSON.stringify(voice)} twice`,
        ),
      ];
    default:
      return [];
  }
}

/** Voices that are listed more than once with the same name and language. */
function duplicateVoices(voices: TtsSettings["openai"]["voices"]): string[] {
  const all = voices.map(({ name, language }) => `${name}:${languageCode(language) ?? language}`);
  return [...new Set(all.filter((voice, index) => all.indexOf(voice) !== index))];
}

function apiKeyProblems(key: string, name: string, value: string): string[] {
  if (value === "") return [`${key} is required with TTS=${name}`];
  return /^[\x21-\x7e]+$/.test(value) ? [] : [`${key} must be printable ASCII without spaces`];
}

const urlProblems = (key: string, value: string): string[] =>
  URL.canParse(value) && /^https?:\/\/[^?#@\\\s]+$/.test(value)
    ? []
    : [`${key} must be an http:// or https:// address without a query or a password`];
