import { type ConfiguredProviders, ProviderRegistry } from "../provider-registry.ts";
import { STT_PROVIDERS } from "./providers/list.ts";

export const STT_REGISTRY = new ProviderRegistry(STT_PROVIDERS);

/** The problems of `stt`, the value of the variable STT, and of the settings of the providers that it names. */
export const sttProblems = (stt: string, configured: ConfiguredProviders<"stt">): string[] =>
  STT_REGISTRY.problemsIn(stt, "STT", configured);
