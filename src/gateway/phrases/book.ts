import { spendRefusalOf } from "../../core/billing/spend.ts";
import type { Usage } from "../../core/billing/usage.ts";
import type { Clock } from "../../core/clock.ts";
import { codeOf, providerFailed, unavailable } from "../../core/errors.ts";
import {
  PHRASE_LANGUAGES_MAX,
  PHRASE_RETRY_MS,
  PHRASE_TRANSLATION_MS_MAX,
  PHRASE_TRANSLATIONS_MAX,
} from "../../core/limits/phrases.ts";
import { type Logger, loggableError } from "../../core/log/logger.ts";
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import {
  builtInPhrases,
  ENGLISH,
  isComplete,
  languageParts,
  type PhraseOrigin,
  type PhraseOverrides,
  type Phrases,
  phrasesIn,
  samePhrases,
} from "../../core/phrases/phrases.ts";
import type { Llm, ProviderObserver } from "../../speech/contracts.ts";
import { languageName, translatePhrases } from "../../speech/llm/phrase-translation.ts";
import type { PhraseCache } from "./cache.ts";

/** Phrases for a call that are not the built-in ones. */
export interface ChosenPhrases {
  origin: PhraseOrigin;
  phrases: Phrases;
}

/** What a translation is charged to: the call's, which ends where that was all it may cost. */
export interface TranslationSpend {
  /** See `CallSpend.request`: throws where the call or its account may not spend that. */
  request(provider: string, estimate: Usage): void;
  used(provider: string, usage: Usage, estimate?: Usage): void;
}

export interface PhraseFinder {
  /**
   * What a call in `language`, a code, says in its own name; undefined where the built-in phrases are right as they are. `llm`
   * translates where there is no other translation, which is charged to `spend`, the call's. Never rejects; takes as long as a
   * translation where there is none yet.
   */
  find(language: string, llm: Llm, spend: TranslationSpend): Promise<ChosenPhrases | undefined>;
}

export interface PhraseBookOptions {
  overrides: PhraseOverrides;
  cache: Pick<PhraseCache, "read" | "write">;
  metrics: Pick<WorkerMetrics, "providerUsed">;
  clock: Clock;
  log: Logger;
}

/** The call that was to pay for it may not spend that. */
const REFUSED = "refused";

interface Translation {
  found: Promise<Phrases | typeof REFUSED | undefined>;
  /** Where none was found it is looked for again from then on. */
  retryMs: number;
}

/** The phrases of all languages, for the calls of one worker. Calls that need the same translation wait for the same one. */
export class PhraseBook implements PhraseFinder {
  readonly #options: PhraseBookOptions;
  /** What translations are made from. */
  readonly #english: Phrases;
  /** By tag and provider. The oldest stands first. */
  readonly #translations = new Map<string, Translation>();
  /** Requests to LLMs that are under way. */
  #openRequests = 0;
  /** Languages for which the fallback to English was logged. */
  readonly #loggedFallbacks = new Set<string>();

  constructor(options: PhraseBookOptions) {
    this.#options = options;
    this.#english = { ...ENGLISH, ...phrasesIn(options.overrides, "en") };
  }

  async find(language: string, llm: Llm, spend: TranslationSpend): Promise<ChosenPhrases | undefined> {
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

  async #translation(tag: string, llm: Llm, spend: TranslationSpend): Promise<Phrases | undefined> {
    // A provider that fails does not keep another from being asked. What one has translated, the other reads from the cache.
    const key = `${tag} ${llm.provider}`;
    for (;;) {
      const known = this.#translations.get(key);
      if (known === undefined || this.#options.clock.nowMs() >= known.retryMs) break;
      const found = await known.found;
      // What another call may not spend, this one may.
      if (found !== REFUSED) return found;
    }
    const entry: Translation = { found: Promise.resolve(undefined), retryMs: Number.POSITIVE_INFINITY };
    entry.found = this.#readOrTranslate(tag, llm, spend, entry);
    this.#translations.delete(key);
    this.#translations.set(key, entry);
    const [oldest] = this.#translations.keys();
    if (this.#translations.size > PHRASE_LANGUAGES_MAX && oldest !== undefined) this.#translations.delete(oldest);
    const found = await entry.found;
    return found === REFUSED ? undefined : found;
  }

  /** Never rejects; where nothing is found, sets when `entry` is looked for again. */
  async #readOrTranslate(
    tag: string,
    llm: Llm,
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
        throw unavailable(`${PHRASE_TRANSLATIONS_MAX} translations are under way`);
      }
      const phrases = await this.#translate(tag, llm, spend);
      log.info({ language: tag, provider }, "service phrases translated");
      await this.#save(tag, phrases, provider);
      return phrases;
    } catch (error) {
      // The limit of one call: those that wait, and the next, may ask at once.
      const isRefused = spendRefusalOf(error) !== undefined;
      if (isRefused) retryAfterMs = 0;
      if (!this.#loggedFallbacks.has(tag)) {
        const why = { code: codeOf(error), ...loggableError(error) };
        log.warn({ language: tag, provider, ...why }, "service phrases not translated: English is used");
      }
      this.#loggedFallbacks.add(tag);
      entry.retryMs = clock.nowMs() + retryAfterMs;
      return isRefused ? REFUSED : undefined;
    }
  }

  async #translate(tag: string, llm: Llm, spend: TranslationSpend): Promise<Phrases> {
    const { clock, metrics } = this.#options;
    const deadline = new AbortController();
    const cancel = clock.after(PHRASE_TRANSLATION_MS_MAX, () => deadline.abort());
    const watch: ProviderObserver = {
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
      return await translatePhrases(llm, tag, this.#english, deadline.signal, watch);
    } finally {
      this.#openRequests -= 1;
      cancel();
    }
  }

  /** A translation that cannot be saved is used by this process all the same. */
  async #save(tag: string, phrases: Phrases, provider: string): Promise<void> {
    const { cache, log } = this.#options;
    try {
      await cache.write(tag, this.#english, phrases, provider);
    } catch (error) {
      const why = { code: codeOf(error), ...loggableError(error) };
      log.warn({ language: tag, ...why }, "service phrases could not be saved");
    }
  }
}

/** What is translated for `language`: the language, with the script where that region writes another than most. */
function tagOf(language: string): string | undefined {
  const parts = languageParts(language);
  if (parts === undefined) return undefined;
  const { spoken, script } = parts;
  return languageParts(spoken)?.script === script ? spoken : `${spoken}-${script}`;
}
