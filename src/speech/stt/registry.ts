import { remembered } from "../languages.ts";
import { type ConfiguredProviders, namesIn, ProviderRegistry } from "../provider-registry.ts";
import { STT_PROVIDERS } from "./providers/list.ts";

export const STT_REGISTRY = new ProviderRegistry(STT_PROVIDERS);

/** The problems of `stt`, the value of the variable STT, and of the settings of the providers that it names. */
export const sttProblems = (stt: string, configured: ConfiguredProviders<"stt">): string[] =>
  STT_REGISTRY.problemsIn(stt, "STT", configured);

/**
 * Which providers of `stt`, the valid value of the variable STT, transcribe a language, a code: their ids in the order in
 * which they are tried.
 */
export const sttServing = (
  stt: string,
  configured: ConfiguredProviders<"stt">,
): ((language: string) => readonly string[]) =>
  // Every created call asks for all languages of the voices, and only for these.
  remembered((language) => namesIn(stt).filter((name) => configured.get(name)?.servesLanguage(language) === true));
