import { MODEL_NAMES, type ModelName } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import type { CallLlm, Llm } from "../contracts.ts";
import { llmMetering } from "../metering/usage.ts";
import { type ConfiguredProviders, namesIn, ProviderRegistry } from "../provider-registry.ts";
import type { ToolChooser } from "../reference/tools/chooser.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { type ContextSizes, contextTokensOf } from "./context-sizes.ts";
import { FallbackLlm } from "./fallback.ts";
import { meteredLlm } from "./metered-llm.ts";
import { LLM_PROVIDERS } from "./providers/list.ts";

export const LLM_REGISTRY = new ProviderRegistry(LLM_PROVIDERS);

/** An LLM as it is configured: a provider, and its model if it has several. */
interface NamedLlm {
  readonly provider: string;
  readonly model?: string;
}

/** The LLMs of a configured list, in order of failover. Names of no LLM are left out. */
export const llmsIn = (given: string): NamedLlm[] => namesIn(given).flatMap((name) => parseLlm(name) ?? []);

/** Parses `provider:model`, or the name of a provider without models; the name of a model may contain further colons. */
function parseLlm(given: string): NamedLlm | undefined {
  const colon = given.indexOf(":");
  const provider = colon === -1 ? given : given.slice(0, colon);
  const descriptor = LLM_REGISTRY.find(provider);
  if (descriptor === undefined || (descriptor.capabilities.models !== undefined) !== (colon !== -1)) return undefined;
  if (colon === -1) return { provider };
  const model = given.slice(colon + 1);
  return /^[\x21-\x7e]{1,256}$/.test(model) ? { provider, model } : undefined;
}

/**
 * The problems of the configured models and of their providers' settings: each names the variable and what would be
 * right. A provider's problems are listed once, also where several models use it. No problem quotes an API key.
 */
export function llmProblems(
  models: Readonly<Record<ModelName, string>>,
  configured: ConfiguredProviders<"llm">,
): string[] {
  const problems = MODEL_NAMES.flatMap((name) =>
    namesIn(models[name]).flatMap((given) => {
      const named = parseLlm(given);
      return (
        configured.get(named?.provider ?? "")?.problems() ?? [
          `${name.toUpperCase()} must be ${validNames()}; not ${JSON.stringify(given)}`,
        ]
      );
    }),
  );
  return [...new Set(problems)];
}

function validNames(): string {
  const ids = (hasModels: boolean): string[] =>
    LLM_PROVIDERS.filter(({ capabilities }) => (capabilities.models !== undefined) === hasModels).map(({ id }) => id);
  const withModel = ids(true).map((id) => `${id}:<model>`);
  return `${ids(false).join(", ")}, or a provider and its model: ${withModel.join(", ")}`;
}

/**
 * Creates the LLMs that a valid configuration names. Equal lists of models share one LLM. Each request needs a permit
 * of its provider's circuit breaker, which all models of the provider share.
 */
export function createLlms(
  models: Readonly<Record<ModelName, string>>,
  configured: ConfiguredProviders<"llm">,
  contextSizes: ContextSizes,
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  clock: Clock,
  toolChooser: ToolChooser,
): Readonly<Record<ModelName, CallLlm>> {
  const created = new Map<string, CallLlm>();
  const createOne = ({ provider, model }: NamedLlm): Candidate[] => {
    const adapter = configured.get(provider)?.create({ model: model ?? "", toolChooser });
    if (adapter === undefined) return [];
    if (model === undefined) return [{ llm: adapter, model }];
    return [{ llm: { ...adapter, contextTokens: contextTokensOf(`${provider}:${model}`, contextSizes) }, model }];
  };
  const llmOf = (given: string): CallLlm => {
    const list = namesIn(given).join();
    const llm = created.get(list) ?? withFallbacks(llmsIn(given).flatMap(createOne), circuitBreakerOf, clock);
    created.set(list, llm);
    return llm;
  };
  return { model_a: llmOf(models.model_a), model_b: llmOf(models.model_b), model_c: llmOf(models.model_c) };
}

interface Candidate {
  llm: Llm;
  model: string | undefined;
}

function withFallbacks(
  candidates: readonly Candidate[],
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  clock: Clock,
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
  );
}
