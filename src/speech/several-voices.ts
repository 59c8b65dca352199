import { strict as assert } from "node:assert";
import type { Clock } from "../core/clock.ts";
import { providerFailed } from "../core/errors.ts";
import { VOICE_CHOICE_MS_MAX } from "../core/limits.ts";
import { LATE, within } from "./deadlines.ts";
import type { ClosableTts, EngineWatch, SpeechRequest, Tts, TtsChunk, Voice } from "./speech.ts";
import { SpeechCache } from "./speech-cache.ts";
import { type ChainedVoice, VoiceChain } from "./voice-chain.ts";

/**
 * Several voice providers as one. A voice's id begins with the name of its provider, who speaks with it; what begins
 * with nobody's name is for the first. Where that fails the others speak in its place, in their order.
 */
export class SeveralVoices implements ClosableTts {
  readonly provider: string;
  readonly capabilities: Tts["capabilities"];
  readonly #first: ChainedVoice;
  readonly #voices: readonly ChainedVoice[];
  readonly #clock: Clock;
  readonly #cache = new SpeechCache();
  /** Who has told his voices. */
  readonly #told = new Set<string>();

  constructor(voices: readonly ChainedVoice[], clock: Clock) {
    const [first] = voices;
    assert.ok(first !== undefined, "at least one voice");
    this.#first = first;
    this.#voices = voices;
    this.#clock = clock;
    this.provider = first.tts.provider;
    this.capabilities = first.tts.capabilities;
  }

  /** The voices of one call, which speaks with `voiceId`. */
  of(voiceId: string): Tts {
    const own = this.#voices.find(({ tts }) => voiceId.startsWith(`${tts.provider}/`)) ?? this.#first;
    return new VoiceChain([own, ...this.#voices.filter((voice) => voice !== own)], this.#cache, this.#clock);
  }

  /**
   * The voices of all that can tell theirs, in order; who has never told them is not waited for long where others have. Rejects only
   * where none can.
   */
  async voices(): Promise<readonly Voice[]> {
    const asked = this.#voices.map(({ tts }) => this.#voicesOf(tts));
    const inTime = asked.map((list) => within(list, VOICE_CHOICE_MS_MAX, this.#clock));
    const lists = fulfilled(await Promise.allSettled(inTime)).filter((list) => list !== LATE);
    if (lists.length > 0) return lists.flat();
    const told = await Promise.allSettled(asked);
    const late = fulfilled(told);
    const failed = told.find((result) => result.status === "rejected");
    if (late.length === 0) throw failed?.reason ?? providerFailed(this.provider, "no voices");
    return late.flat();
  }

  untold(): readonly string[] {
    return this.#voices.map(({ tts }) => tts.provider).filter((provider) => !this.#told.has(provider));
  }

  async #voicesOf(tts: Tts): Promise<readonly Voice[]> {
    const voices = await tts.voices();
    this.#told.add(tts.provider);
    return voices;
  }

  speak(request: SpeechRequest, signal: AbortSignal, watch?: EngineWatch): AsyncIterable<TtsChunk> {
    return this.of(request.voiceId).speak(request, signal, watch);
  }

  close(): void {
    for (const { tts } of this.#voices) tts.close();
  }
}

const fulfilled = <T>(results: readonly PromiseSettledResult<T>[]): T[] =>
  results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
