import type { Variable, Variables } from "../../core/configuration/variable.ts";
import {
  CONTEXT_TOKENS_DEFAULT,
  CONTEXT_TOKENS_LIMIT,
  CONTEXT_TOKENS_MIN,
  HISTORY_TOKENS_DEFAULT,
  HISTORY_TOKENS_LIMIT,
  HISTORY_TOKENS_MIN,
} from "../../core/limits/speech-providers/llm.ts";
import { LLM_PROVIDERS } from "../../speech/llm/providers/list.ts";
import { LLM_REGISTRY } from "../../speech/llm/registry.ts";
import { apiKeyVariable } from "../../speech/server-settings.ts";
import { STT_REGISTRY } from "../../speech/stt/registry.ts";
import { TTS_REGISTRY } from "../../speech/tts/registry.ts";

const inCode = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

const LLM_NAMES = LLM_PROVIDERS.map(({ id, capabilities }) =>
  capabilities.models === undefined ? id : `${id}:<model>`,
);

const llm = (name: string, addition = ""): Variable => ({
  default: LLM_REGISTRY.testInstrument.id,
  format: `${inCode(LLM_NAMES)}; several, separated by commas, as fallbacks`,
  meaning: `the LLM that serves \`${name}\`${addition}`,
});

/** Which providers serve STT, LLM and TTS, with the variables of each provider, and what applies to all of them. */
export const PROVIDER_VARIABLES = {
  STT: {
    default: "local",
    format: `${inCode(STT_REGISTRY.ids.toSorted())}; several, separated by commas`,
    meaning:
      "the STT; each is the fallback of those before it, in calls whose language it transcribes; see " +
      "[languages](languages.md#which-languages-calls-can-have)",
  },
  TTS: {
    default: "espeak",
    format: `${inCode(TTS_REGISTRY.ids.toSorted())}; several, separated by commas`,
    meaning: "the TTS: the voices of all are offered, and the others are the fallback of one that fails",
  },
  MODEL_A: llm("model_a"),
  MODEL_B: llm("model_b", ", the default of calls"),
  MODEL_C: llm("model_c"),
  ...STT_REGISTRY.variables,
  ...LLM_REGISTRY.variables,
  ...TTS_REGISTRY.variables,
  EMBEDDINGS_BASE_URL: {
    format: "an address",
    meaning:
      "any server with OpenAI's `/embeddings`: passages of corpora are then found by their meaning too, not by words alone; needs " +
      "`EMBEDDINGS_MODEL`. It gets the texts of all documents and questions. See [knowledge](knowledge.md#how-passages-are-found)",
  },
  EMBEDDINGS_MODEL: {
    format: "a model of that server",
    meaning: "makes the vectors; after a change those of all documents are made again",
  },
  EMBEDDINGS_API_KEY: apiKeyVariable("embeddings"),
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
  VAD: {
    default: "silero",
    oneOf: ["silero", "fvad"] as const,
    meaning:
      "what detects the caller's speech, for barge-in and the end of a turn. `silero`: two stages, the WebRTC VAD and then a " +
      "small neural network, which keeps speech and noise or music apart. `fvad`: the WebRTC VAD alone, for less CPU; see [speech " +
      "detection](turn-taking.md#speech-detection)",
  },
  PREEMPTIVE_REPLIES: {
    default: "off",
    oneOf: ["on", "off"],
    meaning:
      "`on`: preemptive generation. The LLM is asked at a pause that probably ends the caller's turn; the reply is " +
      "cancelled when the words change. Replies are heard sooner, and up to three more LLM requests a turn are billed; they count for " +
      "`CALL_LLM_REQUESTS_PER_MINUTE`, which you may have to raise",
  },
  PHRASES_FILE: {
    format: "a JSON file",
    meaning:
      "adds or changes the service's own phrases, by language; see [languages](languages.md#your-own-phrases-phrases_file)",
  },
} satisfies Variables;
