import { strict as assert } from "node:assert";
import type { Clock } from "../core/clock.ts";
import { providerFailed } from "../core/errors.ts";
import { VOICE_CHOICE_MS_MAX, VOICE_FIRST_MS_MAX, VOICE_IDLE_MS_MAX, VOICE_WAITED_MS_MAX } from "../core/limits.ts";
import { type Attempt, Attempts, type Chained, tried } from "./attempts.ts";
import { LATE, within } from "./deadlines.ts";
import type { Passage } from "./provider-line.ts";
import { SILENCE } from "./refusal.ts";
import type { ClosableTts, SpeechRequest, Tts, TtsChunk, Voice } from "./speech.ts";
import type { SpeechCache } from "./speech-cache.ts";
import { SpeechSoFar } from "./speech-so-far.ts";
import { chooseVoice } from "./voice-choice.ts";

export interface ChainedVoice extends Chained {
  readonly tts: ClosableTts;
}

/**
 * The voices of one call: its own, and those of other providers that speak the same language, for when that fails. Whoever has taken
 * over keeps the call: a voice that came and went from sentence to sentence would be worse than another one. What breaks off in the
 * middle of a piece is gone on with by the next.
 */
export class VoiceChain implements Tts {
  readonly provider: string;
  readonly capabilities: Tts["capabilities"];
  readonly #own: ChainedVoice;
  /** All of them, the one that speaks first. */
  #voices: readonly ChainedVoice[];
  readonly #cache: SpeechCache;
  readonly #clock: Clock;

  /** The call's own first. */
  constructor(voices: readonly ChainedVoice[], cache: SpeechCache, clock: Clock) {
    const [own] = voices;
    assert.ok(own !== undefined, "at least one voice");
    this.provider = own.tts.provider;
    this.capabilities = own.tts.capabilities;
    this.#own = own;
    this.#voices = voices;
    this.#cache = cache;
    this.#clock = clock;
  }

  voices(): Promise<readonly Voice[]> {
    return this.#own.tts.voices();
  }

  /** Has the lists of voices at hand by the time that they are needed. */
  prepare(): void {
    for (const { tts } of this.#voices.slice(1)) tts.voices().catch(() => {});
  }

  async *speak(request: SpeechRequest, signal: AbortSignal): AsyncGenerator<TtsChunk> {
    const attempts = new Attempts(this.#voices, VOICE_FIRST_MS_MAX, this.#clock);
    const soFar = new SpeechSoFar(request.text);
    for (let next = await attempts.next(signal); next !== undefined; next = await attempts.next(signal)) {
      const { provider, passage } = next;
      const voiceId = provider === this.#own ? request.voiceId : await this.#voiceOf(provider, request);
      if (voiceId === undefined || signal.aborted) {
        passage.leave();
        attempts.pass();
        continue;
      }
      let hasBegun = false;
      let rateHz = 0;
      try {
        for await (const chunk of this.#spoken(next, { ...request, voiceId, text: soFar.text }, signal)) {
          hasBegun ||= isContent(chunk);
          ({ rateHz } = chunk);
          this.#keepTo(provider);
          const told = soFar.take(chunk);
          if (isContent(told)) yield told;
          if (signal.aborted) return;
        }
        const words = soFar.end();
        if (words.length > 0 && !signal.aborted) yield { samples: new Int16Array(0), rateHz, words };
        return;
      } catch (error) {
        attempts.failed(error, hasBegun);
        if (hasBegun && !soFar.breakOff()) return;
      }
    }
    if (signal.aborted) return;
    throw attempts.failure ?? providerFailed(this.provider, "did not begin in time", SILENCE);
  }

  /** The others stay behind it, those before it last. */
  #keepTo(provider: ChainedVoice): void {
    const index = this.#voices.indexOf(provider);
    if (index > 0) this.#voices = [...this.#voices.slice(index), ...this.#voices.slice(0, index)];
  }

  #spoken(
    { provider: { tts }, passage, firstMs }: Attempt<ChainedVoice>,
    request: SpeechRequest,
    signal: AbortSignal,
  ): AsyncIterable<TtsChunk> {
    const speak = () =>
      tried(
        passage,
        (either) => tts.speak(request, either),
        {
          provider: tts.provider,
          clock: this.#clock,
          firstMs,
          idleMs: VOICE_IDLE_MS_MAX,
          totalMs: VOICE_WAITED_MS_MAX,
          isContent,
        },
        signal,
      );
    return leaving(passage, this.#cache.speak(request, speak, signal));
  }

  /** The voice of another provider that comes nearest to the one that was asked for. */
  async #voiceOf({ tts }: ChainedVoice, { voiceId, language }: SpeechRequest): Promise<string | undefined> {
    try {
      const voices = await within(tts.voices(), VOICE_CHOICE_MS_MAX, this.#clock);
      return voices === LATE ? undefined : chooseVoice(voices, voiceId, language)?.id;
    } catch {
      // Whoever cannot list his voices cannot be chosen from; the list tells of that where it is asked for itself.
      return undefined;
    }
  }
}

/** What is at hand needs no stream. */
async function* leaving(passage: Passage, speech: AsyncIterable<TtsChunk>): AsyncGenerator<TtsChunk> {
  try {
    yield* speech;
  } finally {
    passage.leave();
  }
}

const isContent = ({ samples, words }: TtsChunk): boolean => samples.length > 0 || words.length > 0;
