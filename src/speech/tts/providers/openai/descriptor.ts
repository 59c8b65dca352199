import { languageCode } from "../../../languages.ts";
import { defineProvider } from "../../../provider-descriptor.ts";
import {
  addressVariable,
  apiKeyProblems,
  apiKeyVariable,
  httpAddressProblems,
  modelVariable,
  OPENAI_ADDRESS,
  trimmedAddress,
} from "../../../server-settings.ts";

/**
 * OpenAI's voices; its API has no endpoint that lists them:
 * https://platform.openai.com/docs/guides/text-to-speech#voice-options
 */
const OPENAI_VOICES = "alloy,ash,ballad,cedar,coral,echo,fable,marin,nova,onyx,sage,shimmer,verse";
/** The language of a name without one in OPENAI_TTS_VOICES. */
const LANGUAGE_DEFAULT = "en";

interface NamedVoice {
  name: string;
  language: string;
}

export const openAiTts = defineProvider({
  id: "openai",
  stage: "tts",
  capabilities: { connection: "http" },
  prices: ["charactersThousand"],
  variables: {
    OPENAI_TTS_API_KEY: apiKeyVariable("a TTS with OpenAI's API"),
    OPENAI_TTS_MODEL: modelVariable("gpt-4o-mini-tts", "a TTS with OpenAI's API"),
    OPENAI_TTS_URL: addressVariable(OPENAI_ADDRESS, "any server with `/audio/speech`"),
    OPENAI_TTS_VOICES: {
      defaultText: "OpenAI's own voices at OpenAI's address, else what the server lists at `/audio/voices`",
      format:
        "names, each followed by a colon and its language (`alloy:en,Thorsten:de`); `en` where no language is given",
      meaning:
        "the voices of a TTS with OpenAI's API. OpenAI's own voices speak many languages. Name a voice once for each language that " +
        "it is offered in: `alloy:en,alloy:de` gives the ids `openai/alloy` and `openai/alloy:de`. In other languages it speaks " +
        "only as a fallback",
    },
  },
  readSettings: ({ text }) => {
    const url = trimmedAddress(text("OPENAI_TTS_URL"));
    const names = text("OPENAI_TTS_VOICES", url === OPENAI_ADDRESS ? OPENAI_VOICES : "");
    return {
      url,
      apiKey: text("OPENAI_TTS_API_KEY") || undefined,
      model: text("OPENAI_TTS_MODEL"),
      voices: names === "" ? [] : names.split(",").map(namedVoice),
    };
  },
  problems: ({ url, apiKey, voices }) => [
    ...apiKeyProblems("OPENAI_TTS_API_KEY", apiKey, url === OPENAI_ADDRESS ? "is required with TTS=openai" : undefined),
    ...httpAddressProblems("OPENAI_TTS_URL", url),
    ...voicesProblems(voices),
  ],
  create: async (settings, { clock }) => (await import("./adapter.ts")).createOpenAiTts({ ...settings, clock }),
});

/** `name` or `name:language`. */
function namedVoice(given: string): NamedVoice {
  const [name = "", language = LANGUAGE_DEFAULT] = given.split(":").map((part) => part.trim());
  return { name, language };
}

function voicesProblems(voices: readonly NamedVoice[]): string[] {
  const all = voices.map(({ name, language }) => `${name}:${languageCode(language) ?? language}`);
  const repeated = new Set(all.filter((voice, index) => all.indexOf(voice) !== index));
  return [
    ...(voices.every(({ name, language }) => name !== "" && languageCode(language) !== undefined)
      ? []
      : [
          "OPENAI_TTS_VOICES must be names, separated by commas, each optionally followed by a colon and a language: alloy:en",
        ]),
    ...[...repeated].map(
      (voice) => `OPENAI_TTS_VOICES must name each voice once in a language, not ${JSON.stringify(voice)} twice`,
    ),
  ];
}
