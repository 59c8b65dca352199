import { MODEL_NAMES, type ModelName } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import type { Llm } from "../contracts.ts";
import { meteredLlm } from "../metering/usage.ts";
import { createReferenceLlm } from "../reference/llm.ts";
import type { ToolChooser } from "../reference/tools/chooser.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { type ContextSizes, contextTokensOf } from "./context-sizes.ts";
import { FallbackLlm } from "./fallback.ts";
import { createAnthropicLlm } from "./providers/anthropic.ts";
import { createGeminiLlm } from "./providers/gemini.ts";
import { createOpenAiLlm, type LlmOptions } from "./providers/openai.ts";

/** Where models answer, and as whom they are asked; each is used only where MODEL_A, MODEL_B or MODEL_C names its provider. */
export interface LlmSettings {
  openai: LlmServer;
  anthropic: LlmServer;
  gemini: LlmServer;
}

interface LlmServer {
  apiKey: string | undefined;
  baseUrl: string;
}

interface ProviderEntry {
  create(options: LlmOptions): Llm;
  /** What its variables begin with: `OPENAI` of OPENAI_API_KEY and OPENAI_BASE_URL. */
  envPrefix: string;
  /** Its own address, where nobody is served without a key. */
  defaultUrl: string;
}

const PROVIDERS: Readonly<Record<keyof LlmSettings, ProviderEntry>> = {
  openai: { create: createOpenAiLlm, envPrefix: "OPENAI", defaultUrl: "https://api.openai.com/v1" },
  anthropic: { create: createAnthropicLlm, envPrefix: "ANTHROPIC", defaultUrl: "https://api.anthropic.com" },
  gemini: { create: createGeminiLlm, envPrefix: "GEMINI", defaultUrl: "https://generativelanguage.googleapis.com" },
};
const REFERENCE = "reference";
/** Every provider of a brain. */
export const LLM_PROVIDERS: readonly string[] = [...Object.keys(PROVIDERS), REFERENCE];
/** What a server is shown that asks for no key, by clients that cannot do without. */
const NO_API_KEY = "none";

/** Reads the settings through `text`, which gives a variable's value, or the other where it is empty. */
export function readLlmSettings(text: (key: string, fallback: string) => string): LlmSettings {
  const server = ({ envPrefix, defaultUrl }: ProviderEntry): LlmServer => ({
    apiKey: text(`${envPrefix}_API_KEY`, "") || undefined,
    baseUrl: text(`${envPrefix}_BASE_URL`, defaultUrl).replace(/\/+$/, ""),
  });
  return {
    openai: server(PROVIDERS.openai),
    anthropic: server(PROVIDERS.anthropic),
    gemini: server(PROVIDERS.gemini),
  };
}

/**
 * What is wrong with the models that a configuration names, and with what their providers are told: the variable, and what would be
 * right. A provider's own problems are told once, however many models are its. No problem quotes a key.
 */
export function llmProblems(models: Readonly<Record<ModelName, string>>, settings: LlmSettings): string[] {
  const problems = MODEL_NAMES.flatMap((name) =>
    namesIn(models[name]).flatMap((given) => {
      if (given === REFERENCE) return [];
      const named = parse(given);
      return named === undefined
        ? [
            `${name.toUpperCase()} must be ${REFERENCE}, or a provider and its model: ${examples()}; not ${JSON.stringify(given)}`,
          ]
        : serverProblems(named.provider, settings[named.provider]);
    }),
  );
  return [...new Set(problems)];
}

/**
 * The brains that a configuration without problems names, one for each chain of models that is named, however often it is. Each is
 * asked through the line of its provider, which all of its models share.
 */
export function createLlms(
  models: Readonly<Record<ModelName, string>>,
  settings: LlmSettings,
  contextSizes: ContextSizes,
  lineOf: (provider: string) => CircuitBreaker,
  clock: Clock,
  tools: ToolChooser,
): Readonly<Record<ModelName, Llm>> {
  const made = new Map<string, Llm>();
  const brainOf = (given: string): Llm => {
    const names = namesIn(given);
    const key = names.join();
    const chained = () => names.map((name) => createLlm(name, settings, contextSizes, tools));
    // The reference brain is this process: it fails with it.
    const brain =
      made.get(key) ??
      (key === REFERENCE ? createLlm(key, settings, contextSizes, tools) : withFallback(chained(), lineOf, clock));
    made.set(key, brain);
    return brain;
  };
  return { model_a: brainOf(models.model_a), model_b: brainOf(models.model_b), model_c: brainOf(models.model_c) };
}

const withFallback = (brains: readonly Llm[], lineOf: (provider: string) => CircuitBreaker, clock: Clock): Llm =>
  new FallbackLlm(
    brains.map((llm) => ({ llm, circuitBreaker: lineOf(llm.provider) })),
    clock,
  );

/** The models that one name stands for, each once, the first first. */
const namesIn = (given: string): string[] => [...new Set(given.split(",").map((name) => name.trim()))];

function createLlm(given: string, settings: LlmSettings, contextSizes: ContextSizes, tools: ToolChooser): Llm {
  const named = parse(given);
  if (named === undefined) return meteredLlm(createReferenceLlm(tools));
  const { apiKey = NO_API_KEY, baseUrl } = settings[named.provider];
  const { model, provider } = named;
  const llm = PROVIDERS[provider].create({ model, apiKey, baseUrl });
  return meteredLlm({ ...llm, contextTokens: contextTokensOf(`${provider}:${model}`, contextSizes) }, model);
}

/** `provider:model`; the names of models have colons of their own. */
function parse(given: string): { provider: keyof LlmSettings; model: string } | undefined {
  const colon = given.indexOf(":");
  const provider = given.slice(0, Math.max(0, colon));
  const model = given.slice(colon + 1);
  return isProvider(provider) && /^[\x21-\x7e]{1,256}$/.test(model) ? { provider, model } : undefined;
}

/** The providers and models that a name of the configuration stands for, in the order in which they are asked. */
export const modelsIn = (given: string): { provider: string; model?: string }[] =>
  namesIn(given).map((name) => parse(name) ?? { provider: REFERENCE });

const isProvider = (name: string): name is keyof LlmSettings => Object.hasOwn(PROVIDERS, name);

const examples = (): string =>
  Object.keys(PROVIDERS)
    .map((provider) => `${provider}:<model>`)
    .join(", ");

function serverProblems(provider: keyof LlmSettings, { apiKey, baseUrl }: LlmServer): string[] {
  const { envPrefix, defaultUrl } = PROVIDERS[provider];
  const problems: string[] = [];
  // A server of one's own may ask for none.
  if (apiKey === undefined && baseUrl === defaultUrl)
    problems.push(`${envPrefix}_API_KEY must be set beside ${provider}:<model>`);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    problems.push(`${envPrefix}_API_KEY must be printable ASCII without spaces`);
  }
  if (!URL.canParse(baseUrl) || !/^https?:\/\/[^?#@\\\s]+$/.test(baseUrl)) {
    problems.push(`${envPrefix}_BASE_URL must be an http:// or https:// address without a query or a password`);
  }
  return problems;
}
