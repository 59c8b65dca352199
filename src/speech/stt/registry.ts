import type { Clock } from "../../core/clock.ts";
import type { Stt } from "../contracts.ts";
import { meteredStt } from "../metering/usage.ts";
import { createReferenceStt } from "../reference/stt.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { FallbackStt } from "./fallback.ts";
import { createAssemblyAiStt } from "./providers/assemblyai.ts";
import { createDeepgramStt } from "./providers/deepgram.ts";
import { createOpenAiStt } from "./providers/openai.ts";

/** What the ears over the network need to be told; each is used only where STT names it. */
export interface SttSettings {
  deepgram: SttServer;
  assemblyai: SttServer;
  /** `languageDetection` is `on` or `off`, or anything that has been given in its place; empty where the model decides. */
  openai: SttServer & { languageDetection: string };
}

interface SttServer {
  apiKey: string | undefined;
  model: string;
  url: string;
}

/** What an ear's variables are called, what they are where nobody sets them, and which addresses it has. */
interface Variables {
  apiKeyVariable: string;
  model: readonly [variable: string, fallback: string];
  url: readonly [variable: string, fallback: string];
  protocols: readonly [string, string];
}

const VARIABLES: Readonly<Record<keyof SttSettings, Variables>> = {
  deepgram: {
    apiKeyVariable: "DEEPGRAM_API_KEY",
    model: ["DEEPGRAM_MODEL", "nova-3"],
    url: ["DEEPGRAM_URL", "wss://api.deepgram.com/v1/listen"],
    protocols: ["wss:", "ws:"],
  },
  assemblyai: {
    apiKeyVariable: "ASSEMBLYAI_API_KEY",
    model: ["ASSEMBLYAI_MODEL", "universal-3-6-pro"],
    url: ["ASSEMBLYAI_URL", "wss://streaming.assemblyai.com/v3/ws"],
    protocols: ["wss:", "ws:"],
  },
  openai: {
    apiKeyVariable: "OPENAI_STT_API_KEY",
    model: ["OPENAI_STT_MODEL", "gpt-transcribe"],
    url: ["OPENAI_STT_URL", "https://api.openai.com/v1"],
    protocols: ["https:", "http:"],
  },
};

const LANGUAGE_DETECTION = "OPENAI_STT_LANGUAGE_DETECTION";
/** OpenAI's own models that report the language; other servers may use any model names. */
const DETECTING_MODEL = /^(?:gpt-transcribe(?:-.*)?|whisper-1)$/;

/** What a server over WebSocket is shown that asks for no key. */
const NO_API_KEY = "none";

const REFERENCE = "reference";

const FACTORIES: Readonly<Record<string, (settings: SttSettings, clock: Clock) => Stt>> = {
  assemblyai: ({ assemblyai: { apiKey = NO_API_KEY, model, url } }, clock) =>
    createAssemblyAiStt({ apiKey, model, url, clock }),
  deepgram: ({ deepgram: { apiKey = NO_API_KEY, model, url } }, clock) =>
    createDeepgramStt({ apiKey, model, url, clock }),
  openai: ({ openai }) => createOpenAiStt({ ...openai, languageDetection: detectsLanguage(openai) }),
  reference: createReferenceStt,
};

/** Every provider of an ear. */
export const STT_PROVIDERS: readonly string[] = Object.keys(FACTORIES);

/** Reads the settings through `text`, which gives a variable's value, or the other where it is empty. */
export function readSttSettings(text: (key: string, fallback: string) => string): SttSettings {
  const server = ({ apiKeyVariable, model, url }: Variables): SttServer => ({
    apiKey: text(apiKeyVariable, "") || undefined,
    model: text(...model),
    url: text(...url).replace(/\/+$/, ""),
  });
  return {
    deepgram: server(VARIABLES.deepgram),
    assemblyai: server(VARIABLES.assemblyai),
    openai: { ...server(VARIABLES.openai), languageDetection: text(LANGUAGE_DETECTION, "") },
  };
}

function detectsLanguage({ languageDetection, model, url }: SttSettings["openai"]): boolean {
  if (languageDetection !== "") return languageDetection === "on";
  return url === VARIABLES.openai.url[1] && DETECTING_MODEL.test(model);
}

/** The names in `stt`, separated by commas, each once, the first first. */
const namesIn = (stt: string): string[] => [...new Set(stt.split(",").map((name) => name.trim()))];

/** What is wrong with the ears that a configuration names: the variable, and what would be right. No problem quotes a key. */
export const sttProblems = (stt: string, settings: SttSettings): string[] =>
  namesIn(stt).flatMap((name) => problemsOf(name, settings));

function problemsOf(name: string, settings: SttSettings): string[] {
  if (!Object.hasOwn(FACTORIES, name)) {
    return [`STT must be one of ${Object.keys(FACTORIES).join(", ")}, not ${JSON.stringify(name)}`];
  }
  if (!isOverNetwork(name)) return [];
  const { apiKeyVariable, url: address, protocols } = VARIABLES[name];
  const { apiKey, url } = settings[name];
  const problems: string[] = [];
  // A server of one's own may ask for none.
  if (apiKey === undefined && url === address[1]) problems.push(`${apiKeyVariable} must be set beside STT=${name}`);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    problems.push(`${apiKeyVariable} must be printable ASCII without spaces`);
  }
  if (!isAddress(url, protocols)) {
    const query = name === "openai" ? "a query, " : "";
    problems.push(
      `${address[0]} must be a ${protocols.join("// or ")}// address without ${query}a fragment or a password`,
    );
  }
  if (name === "openai") problems.push(...detectionProblems(settings.openai));
  return problems;
}

const detectionProblems = ({ languageDetection }: SttSettings["openai"]): string[] =>
  ["", "on", "off"].includes(languageDetection)
    ? []
    : [`${LANGUAGE_DETECTION} must be on or off, not ${JSON.stringify(languageDetection)}`];

/** The ears that a configuration without problems names, as one; each is opened through the line of its provider. */
export function createStt(
  stt: string,
  settings: SttSettings,
  lineOf: (provider: string) => CircuitBreaker,
  clock: Clock,
): Stt {
  const made = namesIn(stt).flatMap((name) => FACTORIES[name]?.(settings, clock) ?? []);
  const ears = made.map(meteredStt);
  const [first] = ears;
  // The reference ear hears what the reference voice says, and nobody else: silence is no failure of it.
  if (ears.length === 1 && first?.provider === REFERENCE) return first;
  return new FallbackStt(
    ears.map((ear) => ({ stt: ear, circuitBreaker: lineOf(ear.provider) })),
    clock,
  );
}

const isOverNetwork = (name: string): name is keyof SttSettings => Object.hasOwn(VARIABLES, name);

/** Those over WebSocket may have a query, which tells the provider more; behind the other a path is put. */
function isAddress(url: string, protocols: readonly string[]): boolean {
  if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol)) return false;
  return protocols.includes("ws:") ? /^[^#@\\\s]+$/.test(url) : /^[^?#@\\\s]+$/.test(url);
}
