import { spendRefusalOf } from "../../core/billing/spend.ts";
import type { Usage } from "../../core/billing/usage.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";
import { codeOf, providerFailed, unavailable } from "../../core/errors.ts";
import {
  PHRASE_LANGUAGES_MAX,
  PHRASE_RETRY_MS,
  PHRASE_TRANSLATION_MS_MAX,
  PHRASE_TRANSLATIONS_MAX,
} from "../../core/limits/agents/phrases.ts";
import { type Logger, loggableError } from "../../core/log/logger.ts";
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import type { Phrases } from "../../core/phrases/names.ts";
import {
  builtInPhrases,
  ENGLISH,
  isComplete,
  languageParts,
  type PhraseOrigin,
  type PhraseOverrides,
  phrasesIn,
  samePhrases,
} from "../../core/phrases/phrases.ts";
import type { CallLlm, ProviderObserver } from "../../speech/contracts.ts";
import { languageName, translatePhrases } from "../../speech/llm/phrase-translation.ts";
import type { PhraseCache } from "./cache.ts";

/** Phrases of a call that differ from the built-in ones. */
export interface ChosenPhrases {
  origin: PhraseOrigin;
  phrases: Phrases;
}

/** The spend of the call that pays for a translation; the call ends when that reaches its maximum cost. */
export interface TranslationSpend {
  /** See `CallSpend.request`: throws where the call or its account may not spend that. */
  request(provider: string, estimate: Usage): void;
  used(provider: string, usage: Usage, estimate?: Usage): void;
}

export interface PhraseFinder {
  /**
   * The service phrases of a call in `language`, a code; undefined where the built-in phrases apply unchanged. Where
   * there is no translation yet, `llm` translates, charged to the call's `spend`; the promise then takes as long as the
   * translation. Never rejects.
   */
  find(language: string, llm: CallLlm, spend: TranslationSpend): Promise<ChosenPhrases | undefined>;
}

export interface PhraseBookOptions {
  overrides: PhraseOverrides;
  cache: Pick<PhraseCache, "read" | "write">;
  metrics: Pick<WorkerMetrics, "providerUsed">;
  clock: Clock;
  log: Logger;
}

/** The call that should pay for the translation may not spend that. */
const REFUSED = "refused";

interface Translation {
  found: Promise<Phrases | typeof REFUSED | undefined>;
  /** When a missing translation is tried again. */
  retryMs: MonotonicMs;
}

/** The phrases of all languages, for the calls of one worker. Calls that need the same translation share it. */
export class PhraseBook implements PhraseFinder {
  readonly #options: PhraseBookOptions;
  /** The source of translations. */
  readonly #english: Phrases;
  /** By tag and provider, oldest first. */
  readonly #translations = new Map<string, Translation>();
  /** LLM requests in progress. */
  #openRequests = 0;
  /** Languages for which the fallback to English was logged. */
  readonly #loggedFallbacks = new Set<string>();

  constructor(options: PhraseBookOptions) {
    this.#options = options;
    this.#english = { ...ENGLISH, ...phrasesIn(options.overrides, "en") };
  }

