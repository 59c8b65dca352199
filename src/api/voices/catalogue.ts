import { type AccountSettings, allows } from "../../core/accounts/account-settings.ts";
import type { TtsPool, Voice } from "../../speech/contracts.ts";
import { type Language, languageCodes, listLanguages } from "../../speech/languages.ts";
import { maySpeak } from "../../speech/tts/voice-matching.ts";

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
  /** Whether it has less than the service: an account may not use the rest. */
  readonly isRestricted: boolean;
  /** The part of it that is available to an account with these settings. */
  forAccount(settings: AccountSettings): VoiceCatalogue;
}

type VoiceLists = Pick<TtsPool, "voices"> & Partial<Pick<TtsPool, "unlistedProviders">>;
type SttServing = (language: string) => readonly string[];

/**
 * The catalogue of `tts`, and of the STT providers by `sttServing`: those that transcribe a language, in the order in which
 * they are tried. All providers of `tts` are listed where it does not say which are not.
 */
export const catalogueOf = (tts: VoiceLists, sttServing: SttServing): VoiceCatalogue =>
  new AccountCatalogue(tts, sttServing, {});

class AccountCatalogue implements VoiceCatalogue {
  readonly isRestricted: boolean;
  readonly #tts: VoiceLists;
  readonly #sttServing: SttServing;
  readonly #settings: AccountSettings;

  constructor(tts: VoiceLists, sttServing: SttServing, settings: AccountSettings) {
    const { providers, voices, languages } = settings;
    this.#tts = tts;
    this.#sttServing = sttServing;
    this.#settings = settings;
    this.isRestricted = [providers?.stt, providers?.tts, voices, languages].some((list) => list !== undefined);
  }

  async voices({ language, provider }: CatalogueQuery = {}): Promise<readonly Voice[]> {
    const voices = await this.#voicesOf(provider);
    return voices.filter((voice) => matchesLanguage(language, [voice.language, ...languageCodes(voice.language)]));
  }

  async languages({ language, provider }: CatalogueQuery = {}): Promise<readonly Language[]> {
    const { providers, languages: available } = this.#settings;
    const serving: SttServing =
      providers?.stt === undefined
        ? this.#sttServing
        : (code) => this.#sttServing(code).filter((stt) => allows(providers, "stt", stt));
    const languages = listLanguages(await this.#voicesOf(provider), serving);
    return languages.filter(
      ({ code }) => matchesLanguage(language, languageCodes(code)) && isAvailable(available, code),
    );
  }

  unlistedProviders(): readonly string[] {
    const unlisted = this.#tts.unlistedProviders?.() ?? [];
    return unlisted.filter((provider) => allows(this.#settings.providers, "tts", provider));
  }

  forAccount(settings: AccountSettings): VoiceCatalogue {
    return new AccountCatalogue(this.#tts, this.#sttServing, settings);
  }

  async #voicesOf(provider: string | undefined): Promise<readonly Voice[]> {
    const { providers, voices: available, languages } = this.#settings;
    const voices = await this.#tts.voices();
    if (provider === undefined && !this.isRestricted) return voices;
    const ids = available && new Set(available);
    return voices.filter(
      (voice) =>
        (provider === undefined || voice.provider === provider) &&
        allows(providers, "tts", voice.provider) &&
        (ids === undefined || ids.has(voice.id)) &&
        (languages === undefined || languages.some((code) => maySpeak(voice, code))),
    );
  }
}

/** Codes are compared without regard to case (RFC 5646, section 2.1.1). */
function matchesLanguage(wanted: string | undefined, codes: readonly string[]): boolean {
  if (wanted === undefined) return true;
  const code = wanted.toLowerCase();
  return codes.some((other) => other.toLowerCase() === code);
}

const isAvailable = (available: readonly string[] | undefined, code: string): boolean =>
  available === undefined || available.some((one) => matchesLanguage(one, languageCodes(code)));
