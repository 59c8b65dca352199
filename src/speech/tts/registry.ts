import { type ConfiguredProviders, ProviderRegistry } from "../provider-registry.ts";
import { TTS_PROVIDERS } from "./providers/list.ts";

export const TTS_REGISTRY = new ProviderRegistry(TTS_PROVIDERS);

/** The problems of `tts`, the value of the variable TTS, and of the settings of the providers that it names. */
export const ttsProblems = (tts: string, configured: ConfiguredProviders<"tts">): string[] =>
  TTS_REGISTRY.problemsIn(tts, "TTS", configured);