  async find(language: string, llm: CallLlm, spend: TranslationSpend): Promise<ChosenPhrases | undefined> {
    const own = phrasesIn(this.#options.overrides, language);
    if (isComplete(own)) {
      const builtIn = builtInPhrases(language);
      return builtIn !== undefined && samePhrases(own, builtIn) ? undefined : { origin: "file", phrases: own };
    }
    const tag = tagOf(language);
    const translated = tag === undefined ? undefined : await this.#translation(tag, llm, spend);
    if (translated !== undefined) return { origin: "translated", phrases: { ...translated, ...own } };
    return { origin: "english", phrases: { ...this.#english, ...own } };
  }

  async #translation(tag: string, llm: CallLlm, spend: TranslationSpend): Promise<Phrases | undefined> {
    // A provider that fails does not prevent a request to another. A translation by one is read by the other from the
    // cache.
    const key = `${tag} ${llm.provider}`;
    for (;;) {
      const known = this.#translations.get(key);
      if (known === undefined || this.#options.clock.nowMs() >= known.retryMs) break;
      const found = await known.found;
      // That request was refused by the other call's spend limit, so this call sends a request of its own.
      if (found !== REFUSED) return found;
    }
    const entry: Translation = { found: Promise.resolve(undefined), retryMs: monotonicMs(Number.POSITIVE_INFINITY) };
    entry.found = this.#readOrTranslate(tag, llm, spend, entry);
    this.#translations.delete(key);
    this.#translations.set(key, entry);
    const [oldest] = this.#translations.keys();
    if (this.#translations.size > PHRASE_LANGUAGES_MAX && oldest !== undefined) this.#translations.delete(oldest);
    const found = await entry.found;
    return found === REFUSED ? undefined : found;
  }

  /** Never rejects; when no translation is found, sets when `entry` is tried again. */
  async #readOrTranslate(
    tag: string,
    llm: CallLlm,
    spend: TranslationSpend,
    entry: Translation,
  ): Promise<Phrases | typeof REFUSED | undefined> {
    const { cache, clock, log } = this.#options;
    const { provider } = llm;
    let retryAfterMs = PHRASE_RETRY_MS;
    try {
      const saved = await cache.read(tag, this.#english);
      if (saved !== undefined) return saved;
      if (languageName(tag) === undefined) throw providerFailed(provider, "does not know the language");
      if (this.#openRequests >= PHRASE_TRANSLATIONS_MAX) {
        retryAfterMs = 0;
        throw unavailable(`${PHRASE_TRANSLATIONS_MAX} translations are in progress: the limit is reached`);
      }
      const phrases = await this.#translate(tag, llm, spend);
      log.info({ language: tag, provider }, "service phrases translated");
      await this.#save(tag, phrases, provider);
      return phrases;
    } catch (error) {
      // The limit concerns one call only: waiting calls and the next call may try at once.
      const isRefused = spendRefusalOf(error) !== undefined;
      if (isRefused) retryAfterMs = 0;
      if (!this.#loggedFallbacks.has(tag)) {
        const failure = { code: codeOf(error), ...loggableError(error) };
        log.warn({ language: tag, provider, ...failure }, "service phrases not translated: English is used");
      }
      this.#loggedFallbacks.add(tag);
      entry.retryMs = addMs(clock.nowMs(), retryAfterMs);
      return isRefused ? REFUSED : undefined;
    }
  }

  async #translate(tag: string, llm: CallLlm, spend: TranslationSpend): Promise<Phrases> {
    const { clock, metrics } = this.#options;
    const deadline = new AbortController();
    const cancel = clock.after(PHRASE_TRANSLATION_MS_MAX, () => deadline.abort());
    const observer: ProviderObserver = {
      failedOver: () => {},
      contextExceeded: () => {},
      responded: () => {},
      requesting: (provider, estimate) => spend.request(provider, estimate),
      used: (provider, usage, estimate) => {
        metrics.providerUsed(provider, usage);
        spend.used(provider, usage, estimate);
      },
    };
    this.#openRequests += 1;
    try {
      return await translatePhrases(llm, tag, this.#english, deadline.signal, observer);
    } finally {
      this.#openRequests -= 1;
      cancel();
    }
  }

  /** A translation that cannot be saved is still used by this process. */
  async #save(tag: string, phrases: Phrases, provider: string): Promise<void> {
    const { cache, log } = this.#options;
    try {
      await cache.write(tag, this.#english, phrases, provider);
    } catch (error) {
      const failure = { code: codeOf(error), ...loggableError(error) };
      log.warn({ language: tag, ...failure }, "service phrases could not be saved");
    }
  }
}

/**
 * The tag to translate for `language`: the language, with the script where the region uses another script than most.
 */
function tagOf(language: string): string | undefined {
  const parts = languageParts(language);
  if (parts === undefined) return undefined;
  const { spoken, script } = parts;
  return languageParts(spoken)?.script === script ? spoken : `${spoken}-${script}`;
}
