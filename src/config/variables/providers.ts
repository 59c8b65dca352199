import {
  CONTEXT_TOKENS_DEFAULT,
  CONTEXT_TOKENS_LIMIT,
  CONTEXT_TOKENS_MIN,
  HISTORY_TOKENS_DEFAULT,
  HISTORY_TOKENS_LIMIT,
  HISTORY_TOKENS_MIN,
} from "../../core/limits/llm.ts";
import { STT_PROVIDERS } from "../../speech/stt/settings.ts";
import { TTS_PROVIDERS } from "../../speech/tts/settings.ts";
import type { Variable, Variables } from "./variable.ts";

const namesIn = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

const TRIAL_ONLY = "is not set either and `NODE_ENV` is not `production`";
const API_KEY_FORMAT = "printable ASCII without spaces";

const apiKey = (provider: string): Variable => ({ format: API_KEY_FORMAT, meaning: `the API key of ${provider}` });

const url = (address: string, meaning: string): Variable => ({
  default: address,
  format: address.startsWith("ws") ? "a `ws://` or `wss://` address" : "an `http://` or `https://` address",
  meaning,
});

const model = (name: string, provider: string): Variable => ({ default: name, meaning: `the model of ${provider}` });

const llm = (name: string, addition = ""): Variable => ({
  default: "reference",
  format:
    "`openai:<model>`, `anthropic:<model>`, `gemini:<model>`, `reference`; several, separated by commas, as fallbacks",
  meaning: `the LLM that serves \`${name}\`${addition}`,
});

/** The address of a streaming STT: its query parameters override those of the service. */
const sttUrl = (address: string, provider: string): Variable =>
  url(
    address,
    `the address of ${provider}; query parameters in it override those that the service would send (\`?language=de\`: every call ` +
      "is transcribed as German)",
  );

