import { strict as assert } from "node:assert";
import { spendRefusalOf } from "../../core/billing/spend.ts";
import type { Clock } from "../../core/clock.ts";
import { providerFailed } from "../../core/errors.ts";
import {
  TTS_FIRST_AUDIO_MS_MAX,
  TTS_IDLE_MS_MAX,
  TTS_WAIT_MS_MAX,
  VOICE_CHOICE_MS_MAX,
} from "../../core/limits/tts.ts";
import type { ClosableTts, ProviderObserver, Tts, TtsChunk, TtsRequest, Voice } from "../contracts.ts";
import type { CircuitBreaker, StreamPermit } from "../resilience/circuit-breaker.ts";
import { TIMEOUT, withTimeout } from "../resilience/deadlines.ts";
import { type Attempt, FallbackAttempts, type FallbackCandidate, runAttempt } from "../resilience/fallback-attempts.ts";
import { TIMED_OUT } from "../resilience/provider-error.ts";
import type { TtsCache } from "./cache.ts";
import { ResumePoint } from "./resume-point.ts";
import { chooseVoice } from "./voice-matching.ts";

export interface TtsCandidate extends FallbackCandidate {
  readonly tts: ClosableTts;
}

/** One of them for one piece. */
class SegmentCandidate implements FallbackCandidate {
  readonly ttsCandidate: TtsCandidate;
  /** What it speaks with; comes to undefined where it has no voice for the piece. */
  readonly voiceId: Promise<string | undefined>;
  /** The same, as far as it is known. */
  resolvedVoiceId: string | undefined | typeof TIMEOUT = TIMEOUT;

  constructor(voice: TtsCandidate, voiceId: Promise<string | undefined>) {
    this.ttsCandidate = voice;
    this.voiceId = voiceId;
    void voiceId.then((id) => (this.resolvedVoiceId = id));
  }

  get circuitBreaker(): CircuitBreaker {
    return this.ttsCandidate.circuitBreaker;
  }

  get isUnconfirmed(): boolean {
    return this.resolvedVoiceId === TIMEOUT;
  }
}

/** What was chosen of a provider's voices, for which piece. */
interface VoiceMatch extends Pick<TtsRequest, "voiceId" | "language"> {
  voices: readonly Voice[];
  matchedId: string | undefined;
}

/**
 * The voices of one call: its own, and those of other providers that speak the same language, for when that fails. Whoever has taken
 * over keeps the call: a voice that came and went from sentence to sentence would be worse than another one. What breaks off in the
 * middle of a piece is gone on with by the next.
 */
export class FallbackTts implements Tts {
  readonly provider: string;
  readonly capabilities: Tts["capabilities"];
  readonly #primary: TtsCandidate;
  /** All of them, the one that speaks first. */
  #candidates: readonly TtsCandidate[];
  /** The choices that were made last: to look through thousands of voices for every piece would take long. */
  readonly #voiceMatches = new Map<TtsCandidate, VoiceMatch>();
  readonly #cache: TtsCache;
  readonly #clock: Clock;

  /** The call's own first. */
  constructor(voices: readonly TtsCandidate[], cache: TtsCache, clock: Clock) {
    const [own] = voices;
    assert.ok(own !== undefined, "at least one voice");
    this.provider = own.tts.provider;
    this.capabilities = own.tts.capabilities;
    this.#primary = own;
    this.#candidates = voices;
    this.#cache = cache;
    this.#clock = clock;
  }

  voices(): Promise<readonly Voice[]> {
    return this.#primary.tts.voices();
  }

