import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import { providerFailed } from "../../core/errors.ts";
import { VOICE_CHOICE_MS_MAX } from "../../core/limits/speech-providers/tts.ts";
import type { CallTts, Tts, TtsPool, Voice } from "../contracts.ts";
import { TIMEOUT, withTimeout } from "../resilience/deadlines.ts";
import { type SpeechCache, TtsCache } from "./cache.ts";
import { FallbackTts, type TtsCandidate } from "./fallback.ts";

/**
 * Several TTS providers as one. A voice's id begins with the name of its provider; an id without a known name goes to
 * the first provider. The others are its fallbacks, in their order.
 */
export class TtsRouter implements TtsPool {
  readonly provider: string;
  readonly #default: TtsCandidate;
  readonly #candidates: readonly TtsCandidate[];
  readonly #clock: Clock;
  readonly #cache: SpeechCache;
  /** Providers that have listed their voices. */
  readonly #listedProviders = new Set<string>();

  constructor(candidates: readonly TtsCandidate[], clock: Clock, cache: SpeechCache = new TtsCache()) {
    const [first] = candidates;
    assert.ok(first !== undefined, "at least one TTS provider is required");
    this.#default = first;
    this.#candidates = candidates;
    this.#clock = clock;
    this.#cache = cache;
    this.provider = first.tts.provider;
  }

  /** The TTS of one call that speaks with `voiceId`. */
  forVoice(voiceId: string): CallTts {
    const own = this.#candidates.find(({ tts }) => voiceId.startsWith(`${tts.provider}/`)) ?? this.#default;
    const fallbacks = this.#candidates.filter((candidate) => candidate !== own);
    return new FallbackTts([own, ...fallbacks], this.#cache, this.#clock);
  }

  /**
   * The voices of all providers that can list theirs, in order. A provider whose list is not loaded yet is waited for
   * only briefly if others have theirs. Rejects only if no provider has a list.
   */
  async voices(): Promise<readonly Voice[]> {
    const requested = this.#candidates.map(({ tts }) => this.#listVoices(tts));
    const inTime = requested.map((list) => withTimeout(list, VOICE_CHOICE_MS_MAX, this.#clock));
    const lists = fulfilled(await Promise.allSettled(inTime)).filter((list) => list !== TIMEOUT);
    if (lists.length > 0) return lists.flat();
    const results = await Promise.allSettled(requested);
    const late = fulfilled(results);
    const failed = results.find((result) => result.status === "rejected");
    if (late.length === 0) throw failed?.reason ?? providerFailed(this.provider, "no voices");
    return late.flat();
  }

  unlistedProviders(): readonly string[] {
    return this.#candidates.map(({ tts }) => tts.provider).filter((provider) => !this.#listedProviders.has(provider));
  }

  async #listVoices(tts: Tts): Promise<readonly Voice[]> {
    const voices = await tts.voices();
    this.#listedProviders.add(tts.provider);
    return voices;
  }

  close(): void {
    for (const { tts } of this.#candidates) tts.close();
  }
}

const fulfilled = <T>(results: readonly PromiseSettledResult<T>[]): T[] =>
  results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
