import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import { providerFailed } from "../../core/errors.ts";
import { VOICE_CHOICE_MS_MAX } from "../../core/limits/tts.ts";
import type { ClosableTts, ProviderObserver, Tts, TtsChunk, TtsRequest, Voice } from "../contracts.ts";
import { TIMEOUT, withTimeout } from "../resilience/deadlines.ts";
import { TtsCache } from "./cache.ts";
import { FallbackTts, type TtsCandidate } from "./fallback.ts";

/**
 * Several voice providers as one. A voice's id begins with the name of its provider, who speaks with it; what begins
 * with nobody's name is for the first. Where that fails the others speak in its place, in their order.
 */
export class TtsRouter implements ClosableTts {
  readonly provider: string;
  readonly capabilities: Tts["capabilities"];
  readonly #default: TtsCandidate;
  readonly #candidates: readonly TtsCandidate[];
  readonly #clock: Clock;
  readonly #cache = new TtsCache();
  /** Who has told his voices. */
  readonly #listedProviders = new Set<string>();

  constructor(voices: readonly TtsCandidate[], clock: Clock) {
    const [first] = voices;
    assert.ok(first !== undefined, "at least one voice");
    this.#default = first;
    this.#candidates = voices;
    this.#clock = clock;
    this.provider = first.tts.provider;
    this.capabilities = first.tts.capabilities;
  }

  /** The voices of one call, which speaks with `voiceId`. */
  forVoice(voiceId: string): Tts {
    const own = this.#candidates.find(({ tts }) => voiceId.startsWith(`${tts.provider}/`)) ?? this.#default;
    return new FallbackTts([own, ...this.#candidates.filter((voice) => voice !== own)], this.#cache, this.#clock);
  }

  /**
   * The voices of all that can tell theirs, in order; who has never told them is not waited for long where others have. Rejects only
   * where none can.
   */
  async voices(): Promise<readonly Voice[]> {
    const asked = this.#candidates.map(({ tts }) => this.#listVoices(tts));
    const inTime = asked.map((list) => withTimeout(list, VOICE_CHOICE_MS_MAX, this.#clock));
    const lists = fulfilled(await Promise.allSettled(inTime)).filter((list) => list !== TIMEOUT);
    if (lists.length > 0) return lists.flat();
    const told = await Promise.allSettled(asked);
    const late = fulfilled(told);
    const failed = told.find((result) => result.status === "rejected");
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

  speak(request: TtsRequest, signal: AbortSignal, watch?: ProviderObserver): AsyncIterable<TtsChunk> {
    return this.forVoice(request.voiceId).speak(request, signal, watch);
  }

  close(): void {
    for (const { tts } of this.#candidates) tts.close();
  }
}

const fulfilled = <T>(results: readonly PromiseSettledResult<T>[]): T[] =>
  results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
