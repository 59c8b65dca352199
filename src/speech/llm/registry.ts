import type { ModelName } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import type { CallLlm, Llm } from "../contracts.ts";
import { llmMetering } from "../metering/usage.ts";
import { createReferenceLlm } from "../reference/llm.ts";
import type { ToolChooser } from "../reference/tools/chooser.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { type ContextSizes, contextTokensOf } from "./context-sizes.ts";
import { FallbackLlm, type LlmCandidate } from "./fallback.ts";
import { meteredLlm } from "./metered-llm.ts";
import { createAnthropicLlm } from "./providers/anthropic.ts";
import { createGeminiLlm } from "./providers/gemini.ts";
import { createOpenAiLlm } from "./providers/openai.ts";
import type { LlmOptions } from "./providers/options.ts";
import { type LlmServerName, type LlmSettings, modelNamesIn, parseModel, REFERENCE } from "./settings.ts";

/** The placeholder for servers that need no API key, because the clients insist on one. */
const NO_API_KEY = "none";

const FACTORIES: Readonly<Record<LlmServerName, (options: LlmOptions) => Llm>> = {
  openai: createOpenAiLlm,
  anthropic: createAnthropicLlm,
  gemini: createGeminiLlm,
};

/**
 * Creates the LLMs that a valid configuration names. Equal lists of models share one LLM. Each request needs a permit
 * of its provider's circuit breaker, which all models of the provider share.
 */
export function createLlms(
  models: Readonly<Record<ModelName, string>>,
  settings: LlmSettings,
  contextSizes: ContextSizes,
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  clock: Clock,
  tools: ToolChooser,
): Readonly<Record<ModelName, CallLlm>> {
  const created = new Map<string, CallLlm>();
  const candidateOf = (name: string): LlmCandidate => {
    const { llm, model } = createLlm(name, settings, contextSizes, tools);
    return { llm, circuitBreaker: circuitBreakerOf(llm.provider), metering: llmMetering(model) };
  };
  const llmOf = (given: string): CallLlm => {
    const names = modelNamesIn(given);
    const list = names.join();
    const llm =
      created.get(list) ??
      (list === REFERENCE ? meteredLlm(createReferenceLlm(tools)) : new FallbackLlm(names.map(candidateOf), clock));
    created.set(list, llm);
    return llm;
  };
  return { model_a: llmOf(models.model_a), model_b: llmOf(models.model_b), model_c: llmOf(models.model_c) };
}

/** An LLM, and the name of its model where its provider has several. */
function createLlm(
  given: string,
  settings: LlmSettings,
  contextSizes: ContextSizes,
  tools: ToolChooser,
): { llm: Llm; model?: string } {
  const named = parseModel(given);
  if (named === undefined) return { llm: createReferenceLlm(tools) };
  const { apiKey = NO_API_KEY, baseUrl } = settings[named.provider];
  const { model, provider } = named;
  const llm = FACTORIES[provider]({ model, apiKey, baseUrl });
  return { llm: { ...llm, contextTokens: contextTokensOf(`${provider}:${model}`, contextSizes) }, model };
}
