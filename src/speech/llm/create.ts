import type { ModelName } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import type { CallLlm, Llm } from "../contracts.ts";
import { llmMetering } from "../metering/usage.ts";
import { type ConfiguredProviders, namesIn } from "../provider-registry.ts";
import type { ToolChooser } from "../reference/tools/chooser.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { type ContextSizes, contextTokensOf } from "./context-sizes.ts";
import { FallbackLlm, type LlmDeadlines } from "./fallback.ts";
import { meteredLlm } from "./metered-llm.ts";
import { LLM_REGISTRY, llmsIn, type NamedLlm } from "./registry.ts";

/**
 * Creates the LLMs that a valid configuration names. Equal lists of models share one LLM. Each request needs a permit
 * of its provider's circuit breaker, which all models of the provider share. Without `deadlines` they are those of conversations.
 */
export async function createLlms(
  models: Readonly<Record<ModelName, string>>,
  configured: ConfiguredProviders<"llm">,
  contextSizes: ContextSizes,
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  clock: Clock,
  toolChooser: ToolChooser,
  deadlines?: LlmDeadlines,
): Promise<Readonly<Record<ModelName, CallLlm>>> {
  const created = new Map<string, CallLlm>();
  const createOne = async ({ provider, model }: NamedLlm): Promise<Candidate[]> => {
    const adapter = await configured.get(provider)?.create({ model: model ?? "", toolChooser });
    if (adapter === undefined) return [];
    if (model === undefined) return [{ llm: adapter, model }];
    return [{ llm: { ...adapter, contextTokens: contextTokensOf(`${provider}:${model}`, contextSizes) }, model }];
  };
  const candidatesIn = async (given: string): Promise<Candidate[]> =>
    (await Promise.all(llmsIn(given).map(createOne))).flat();
  const llmOf = async (given: string): Promise<CallLlm> => {
    const list = namesIn(given).join();
    const llm = created.get(list) ?? withFallbacks(await candidatesIn(given), circuitBreakerOf, clock, deadlines);
    created.set(list, llm);
    return llm;
  };
  // One after the other, so that equal lists are created once.
  return {
    model_a: await llmOf(models.model_a),
    model_b: await llmOf(models.model_b),
    model_c: await llmOf(models.model_c),
  };
}

interface Candidate {
  llm: Llm;
  model: string | undefined;
}

function withFallbacks(
  candidates: readonly Candidate[],
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  clock: Clock,
  deadlines?: LlmDeadlines,
): CallLlm {
  const [first] = candidates;
  const isAlone = candidates.length === 1 && first !== undefined;
  if (isAlone && LLM_REGISTRY.find(first.llm.provider)?.capabilities.needsNoFallback === true) {
    return meteredLlm(first.llm);
  }
  return new FallbackLlm(
    candidates.map(({ llm, model }) => ({
      llm,
      circuitBreaker: circuitBreakerOf(llm.provider),
      metering: llmMetering(model),
    })),
    clock,
    deadlines,
  );
}
