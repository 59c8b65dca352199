import { strict as assert } from "node:assert";
import type { Clock } from "../core/clock.ts";
import { providerFailed } from "../core/errors.ts";
import type { ClosableTts, SpeechRequest, Tts, TtsChunk, Voice } from "./speech.ts";
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
    const chain = new VoiceChain([own, ...this.#voices.filter((voice) => voice !== own)], this.#cache, this.#clock);
    chain.prepare();
    return chain;
  }

  /** The voices of all that can tell theirs, in order; rejects only where none can. */
  async voices(): Promise<readonly Voice[]> {
    const told = await Promise.allSettled(this.#voices.map(({ tts }) => tts.voices()));
    const lists = told.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const failed = told.find((result) => result.status === "rejected");
    if (lists.length === 0) throw failed?.reason ?? providerFailed(this.provider, "no voices");
    return lists.flat();
  }

  speak(request: SpeechRequest, signal: AbortSignal): AsyncIterable<TtsChunk> {
    return this.of(request.voiceId).speak(request, signal);
  }

  close(): void {
    for (const { tts } of this.#voices) tts.close();
  }
}
