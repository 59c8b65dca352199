import type { TtsPool, Voice } from "../../speech/contracts.ts";
import { type Language, languageCodes, listLanguages } from "../../speech/languages.ts";

/** Filters of voices or languages; all given ones must match. */
export interface CatalogueQuery {
  /** A language code in any case; a bare language (`en`) includes its regions and dialects. */
  language?: string | undefined;
  provider?: string | undefined;
}

/** The voices and languages of the configured providers. */
export interface VoiceCatalogue {
  voices(query?: CatalogueQuery): Promise<readonly Voice[]>;
  /** Those that a voice speaks and an STT transcribes. `voices` of a language counts those of the requested TTS provider. */
  languages(query?: CatalogueQuery): Promise<readonly Language[]>;
  /** The providers that have not listed their voices yet. */
  unlistedProviders(): readonly string[];
}

/**
 * The catalogue of `tts`, and of the STT providers by `sttServing`: those that transcribe a language, in the order in which
 * they are tried. All providers of `tts` are listed where it does not say which are not.
 */
export function catalogueOf(
  tts: Pick<TtsPool, "voices"> & Partial<Pick<TtsPool, "unlistedProviders">>,
  sttServing: (language: string) => readonly string[],
): VoiceCatalogue {
  const voicesOf = async (provider: string | undefined): Promise<readonly Voice[]> => {
    const voices = await tts.voices();
    return provider === undefined ? voices : voices.filter((voice) => voice.provider === provider);
  };
  return {
    voices: async ({ language, provider } = {}) => {
      const voices = await voicesOf(provider);
      return voices.filter((voice) => matchesLanguage(language, [voice.language, ...languageCodes(voice.language)]));
    },
    languages: async ({ language, provider } = {}) => {
      const languages = listLanguages(await voicesOf(provider), sttServing);
      return languages.filter(({ code }) => matchesLanguage(language, languageCodes(code)));
    },
    unlistedProviders: () => tts.unlistedProviders?.() ?? [],
  };
}

/** Codes are compared without regard to case (RFC 5646, section 2.1.1). */
function matchesLanguage(wanted: string | undefined, codes: readonly string[]): boolean {
  if (wanted === undefined) return true;
  const code = wanted.toLowerCase();
  return codes.some((other) => other.toLowerCase() === code);
}
