import { MODEL_NAMES, type ModelName } from "../../core/calls/spec.ts";

/** The servers of the LLM providers; each is used only where MODEL_A, MODEL_B or MODEL_C names its provider. */
export interface LlmSettings {
  openai: LlmServer;
  anthropic: LlmServer;
  gemini: LlmServer;
}

interface LlmServer {
  apiKey: string | undefined;
  baseUrl: string;
}

/** The LLM providers with servers of their own, by the names that the configuration uses. */
export type LlmServerName = keyof LlmSettings;

interface ServerVariables {
  /** The prefix of its variables: `OPENAI` of OPENAI_API_KEY and OPENAI_BASE_URL. */
  envPrefix: string;
  /** The provider's own address, which requires an API key. */
  defaultUrl: string;
}

const SERVERS: Readonly<Record<LlmServerName, ServerVariables>> = {
  openai: { envPrefix: "OPENAI", defaultUrl: "https://api.openai.com/v1" },
  anthropic: { envPrefix: "ANTHROPIC", defaultUrl: "https://api.anthropic.com" },
  gemini: { envPrefix: "GEMINI", defaultUrl: "https://generativelanguage.googleapis.com" },
};

export const REFERENCE = "reference";
/** The names of all LLM providers. */
export const LLM_PROVIDERS: readonly string[] = [...Object.keys(SERVERS), REFERENCE];

/** Reads the settings through `text`, which returns a variable's value, or `fallback` where it is empty. */
export function readLlmSettings(text: (key: string, fallback: string) => string): LlmSettings {
  const server = ({ envPrefix, defaultUrl }: ServerVariables): LlmServer => ({
    apiKey: text(`${envPrefix}_API_KEY`, "") || undefined,
    baseUrl: text(`${envPrefix}_BASE_URL`, defaultUrl).replace(/\/+$/, ""),
  });
  return {
    openai: server(SERVERS.openai),
    anthropic: server(SERVERS.anthropic),
    gemini: server(SERVERS.gemini),
  };
}

/**
 * The problems of the configured models and of their providers' settings: each names the variable and what would be
 * right. A provider's problems are listed once, also where several models use it. No problem quotes an API key.
 */
export function llmProblems(models: Readonly<Record<ModelName, string>>, settings: LlmSettings): string[] {
  const problems = MODEL_NAMES.flatMap((name) =>
    modelNamesIn(models[name]).flatMap((given) => {
      if (given === REFERENCE) return [];
      const named = parseModel(given);
      return named === undefined
        ? [
            `${name.toUpperCase()} must be ${REFERENCE}, or a provider and its model: ${examples()}; not ${JSON.stringify(given)}`,
          ]
        : serverProblems(named.provider, settings[named.provider]);
    }),
  );
  return [...new Set(problems)];
}

/** The models in a comma-separated list, in order and without duplicates. */
export const modelNamesIn = (given: string): string[] => [...new Set(given.split(",").map((name) => name.trim()))];

/** Parses `provider:model`; the name of a model may contain further colons. */
export function parseModel(given: string): { provider: LlmServerName; model: string } | undefined {
  const colon = given.indexOf(":");
  const provider = given.slice(0, Math.max(0, colon));
  const model = given.slice(colon + 1);
  return isProvider(provider) && /^[\x21-\x7e]{1,256}$/.test(model) ? { provider, model } : undefined;
}

/** The providers and models of a configured list, in order of failover. */
export const modelsIn = (given: string): { provider: string; model?: string }[] =>
  modelNamesIn(given).map((name) => parseModel(name) ?? { provider: REFERENCE });

const isProvider = (name: string): name is LlmServerName => Object.hasOwn(SERVERS, name);

const examples = (): string =>
  Object.keys(SERVERS)
    .map((provider) => `${provider}:<model>`)
    .join(", ");

function serverProblems(provider: LlmServerName, { apiKey, baseUrl }: LlmServer): string[] {
  const { envPrefix, defaultUrl } = SERVERS[provider];
  const problems: string[] = [];
  // A self-hosted server may require no API key.
  if (apiKey === undefined && baseUrl === defaultUrl)
    problems.push(`${envPrefix}_API_KEY must be set with ${provider}:<model>`);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    problems.push(`${envPrefix}_API_KEY must be printable ASCII without spaces`);
  }
  if (!URL.canParse(baseUrl) || !/^https?:\/\/[^?#@\\\s]+$/.test(baseUrl)) {
    problems.push(`${envPrefix}_BASE_URL must be an http:// or https:// address without a query or a password`);
  }
  return problems;
}
