import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import {
  TTS_FIRST_AUDIO_MS_MAX,
  TTS_IDLE_MS_MAX,
  TTS_WAIT_MS_MAX,
  VOICE_CHOICE_MS_MAX,
} from "../../core/limits/speech-providers/tts.ts";
import type { CallTts, ClosableTts, ProviderObserver, Tts, TtsChunk, TtsRequest, Voice } from "../contracts.ts";
import type { Metering } from "../metering/usage.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { TIMEOUT, withTimeout } from "../resilience/deadlines.ts";
import {
  type AfterFailure,
  type Answer,
  type Attempt,
  type FallbackRequest,
  withFallback,
} from "../resilience/fallback.ts";
import { PROVIDER_RETRIES, withPolicy } from "../resilience/policy.ts";
import type { CacheCollector, SpeechCache } from "./cache.ts";
import { ResumePoint } from "./resume-point.ts";
import { normalizeRequest } from "./text-normalization/normalize.ts";
import { chooseVoice } from "./voice-matching.ts";

/** A TTS in a list of fallbacks. */
export interface TtsCandidate {
  readonly tts: ClosableTts;
  readonly circuitBreaker: CircuitBreaker;
  readonly metering?: Metering<TtsRequest, TtsChunk>;
  /** It gets normalized text, and its words are mapped back to those that were written. */
  readonly normalizesText?: boolean;
}

const isContent = ({ samples, words }: TtsChunk): boolean => samples.length > 0 || words.length > 0;

type PolicyTts = ReturnType<typeof ttsWithPolicy>;

const ttsWithPolicy = ({ tts, circuitBreaker, metering, normalizesText = false }: TtsCandidate, clock: Clock) => ({
  ...withPolicy(
    {
      provider: tts.provider,
      send: (request: TtsRequest, signal: AbortSignal): AsyncIterable<TtsChunk> => tts.speak(request, signal),
    },
    {
      metering,
      circuitBreaker,
      retries: PROVIDER_RETRIES,
      deadlines: {
        clock,
        firstContentMs: TTS_FIRST_AUDIO_MS_MAX,
        idleMs: TTS_IDLE_MS_MAX,
        totalMs: TTS_WAIT_MS_MAX,
        isContent,
      },
    },
  ),
  tts,
  normalizesText,
});

/** One provider for one segment. */
class SegmentCandidate {
  readonly policyTts: PolicyTts;
  readonly circuitBreaker: CircuitBreaker;
  readonly deadlines: PolicyTts["deadlines"];
  readonly retries: PolicyTts["retries"];
  /** The voice that it uses; resolves to undefined if it has no voice for the segment. */
  readonly voiceId: Promise<string | undefined>;
  /** The value of `voiceId` once it has resolved, TIMEOUT until then. */
  resolvedVoiceId: string | undefined | typeof TIMEOUT = TIMEOUT;