  /** The call's own voice alone; of the others the lists of voices are at hand by the time that they are needed. */
  prepare(voice: Omit<TtsRequest, "text">, signal: AbortSignal): void {
    for (const { tts } of this.#candidates.slice(1)) tts.voices().catch(() => {});
    if (this.#primary.circuitBreaker.isAvailable) this.#primary.tts.prepare?.(voice, signal);
  }

  async *speak(request: TtsRequest, signal: AbortSignal, watch?: ProviderObserver): AsyncGenerator<TtsChunk> {
    const speakers = await this.#candidatesFor(request);
    if (signal.aborted) return;
    const kept = this.#cachedAudio(speakers, request);
    if (kept !== undefined) {
      for (const chunk of kept) {
        if (signal.aborted) return;
        yield chunk;
      }
      return;
    }
    const attempts = new FallbackAttempts(speakers, TTS_FIRST_AUDIO_MS_MAX, this.#clock, watch);
    const soFar = new ResumePoint(request.text);
    for (let next = await attempts.next(signal); next !== undefined; next = await attempts.next(signal)) {
      const { candidate, permit } = next;
      const voiceId = await candidate.voiceId;
      if (voiceId === undefined || signal.aborted) {
        permit.release();
        attempts.skip();
        continue;
      }
      attempts.started(candidate);
      let hasBegun = false;
      let rateHz = 0;
      try {
        for await (const chunk of this.#synthesize(next, { ...request, voiceId, text: soFar.text }, signal, watch)) {
          hasBegun ||= isContent(chunk);
          ({ rateHz } = chunk);
          this.#stayWith(candidate.ttsCandidate);
          const told = soFar.add(chunk);
          if (isContent(told)) yield told;
          if (signal.aborted) return;
        }
        const words = soFar.end();
        if (words.length > 0 && !signal.aborted) yield { samples: new Int16Array(0), rateHz, words };
        return;
      } catch (error) {
        // No other provider may be asked either.
        if (spendRefusalOf(error) !== undefined) throw error;
        attempts.failed(error, hasBegun);
        if (hasBegun && !soFar.resumeAfterFailure()) return;
      }
    }
    if (signal.aborted) return;
    throw attempts.failure ?? providerFailed(this.provider, "did not start in time", TIMED_OUT);
  }

  /** Those who have a voice for it, and those of whom that cannot be told at once, the one that speaks first. */
  async #candidatesFor(request: TtsRequest): Promise<readonly SegmentCandidate[]> {
    const speakers = this.#candidates.map(
      (voice) =>
        new SegmentCandidate(
          voice,
          voice === this.#primary ? Promise.resolve(request.voiceId) : this.#matchVoice(voice, request),
        ),
    );
    await withTimeout(Promise.all(speakers.map(({ voiceId }) => voiceId)), 0, this.#clock);
    return speakers.filter(({ resolvedVoiceId }) => resolvedVoiceId !== undefined);
  }

  /** The piece in the voice of the one that speaks first, where it is at hand: for that nobody needs a stream. */
  #cachedAudio([first]: readonly SegmentCandidate[], request: TtsRequest): Iterable<TtsChunk> | undefined {
    const voiceId = first?.resolvedVoiceId;
    return typeof voiceId === "string" ? this.#cache.get({ ...request, voiceId }) : undefined;
  }

  /** The others stay behind it, those before it last. */
  #stayWith(provider: TtsCandidate): void {
    const index = this.#candidates.indexOf(provider);
    if (index > 0) this.#candidates = [...this.#candidates.slice(index), ...this.#candidates.slice(0, index)];
  }

  #synthesize(
    { candidate, permit, firstContentMs }: Attempt<SegmentCandidate>,
    request: TtsRequest,
    signal: AbortSignal,
    watch: ProviderObserver | undefined,
  ): AsyncIterable<TtsChunk> {
    const { tts } = candidate.ttsCandidate;
    const speak = () =>
      runAttempt(
        permit,
        (either) => tts.speak(request, either, watch),
        {
          provider: tts.provider,
          clock: this.#clock,
          firstContentMs,
          idleMs: TTS_IDLE_MS_MAX,
          totalMs: TTS_WAIT_MS_MAX,
          isContent,
        },
        signal,
      );
    return releasing(permit, this.#cache.speak(request, speak, signal));
  }

  /** The voice of another provider that comes nearest to the one that was asked for. */
  async #matchVoice(voice: TtsCandidate, { voiceId, language }: TtsRequest): Promise<string | undefined> {
    try {
      const from = await withTimeout(voice.tts.voices(), VOICE_CHOICE_MS_MAX, this.#clock);
      if (from === TIMEOUT) return undefined;
      const last = this.#voiceMatches.get(voice);
      if (last?.voices === from && last.voiceId === voiceId && last.language === language) return last.matchedId;
      const matchedId = chooseVoice(from, voiceId, language)?.id;
      this.#voiceMatches.set(voice, { voices: from, voiceId, language, matchedId });
      return matchedId;
    } catch {
      // Whoever cannot list his voices cannot be chosen from; the list tells of that where it is asked for itself.
      return undefined;
    }
  }
}

/** What is at hand needs no stream. */
async function* releasing(passage: StreamPermit, speech: AsyncIterable<TtsChunk>): AsyncGenerator<TtsChunk> {
  try {
    yield* speech;
  } finally {
    passage.release();
  }
}

const isContent = ({ samples, words }: TtsChunk): boolean => samples.length > 0 || words.length > 0;
