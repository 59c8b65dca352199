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

/** One provider for one segment. */
class SegmentCandidate implements FallbackCandidate {
  readonly ttsCandidate: TtsCandidate;
  /** The voice that it uses; resolves to undefined if it has no voice for the segment. */
  readonly voiceId: Promise<string | undefined>;
  /** The value of `voiceId` once it has resolved, TIMEOUT until then. */
  resolvedVoiceId: string | undefined | typeof TIMEOUT = TIMEOUT;

  constructor(ttsCandidate: TtsCandidate, voiceId: Promise<string | undefined>) {
    this.ttsCandidate = ttsCandidate;
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

/** The voice chosen from a provider's list, and the request that it was chosen for. */
interface VoiceMatch extends Pick<TtsRequest, "voiceId" | "language"> {
  voices: readonly Voice[];
  matchedId: string | undefined;
}

/**
 * The TTS of one call: the provider of its voice, and as fallbacks other providers that speak the same language. After
 * a failover the call stays with the new provider: a voice that changes from sentence to sentence would be worse than
 * another voice. If a provider fails in the middle of a segment, the next one continues the segment.
 */
export class FallbackTts implements Tts {
  readonly provider: string;
  readonly capabilities: Tts["capabilities"];
  readonly #primary: TtsCandidate;
  /** All of them, the current provider first. */
  #candidates: readonly TtsCandidate[];
  /** The latest choice of each provider: a search through thousands of voices for every segment would take long. */
  readonly #voiceMatches = new Map<TtsCandidate, VoiceMatch>();
  readonly #cache: TtsCache;
  readonly #clock: Clock;

  /** The first candidate is the provider of the call's voice. */
  constructor(candidates: readonly TtsCandidate[], cache: TtsCache, clock: Clock) {
    const [primary] = candidates;
    assert.ok(primary !== undefined, "at least one TTS provider is required");
    this.provider = primary.tts.provider;
    this.capabilities = primary.tts.capabilities;
    this.#primary = primary;
    this.#candidates = candidates;
    this.#cache = cache;
    this.#clock = clock;
  }

  voices(): Promise<readonly Voice[]> {
    return this.#primary.tts.voices();
  }

  /** Prepares only the primary provider. Of the others it loads the voice lists, so that a failover need not wait. */
  prepare(voice: Omit<TtsRequest, "text">, signal: AbortSignal): void {
    for (const { tts } of this.#candidates.slice(1)) tts.voices().catch(() => {});
    if (this.#primary.circuitBreaker.isAvailable) this.#primary.tts.prepare?.(voice, signal);
  }

  async *speak(request: TtsRequest, signal: AbortSignal, observer?: ProviderObserver): AsyncGenerator<TtsChunk> {
    const candidates = await this.#candidatesFor(request);
    if (signal.aborted) return;
    const cached = this.#cachedAudio(candidates, request);
    if (cached !== undefined) {
      for (const chunk of cached) {
        if (signal.aborted) return;
        yield chunk;
      }
      return;
    }
    const attempts = new FallbackAttempts(candidates, TTS_FIRST_AUDIO_MS_MAX, this.#clock, observer);
    const resumePoint = new ResumePoint(request.text);
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
        const segment = { ...request, voiceId, text: resumePoint.text };
        for await (const chunk of this.#synthesize(next, segment, signal, observer)) {
          hasBegun ||= isContent(chunk);
          ({ rateHz } = chunk);
          this.#stayWith(candidate.ttsCandidate);
          const output = resumePoint.add(chunk);
          if (isContent(output)) yield output;
          if (signal.aborted) return;
        }
        const words = resumePoint.end();
        if (words.length > 0 && !signal.aborted) yield { samples: new Int16Array(0), rateHz, words };
        return;
      } catch (error) {
        // The spend limit holds for the other providers, too.
        if (spendRefusalOf(error) !== undefined) throw error;
        attempts.failed(error, hasBegun);
        if (hasBegun && !resumePoint.resumeAfterFailure()) return;
      }
    }
    if (signal.aborted) return;
    throw attempts.failure ?? providerFailed(this.provider, "did not start in time", TIMED_OUT);
  }

  /** The providers that have a voice for the request or whose list is not loaded yet, the current one first. */
  async #candidatesFor(request: TtsRequest): Promise<readonly SegmentCandidate[]> {
    const candidates = this.#candidates.map(
      (candidate) =>
        new SegmentCandidate(
          candidate,
          candidate === this.#primary ? Promise.resolve(request.voiceId) : this.#matchVoice(candidate, request),
        ),
    );
    await withTimeout(Promise.all(candidates.map(({ voiceId }) => voiceId)), 0, this.#clock);
    return candidates.filter(({ resolvedVoiceId }) => resolvedVoiceId !== undefined);
  }

  /** The cached audio of the segment in the current provider's voice; it needs no stream permit. */
  #cachedAudio([first]: readonly SegmentCandidate[], request: TtsRequest): Iterable<TtsChunk> | undefined {
    const voiceId = first?.resolvedVoiceId;
    return typeof voiceId === "string" ? this.#cache.get({ ...request, voiceId }) : undefined;
  }

  /** Makes `candidate` the current provider: the list is rotated, so that those before it come last. */
  #stayWith(candidate: TtsCandidate): void {
    const index = this.#candidates.indexOf(candidate);
    if (index > 0) this.#candidates = [...this.#candidates.slice(index), ...this.#candidates.slice(0, index)];
  }

  #synthesize(
    { candidate, permit, firstContentMs }: Attempt<SegmentCandidate>,
    request: TtsRequest,
    signal: AbortSignal,
    observer: ProviderObserver | undefined,
  ): AsyncIterable<TtsChunk> {
    const { tts } = candidate.ttsCandidate;
    const speak = () =>
      runAttempt(
        permit,
        (attemptSignal) => tts.speak(request, attemptSignal, observer),
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

  /** The candidate's voice that is nearest to the requested one. */
  async #matchVoice(candidate: TtsCandidate, { voiceId, language }: TtsRequest): Promise<string | undefined> {
    try {
      const voices = await withTimeout(candidate.tts.voices(), VOICE_CHOICE_MS_MAX, this.#clock);
      if (voices === TIMEOUT) return undefined;
      const last = this.#voiceMatches.get(candidate);
      if (last?.voices === voices && last.voiceId === voiceId && last.language === language) return last.matchedId;
      const matchedId = chooseVoice(voices, voiceId, language)?.id;
      this.#voiceMatches.set(candidate, { voices, voiceId, language, matchedId });
      return matchedId;
    } catch {
      // A provider without a voice list is no fallback. The failure is reported where the list itself is requested.
      return undefined;
    }
  }
}

/** Releases the permit when the audio ends, also where it came from the cache and used no stream. */
async function* releasing(permit: StreamPermit, speech: AsyncIterable<TtsChunk>): AsyncGenerator<TtsChunk> {
  try {
    yield* speech;
  } finally {
    permit.release();
  }
}

const isContent = ({ samples, words }: TtsChunk): boolean => samples.length > 0 || words.length > 0;