  constructor(policyTts: PolicyTts, voiceId: Promise<string | undefined>) {
    this.policyTts = policyTts;
    this.circuitBreaker = policyTts.circuitBreaker;
    this.deadlines = policyTts.deadlines;
    this.retries = policyTts.retries;
    this.voiceId = voiceId;
    void voiceId.then((id) => (this.resolvedVoiceId = id));
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
export class FallbackTts implements CallTts {
  readonly provider: string;
  readonly capabilities: Tts["capabilities"];
  readonly #primary: PolicyTts;
  /** All of them, the current provider first. */
  #candidates: readonly PolicyTts[];
  /** The latest choice of each provider: a search through thousands of voices for every segment would take long. */
  readonly #voiceMatches = new Map<PolicyTts, VoiceMatch>();
  readonly #cache: SpeechCache;
  readonly #clock: Clock;

  /** The first candidate is the provider of the call's voice. */
  constructor(candidates: readonly TtsCandidate[], cache: SpeechCache, clock: Clock) {
    this.#candidates = candidates.map((candidate) => ttsWithPolicy(candidate, clock));
    const [primary] = this.#candidates;
    assert.ok(primary !== undefined, "at least one TTS provider is required");
    this.provider = primary.provider;
    this.capabilities = primary.tts.capabilities;
    this.#primary = primary;
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

  speak(request: TtsRequest, signal: AbortSignal, observer?: ProviderObserver): AsyncIterable<TtsChunk> {
    const segment = new SpokenSegment({
      provider: this.provider,
      candidates: () => this.#candidatesFor(request),
      request,
      cache: this.#cache,
      onChunk: (candidate) => this.#stayWith(candidate),
      signal,
      observer,
    });
    return withFallback(segment, this.#clock, signal, observer);
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

  /** Makes `candidate` the current provider: the list is rotated, so that those before it come last. */
  #stayWith(candidate: PolicyTts): void {
    const index = this.#candidates.indexOf(candidate);
    if (index > 0) this.#candidates = [...this.#candidates.slice(index), ...this.#candidates.slice(0, index)];
  }

  /** The candidate's voice that is nearest to the requested one. */
  async #matchVoice(candidate: PolicyTts, { voiceId, language }: TtsRequest): Promise<string | undefined> {
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

interface SpokenSegmentOptions {
  provider: string;
  /** The providers that have a voice for the request or whose list is not loaded yet, the current one first. */
  candidates: () => Promise<readonly SegmentCandidate[]>;
  request: TtsRequest;
  cache: SpeechCache;
  /** Called for each chunk with its provider. */
  onChunk: (candidate: PolicyTts) => void;
  signal: AbortSignal;
  observer: ProviderObserver | undefined;
}

/** One segment, which several providers may speak in turn. */
class SpokenSegment implements FallbackRequest<SegmentCandidate, TtsChunk> {
  readonly totalMs = Number.POSITIVE_INFINITY;
  readonly #options: SpokenSegmentOptions;
  readonly #resumePoint: ResumePoint;
  #collector: CacheCollector | undefined;
  #rateHz = 0;

  constructor(options: SpokenSegmentOptions) {
    this.#options = options;
    this.#resumePoint = new ResumePoint(options.request.text);
  }

  get provider(): string {
    return this.#options.provider;
  }

  candidates(): Promise<readonly SegmentCandidate[]> {
    return this.#options.candidates();
  }

  /** The cached audio of the segment in the current provider's voice; it needs no stream permit. */
  cached([first]: readonly SegmentCandidate[]): Iterable<TtsChunk> | undefined {
    const { cache, request } = this.#options;
    const voiceId = first?.resolvedVoiceId;
    return typeof voiceId === "string" ? cache.get({ ...request, voiceId }) : undefined;
  }

  async send(attempt: Attempt<SegmentCandidate>): Promise<Answer<TtsChunk>> {
    const { candidate } = attempt;
    const { cache, request, signal, observer } = this.#options;
    const voiceId = await candidate.voiceId;
    if (voiceId === undefined || signal.aborted) return undefined;
    const segment = { ...request, voiceId, text: this.#resumePoint.text };
    const cached = cache.get(segment);
    this.#collector = cached === undefined ? cache.collect(segment) : undefined;
    if (cached !== undefined) return cached;
    const { policyTts } = candidate;
    if (!policyTts.normalizesText) return policyTts.request(segment, signal, observer, attempt);
    const normalized = normalizeRequest(segment);
    if (normalized === undefined) return [];
    return policyTts.request(normalized.request, signal, observer, attempt, normalized);
  }

  take(chunk: TtsChunk, { policyTts }: SegmentCandidate): TtsChunk | undefined {
    this.#collector?.add(chunk);
    this.#options.onChunk(policyTts);
    this.#rateHz = chunk.rateHz;
    const output = this.#resumePoint.add(chunk);
    return isContent(output) ? output : undefined;
  }

  end(): TtsChunk | undefined {
    this.#collector?.complete();
    const words = this.#resumePoint.end();
    return words.length > 0 ? { samples: new Int16Array(0), rateHz: this.#rateHz, words } : undefined;
  }

  failed(_error: unknown, hasBegun: boolean): AfterFailure {
    return hasBegun && !this.#resumePoint.resumeAfterFailure() ? "complete" : "continue";
  }
}