/** Which providers serve STT, LLM and TTS, and their API keys, addresses and models. */
export const PROVIDER_VARIABLES = {
  STT: {
    defaultText: `none; \`reference\` where \`TTS\` ${TRIAL_ONLY}`,
    format: `${namesIn(STT_PROVIDERS)}; several, separated by commas`,
    meaning: "the STT; each is the fallback of those before it",
  },
  TTS: {
    default: "espeak",
    defaultText: `\`espeak\`; \`reference\` where \`STT\` ${TRIAL_ONLY}`,
    format: `${namesIn(TTS_PROVIDERS)}; several, separated by commas`,
    meaning: "the TTS: the voices of all are offered, and the others are the fallback of one that fails",
  },
  MODEL_A: llm("model_a"),
  MODEL_B: llm("model_b", ", the default of calls"),
  MODEL_C: llm("model_c"),
  DEEPGRAM_API_KEY: apiKey("Deepgram (STT)"),
  DEEPGRAM_MODEL: model("nova-3", "Deepgram"),
  DEEPGRAM_URL: sttUrl("wss://api.deepgram.com/v1/listen", "Deepgram"),
  ASSEMBLYAI_API_KEY: apiKey("AssemblyAI (STT)"),
  ASSEMBLYAI_MODEL: model("universal-3-6-pro", "AssemblyAI"),
  ASSEMBLYAI_URL: sttUrl("wss://streaming.assemblyai.com/v3/ws", "AssemblyAI"),
  OPENAI_STT_API_KEY: apiKey("an STT with OpenAI's API"),
  OPENAI_STT_MODEL: model("gpt-transcribe", "an STT with OpenAI's API"),
  OPENAI_STT_URL: url("https://api.openai.com/v1", "any server with `/audio/transcriptions`"),
  OPENAI_STT_LANGUAGE_DETECTION: {
    defaultText: "`on` for `gpt-transcribe` and `whisper-1` at OpenAI's own address, else `off`",
    oneOf: ["on", "off"],
    meaning:
      "`on`: the server is given no language and must report the one that it detects, your own server in its answer to " +
      "`response_format=verbose_json`; see [languages](languages.md#which-stt-provider-detects-the-language)",
  },
  OPENAI_API_KEY: apiKey("an LLM with OpenAI's API"),
  OPENAI_BASE_URL: url("https://api.openai.com/v1", "any server with `/chat/completions`"),
  ANTHROPIC_API_KEY: apiKey("Anthropic (LLM)"),
  ANTHROPIC_BASE_URL: url("https://api.anthropic.com", "the address of Anthropic"),
  GEMINI_API_KEY: apiKey("Gemini (LLM)"),
  GEMINI_BASE_URL: url("https://generativelanguage.googleapis.com", "the address of Gemini"),
  ELEVENLABS_API_KEY: apiKey("ElevenLabs (TTS)"),
  ELEVENLABS_MODEL: model("eleven_flash_v2_5", "ElevenLabs"),
  ELEVENLABS_URL: url("https://api.elevenlabs.io", "the address of ElevenLabs"),
  CARTESIA_API_KEY: apiKey("Cartesia (TTS)"),
  CARTESIA_MODEL: model("sonic-3.5", "Cartesia"),
  CARTESIA_URL: url("https://api.cartesia.ai", "the address of Cartesia"),
  OPENAI_TTS_API_KEY: apiKey("a TTS with OpenAI's API"),
  OPENAI_TTS_MODEL: model("gpt-4o-mini-tts", "a TTS with OpenAI's API"),
  OPENAI_TTS_URL: url("https://api.openai.com/v1", "any server with `/audio/speech`"),
  OPENAI_TTS_VOICES: {
    defaultText: "OpenAI's own voices at OpenAI's address, else what the server lists at `/audio/voices`",
    format:
      "names, each followed by a colon and its language (`alloy:en,Thorsten:de`); `en` where no language is given",
    meaning:
      "the voices of a TTS with OpenAI's API. OpenAI's own voices speak many languages. Name a voice once for each language that " +
      "it is offered in: `alloy:en,alloy:de` gives the ids `openai/alloy` and `openai/alloy:de`. In other languages it speaks " +
      "only as a fallback",
  },
  PROVIDER_STREAMS_MAX: {
    format: "`elevenlabs:5,deepgram:50`",
    meaning:
      "how many streams a provider may have at once, of each kind and in each process; further calls go to the next fallback",
  },
  CONTEXT_TOKENS: {
    defaultText: `the published contexts of the models of OpenAI, Anthropic and Google; ${CONTEXT_TOKENS_DEFAULT} for any other`,
    format: `\`openai:llama3.2=8192,openai:gpt-oss:20b=131072\`, each ${CONTEXT_TOKENS_MIN} to ${CONTEXT_TOKENS_LIMIT}`,
    meaning:
      "the context of models in tokens, prompt and answer together; see [providers](providers.md#what-an-llm-is-sent)",
  },
  HISTORY_TOKENS_MAX: {
    default: String(HISTORY_TOKENS_DEFAULT),
    range: [HISTORY_TOKENS_MIN, HISTORY_TOKENS_LIMIT],
    meaning:
      "how much of the conversation an LLM is sent in addition to the system prompt and the tools, in estimated tokens; about an " +
      "hour of talk by default",
  },
  PREEMPTIVE_REPLIES: {
    default: "off",
    oneOf: ["on", "off"],
    meaning:
      "`on`: preemptive generation. The LLM is asked as soon as the caller's words have not changed for 200 ms; the reply is " +
      "cancelled when they change. Replies are heard sooner, and up to three more LLM requests a turn are billed; they count for " +
      "`CALL_LLM_REQUESTS_PER_MINUTE`, which you may have to raise",
  },
  PHRASES_FILE: {
    format: "a JSON file",
    meaning:
      "adds or changes the service's own phrases, by language; see [languages](languages.md#your-own-phrases-phrases_file)",
  },
  ESPEAK_PROCESSES: {
    default: "2",
    range: [1, 16],
    meaning: "eSpeak processes of the media worker; the control process has one more",
  },
} as const satisfies Variables;
