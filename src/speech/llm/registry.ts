import { MODEL_NAMES, type ModelName } from "../../core/calls/spec.ts";
import { type ConfiguredProviders, namesIn, ProviderRegistry } from "../provider-registry.ts";
import { LLM_PROVIDERS } from "./providers/list.ts";

export const LLM_REGISTRY = new ProviderRegistry(LLM_PROVIDERS);

/** An LLM as it is configured: a provider, and its model if it has several. */
export interface NamedLlm {
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
