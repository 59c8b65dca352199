import { type AllowedProviders, allows } from "../core/accounts/account-settings.ts";
import type { PricedProvider } from "../core/billing/prices.ts";
import { MODEL_NAMES, type ModelName } from "../core/calls/spec.ts";
import type { Stage } from "../core/calls/stages.ts";
import type { DeclaredReader } from "../core/configuration/variable.ts";
import type { ContextSizes } from "./llm/context-sizes.ts";
import { LLM_REGISTRY, llmProblems, llmsIn } from "./llm/registry.ts";
import type { LocalSpeechSettings } from "./local/jobs.ts";
import { type ConfiguredProviders, namesIn } from "./provider-registry.ts";
import { localSettingsOf, localStt } from "./stt/providers/local/descriptor.ts";
import { STT_REGISTRY, sttProblems } from "./stt/registry.ts";
import { TTS_REGISTRY, ttsProblems } from "./tts/registry.ts";

/** The part of the configuration that chooses speech providers. */
export interface SpeechConfig {
  /** STT providers in order of failover, separated by commas. Those that do not transcribe a call's language are skipped. */
  stt: string;
  /**
   * TTS providers, separated by commas. The voices of all are offered. The first is used where a voice's id names none
   * of them; when one fails, the others replace it in this order.
   */
  tts: string;
  /**
   * Each is `reference`, or a provider and its model, `openai:gpt-4o-mini`; or several, in order of failover, with
   * commas.
   */
  models: Readonly<Record<ModelName, string>>;
  /** Every provider with its settings; only those that are named need to be valid. */
  providers: SpeechProviderSettings;
  /** Context sizes of models, by `provider:model`, where the operator sets them. */
  contextSizes: ContextSizes;
  /**
   * Concurrent streams per provider, for each stage and in each process; a provider that is not listed has no limit.
   */
  streamsMax: Readonly<Record<string, number>>;
}

/** The providers of each stage with their settings. */
interface SpeechProviderSettings {
  readonly stt: ConfiguredProviders<"stt">;
  readonly llm: ConfiguredProviders<"llm">;
  readonly tts: ConfiguredProviders<"tts">;
}

/** Reads the settings of every provider. */
export const readProviderSettings = (read: DeclaredReader): SpeechProviderSettings => ({
  stt: STT_REGISTRY.configure(read),
  llm: LLM_REGISTRY.configure(read),
  tts: TTS_REGISTRY.configure(read),
});

const REGISTRIES = [STT_REGISTRY, LLM_REGISTRY, TTS_REGISTRY];

/** The ids of the providers of each stage that there are. */
export const PROVIDERS_BY_STAGE: Readonly<Record<Stage, readonly string[]>> = {
  stt: STT_REGISTRY.ids,
  llm: LLM_REGISTRY.ids,
  tts: TTS_REGISTRY.ids,
};

/** The ids of all providers. */
export const PROVIDER_NAMES: readonly string[] = [...new Set(REGISTRIES.flatMap(({ ids }) => ids))].sort();

/** Variables of the providers' own programs that end as ours do. */
export const FOREIGN_VARIABLES: readonly RegExp[] = REGISTRIES.flatMap(({ foreignVariables }) => foreignVariables);

/** The problems of a configuration's speech providers: each names the variable, the bad value and the valid ones. */
export function speechConfigProblems({
  stt,
  tts,
  models,
  providers,
  streamsMax,
}: Omit<SpeechConfig, "contextSizes">): string[] {
  const problems = [...sttProblems(stt, providers.stt), ...turnModelProblems(stt, providers.stt)];
  problems.push(...ttsProblems(tts, providers.tts));
  problems.push(...llmProblems(models, providers.llm));
  for (const name of Object.keys(streamsMax).filter((given) => !PROVIDER_NAMES.includes(given))) {
    problems.push(`PROVIDER_STREAMS_MAX must name any of ${PROVIDER_NAMES.join(", ")}, not ${JSON.stringify(name)}`);
  }
  return problems;
}

/** Without `local` no process runs the turn model, and its absence would be silent. */
function turnModelProblems(stt: string, configured: ConfiguredProviders<"stt">): string[] {
  const { turnModelPath } = localSettingsOf(configured);
  if (turnModelPath === undefined || namesIn(stt).includes(localStt.id)) return [];
  return [
    `TURN_MODEL needs ${localStt.id} among the STT providers, whose processes run it: STT=${stt},${localStt.id}, not STT=${stt}`,
  ];
}

/** The settings of the local speech models; undefined where the configuration, which must be valid, uses none. */
export const localSpeechSettings = ({ stt, providers }: SpeechConfig): LocalSpeechSettings | undefined =>
  namesIn(stt).includes(localStt.id) ? localSettingsOf(providers.stt) : undefined;

/** The LLM providers of a model, in order of failover. */
export const llmProvidersOf = ({ models }: Pick<SpeechConfig, "models">, model: ModelName): readonly string[] => [
  ...new Set(llmsIn(models[model]).map(({ provider }) => provider)),
];

/**
 * The LLMs of `model` and the TTS providers, all of which may serve a call that may use the providers in `allowed`, with the
 * prices that `maxCost` needs.
 */
export const pricedProviders = (
  { models, tts }: Pick<SpeechConfig, "models" | "tts">,
  model: ModelName,
  allowed?: AllowedProviders,
): PricedProvider[] => [
  ...llmsIn(models[model])
    .filter(({ provider }) => allows(allowed, "llm", provider))
    .map((llm) => ({ ...llm, prices: LLM_REGISTRY.find(llm.provider)?.prices ?? [] })),
  ...namesIn(tts)
    .filter((provider) => allows(allowed, "tts", provider))
    .map((provider) => ({ provider, prices: TTS_REGISTRY.find(provider)?.prices ?? [] })),
];

/** The ids under which an account can have API keys of its own for the configured providers, in alphabetical order. */
export function credentialProviders({ stt, tts, models, providers }: SpeechConfig): readonly string[] {
  const llms = MODEL_NAMES.flatMap((model) => llmProvidersOf({ models }, model));
  const ids = [
    ...namesIn(stt).map((name) => providers.stt.get(name)?.credentialOf),
    ...llms.map((name) => providers.llm.get(name)?.credentialOf),
    ...namesIn(tts).map((name) => providers.tts.get(name)?.credentialOf),
  ];
  return [...new Set(ids.filter((id) => id !== undefined))].sort();
}
