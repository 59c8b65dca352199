/** The settings of the STT providers over the network; each is used only where STT names it. */
export interface SttSettings {
  deepgram: SttServer;
  assemblyai: SttServer;
  /** `languageDetection` is `on` or `off`, or an invalid value as given; empty where the model decides. */
  openai: SttServer & { languageDetection: string };
}

interface SttServer {
  apiKey: string | undefined;
  model: string;
  url: string;
}

/** The names and defaults of a provider's variables, and the protocols of its address. */
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

const NETWORK_PROVIDERS = ["assemblyai", "deepgram", "openai"] as const;
export const REFERENCE = "reference";
export type SttProvider = (typeof NETWORK_PROVIDERS)[number] | typeof REFERENCE;

/** The names of all STT providers. */
export const STT_PROVIDERS: readonly string[] = [...NETWORK_PROVIDERS, REFERENCE];

/** Whether an STT provider has this name, in lower case. */
export const isSttProvider = (name: string): name is SttProvider => STT_PROVIDERS.includes(name);

/** The names in a comma-separated list, in order and without duplicates. */
export const sttNamesIn = (stt: string): string[] => [...new Set(stt.split(",").map((name) => name.trim()))];

/** Reads the settings through `text`, which returns a variable's value, or `fallback` where it is empty. */
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

/** Whether OpenAI's STT detects the language: as configured, or by its model at OpenAI's own address. */
export function detectsLanguage({ languageDetection, model, url }: SttSettings["openai"]): boolean {
  if (languageDetection !== "") return languageDetection === "on";
  return url === VARIABLES.openai.url[1] && DETECTING_MODEL.test(model);
}

/**
 * The problems of the configured STT: each names the variable and what would be right. No problem quotes an API key.
 */
export const sttProblems = (stt: string, settings: SttSettings): string[] =>
  sttNamesIn(stt).flatMap((name) => problemsOf(name, settings));

function problemsOf(name: string, settings: SttSettings): string[] {
  if (!isSttProvider(name)) {
    return [`STT must be one of ${STT_PROVIDERS.join(", ")}, not ${JSON.stringify(name)}`];
  }
  if (name === REFERENCE) return [];
  const { apiKeyVariable, url: address, protocols } = VARIABLES[name];
  const { apiKey, url } = settings[name];
  const problems: string[] = [];
  // A self-hosted server may require no API key.
  if (apiKey === undefined && url === address[1]) problems.push(`${apiKeyVariable} must be set with STT=${name}`);
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

/** A WebSocket address may have a query with further parameters; to an HTTP address a path is appended. */
function isAddress(url: string, protocols: readonly string[]): boolean {
  if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol)) return false;
  return protocols.includes("ws:") ? /^[^#@\\\s]+$/.test(url) : /^[^?#@\\\s]+$/.test(url);
}
