import { primaryLanguage } from "../../../../core/text/language-tags.ts";
import { openAiCode } from "../../../openai-languages.ts";
import { defineProvider } from "../../../provider-descriptor.ts";
import {
  addressVariable,
  apiKeyProblems,
  apiKeyVariable,
  modelVariable,
  OPENAI_ADDRESS,
  trimmedAddress,
} from "../../../server-settings.ts";

/** OpenAI's own models that report the language; other servers may use any model names. */
const DETECTING_MODEL = /^(?:gpt-transcribe(?:-.*)?|whisper-1)$/;

/** Whisper models that only know English: `Systran/faster-whisper-small.en`, `distil-whisper/distil-large-v3`. */
const ENGLISH_MODEL = /\.en(?:-\w+)?(?:\.bin)?$|(?:^|\/)(?:distil-(?:large|medium|small)|faster-distil-whisper)-/i;

interface Settings {
  apiKey: string | undefined;
  model: string;
  url: string;
  /** `on` or `off`, or an invalid value as given; empty where the model decides. */
  languageDetection: string;
}

export const openAiStt = defineProvider({
  id: "openai",
  stage: "stt",
  capabilities: { connection: "http" },
  variables: {
    OPENAI_STT_API_KEY: apiKeyVariable("an STT with OpenAI's API"),
    OPENAI_STT_MODEL: modelVariable("gpt-transcribe", "an STT with OpenAI's API"),
    OPENAI_STT_URL: addressVariable(OPENAI_ADDRESS, "any server with `/audio/transcriptions`"),
    OPENAI_STT_LANGUAGE_DETECTION: {
      defaultText: "`on` for `gpt-transcribe` and `whisper-1` at OpenAI's own address, else `off`",
      oneOf: ["on", "off"],
      meaning:
        "`on`: the server is given no language and must report the one that it detects, your own server in its answer to " +
        "`response_format=verbose_json`; see [languages](languages.md#which-stt-provider-detects-the-language)",
    },
  },
  readSettings: ({ text }): Settings => ({
    apiKey: text("OPENAI_STT_API_KEY") || undefined,
    model: text("OPENAI_STT_MODEL"),
    url: trimmedAddress(text("OPENAI_STT_URL")),
    languageDetection: text("OPENAI_STT_LANGUAGE_DETECTION"),
  }),
  problems: ({ apiKey, url, languageDetection }) => [
    ...apiKeyProblems("OPENAI_STT_API_KEY", apiKey, url === OPENAI_ADDRESS ? "must be set with STT=openai" : undefined),
    ...addressProblems(url),
    ...(["", "on", "off"].includes(languageDetection)
      ? []
      : [`OPENAI_STT_LANGUAGE_DETECTION must be on or off, not ${JSON.stringify(languageDetection)}`]),
  ],
  servesLanguage: ({ model }, language) =>
    ENGLISH_MODEL.test(model) ? primaryLanguage(language) === "en" : openAiCode(language) !== undefined,
  create: async (settings) =>
    (await import("./adapter.ts")).createOpenAiStt({ ...settings, languageDetection: detectsLanguage(settings) }),
  createBatch: async (settings) =>
    (await import("./batch.ts")).createOpenAiBatchStt({
      ...settings,
      languageDetection: detectsLanguage(settings),
      wordTimes: settings.url !== OPENAI_ADDRESS || settings.model === "whisper-1",
    }),
});

/** Whether the server detects the language: as configured, or by its model at OpenAI's own address. */
function detectsLanguage({ languageDetection, model, url }: Settings): boolean {
  if (languageDetection !== "") return languageDetection === "on";
  return url === OPENAI_ADDRESS && DETECTING_MODEL.test(model);
}

const addressProblems = (url: string): string[] =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && /^[^?#@\\\s]+$/.test(url)
    ? []
    : ["OPENAI_STT_URL must be a https:// or http:// address without a query, a fragment or a password"];
