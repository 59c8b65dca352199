import type { Clock } from "../../core/clock.ts";
import { providerFailed } from "../../core/errors.ts";
import { FRAME_MS } from "../../core/limits/media.ts";
import {
  STT_OUTAGE_MS_MAX,
  STT_REPLAY_MS_MAX,
  STT_REPLAY_SILENCE_MS,
  STT_RETRY_MS,
  STT_STABLE_MS,
  STT_UNRECOGNIZED_SPEECH_MS_MAX,
} from "../../core/limits/stt.ts";
import type { ProviderObserver, Stt, SttEvent, SttStream, SttStreamOptions } from "../contracts.ts";
import { EventQueue } from "../event-queue.ts";
import type { StreamPermit } from "../resilience/circuit-breaker.ts";
import type { FallbackCandidate } from "../resilience/fallback-attempts.ts";
import { failoverCodeOf, retryDelayMs, TIMED_OUT } from "../resilience/provider-error.ts";
import { PendingUtterances } from "./pending-utterances.ts";
import { ReplayBuffer } from "./replay-buffer.ts";
import { SpeechGate } from "./speech-gate.ts";

export interface SttCandidate extends FallbackCandidate {
  readonly stt: Stt;
}

/** A pause as long as that ends speech, for the call itself and for the ears that must be told. */
const HANGOVER_MS = 300;
const REPLAY_SILENCE_FRAMES = STT_REPLAY_SILENCE_MS / FRAME_MS;

/** Kept in front of speech that the gate has found: it is sure only after its first sound. */
const PREROLL_FRAMES = 10;
/** With a final that comes behind so many frames without voice nothing is left untold. */
const SILENT_FRAMES_MIN = 5;

/** What a stream is opened with, and who is told of what becomes of it. */
export interface FailoverSttStreamOptions extends Omit<SttStreamOptions, "onOpened"> {
  observer: ProviderObserver | undefined;
}

/** An ear that listens now. */
interface Current {
  candidate: SttCandidate;
  stream: SttStream;
  abortController: AbortController;
  permit: StreamPermit;
  openedAtMs: number;
}

/**
 * One listening stream over several ears. What was said since the last final is kept, for the ear that takes over; that comes to the
 * present within moments, since nobody tells it to hear at the pace of speech. An ear fails when its stream does, and when somebody
 * speaks and it tells nothing: a call cannot know that, for which silence of an ear is silence of the caller. Where that was a few words,
 * or none at all but noise, another ear, or another stream of the only one, is told them too: if that hears words the first has failed.
 */
export class FailoverSttStream implements SttStream {
  readonly events: EventQueue<SttEvent>;
  readonly #candidates: readonly SttCandidate[];
  #options: FailoverSttStreamOptions;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #speechGate = new SpeechGate(HANGOVER_MS);
  readonly #replayBuffer: ReplayBuffer;
  /** Ears that will not have this stream, whoever asks again. */
  readonly #refusedCandidates = new Set<SttCandidate>();
  #current: Current | undefined;
  /** The ear that listened last, or was to be the first. */
  #lastCandidate: SttCandidate;
  /** Which ear is tried next. */
  #nextIndex = 0;
  /** Voiced frames since the ear told something; frames since somebody began or stopped speaking; and those in a row without voice. */
  #unrecognizedSpeechFrames = 0;
  #framesSinceSpeechChange = 0;
  #silentFrames = 0;
  readonly #pendingUtterances = new PendingUtterances();
  /** Another ear is asked what the one before it did not hear, and nobody has heard a word since. */
  #isCrossChecking = false;
  /** Tells that the one before it has failed, for when it has. */
  #failCrossChecked: () => void = () => {};
  /** Words were told of which there is no final yet. */
  #hasInterim = false;
  /** When the provider took the stream; NaN until then, and where that was counted. */
  #openedMs = Number.NaN;
  /** Something was said, and no final has come of it. */
  #hasPendingSpeech = false;
  /** Since when no ear hears, and how often one has failed since; NaN while one does. */
  #outageStartMs = Number.NaN;
  #failures = 0;
  #isOver = false;
  #cancel: () => void = () => {};

  constructor(ears: readonly SttCandidate[], options: FailoverSttStreamOptions, clock: Clock, signal: AbortSignal) {
    this.#candidates = ears;
    this.#lastCandidate = ears[0] as SttCandidate;
    this.#options = options;
    this.#clock = clock;
    this.#signal = signal;
    this.events = new EventQueue(signal);
    this.#replayBuffer = new ReplayBuffer((options.rateHz * FRAME_MS) / 1_000, STT_REPLAY_MS_MAX / FRAME_MS);
    if (signal.aborted) return;
    signal.addEventListener("abort", () => this.#end(), { once: true });
    this.#openNext(this.#lastCandidate.circuitBreaker.unavailableError());
  }

  write(frame: Int16Array, voiced = false): void {
    if (this.#isOver || this.#signal.aborted) return;
    this.#bufferFrame(frame, voiced);
    this.#current?.stream.write(frame, voiced);
    if (voiced) this.#unrecognizedSpeechFrames += 1;
    if (this.#current !== undefined) this.#checkProvider(this.#current);
  }

  setLanguage(language: string): void {
    this.#options = { ...this.#options, language };
  }

  /** Looks whether an ear does what ears do. */
  #checkProvider(current: Current): void {
    const { interimTranscripts } = current.candidate.stt.capabilities;
    if (this.#clock.nowMs() - this.#openedMs >= STT_STABLE_MS) this.#onHealthy(current);
    const isUnheard = interimTranscripts && this.#unrecognizedSpeechFrames * FRAME_MS >= STT_UNRECOGNIZED_SPEECH_MS_MAX;
    if (!isUnheard && !this.#pendingUtterances.isOverdue) return;
    const error = providerFailed(
      current.candidate.stt.provider,
      "sent no transcript although the caller speaks",
      TIMED_OUT,
    );
    // One that hears utterances tells something of each, and any tells something of so much voice.
    if (isUnheard || !interimTranscripts) this.#onFailure(current, error);
    else if (this.#isCrossChecking) this.#endCrossCheck();
    else this.#startCrossCheck(current, error);
  }

  /** It was some words or none: somebody else is asked. */
  #startCrossCheck({ permit, abortController }: Current, error: Error): void {
    this.#isCrossChecking = true;
    this.#failCrossChecked = () => permit.failed(error);
    permit.release();
    abortController.abort();
    this.#current = undefined;
    this.#nextIndex = (this.#nextIndex + 1) % this.#candidates.length;
    this.#openNext(error);
  }

  /** Nobody has heard a word in it. */
  #endCrossCheck(): void {
    this.#pendingUtterances.resolveAll();
    this.#failCrossChecked = () => {};
  }

  #bufferFrame(frame: Int16Array, voiced: boolean): void {
    const change = this.#speechGate.frame(voiced);
    this.#framesSinceSpeechChange = change === "same" ? this.#framesSinceSpeechChange + 1 : 0;
    this.#silentFrames = voiced ? 0 : this.#silentFrames + 1;
    if (voiced && this.#speechGate.speaking) this.#hasPendingSpeech = true;
    this.#pendingUtterances.frame(
      voiced,
      change,
      this.#current?.candidate.stt.capabilities.interimTranscripts === false,
    );
    this.#replayBuffer.push(frame, voiced);
    if (!this.#hasPendingSpeech) this.#replayBuffer.keepLast(REPLAY_SILENCE_FRAMES);
  }

  /** Has the next ear listen that may; while none may, looks again until the caller has waited long enough. */
  #openNext(failure: Error): void {
    const willing = this.#candidates.filter((ear) => !this.#refusedCandidates.has(ear));
    for (let tried = 0; tried < this.#candidates.length; tried += 1) {
      const ear = this.#candidates[(this.#nextIndex + tried) % this.#candidates.length] as SttCandidate;
      const passage = willing.includes(ear) ? ear.circuitBreaker.tryAcquire() : undefined;
      if (passage === undefined) continue;
      this.#nextIndex = (this.#nextIndex + tried) % this.#candidates.length;
      if (ear !== this.#lastCandidate) {
        this.#options.observer?.failedOver(
          this.#lastCandidate.circuitBreaker.provider,
          ear.circuitBreaker.provider,
          failoverCodeOf(failure),
        );
        this.#lastCandidate = ear;
      }
      this.#startStream(ear, passage);
      return;
    }
    if (Number.isNaN(this.#outageStartMs)) this.#outageStartMs = this.#clock.nowMs();
    this.#scheduleReopen(willing.length === 0 ? Number.POSITIVE_INFINITY : STT_RETRY_MS, failure);
  }

  #scheduleReopen(delayMs: number, failure: Error): void {
    if (this.#clock.nowMs() + delayMs - this.#outageStartMs > STT_OUTAGE_MS_MAX) {
      this.#end();
      this.events.fail(failure);
    } else {
      this.#cancel = this.#clock.after(delayMs, () => this.#openNext(failure));
    }
  }

  #startStream(candidate: SttCandidate, permit: StreamPermit): void {
    const { observer, ...options } = this.#options;
    const abortController = new AbortController();
    this.#openedMs = Number.NaN;
    const onOpened = (): void => {
      if (!abortController.signal.aborted) this.#openedMs = this.#clock.nowMs();
    };
    const stream = candidate.stt.open({ ...options, onOpened }, abortController.signal, observer);
    const current: Current = { candidate, stream, abortController, permit, openedAtMs: this.#clock.nowMs() };
    this.#current = current;
    this.#unrecognizedSpeechFrames = 0;
    this.#pendingUtterances.restartTimeout();
    void this.#pump(current);
    this.#replayBuffer.replay((frame, voiced) => stream.write(frame, voiced));
  }

  async #pump(current: Current): Promise<void> {
    const { candidate, stream, abortController } = current;
    try {
      for await (const event of stream.events) {
        if (abortController.signal.aborted) return;
        this.#onEvent(event, current);
      }
      if (!abortController.signal.aborted)
        this.#onFailure(current, providerFailed(candidate.stt.provider, "ended its stream"));
    } catch (error) {
      if (!abortController.signal.aborted) this.#onFailure(current, error);
    }
  }

  /** The provider has shown that it is there. */
  #onHealthy({ permit }: Current): void {
    permit.succeeded();
    this.#openedMs = Number.NaN;
    this.#failures = 0;
    this.#outageStartMs = Number.NaN;
  }

  #onEvent(event: SttEvent, current: Current): void {
    this.#onHealthy(current);
    this.#unrecognizedSpeechFrames = 0;
    if (event.text !== "") {
      this.#isCrossChecking = false;
      this.#failCrossChecked();
    }
    this.#failCrossChecked = () => {};
    if (event.kind === "final" && !current.candidate.stt.capabilities.interimTranscripts)
      this.#pendingUtterances.resolveOldest();
    else this.#pendingUtterances.resolveAll();
    if (event.kind === "final") this.#dropTranscribedAudio();
    const isOfNothing = event.kind === "final" && event.text === "" && !this.#hasInterim;
    this.#hasInterim = event.kind === "interim";
    // That nothing was said concerns those alone who wait for an ear to tell so.
    if (!isOfNothing) this.events.push(event);
  }

  /** What a final has told. What somebody says since is of the next one; what he said before a pause was told with this. */
  #dropTranscribedAudio(): void {
    const { oldestAgeFrames } = this.#pendingUtterances;
    this.#hasPendingSpeech =
      oldestAgeFrames > 0 || (this.#speechGate.speaking && this.#silentFrames < SILENT_FRAMES_MIN);
    if (oldestAgeFrames > 0) this.#replayBuffer.keepLast(oldestAgeFrames);
    else if (this.#hasPendingSpeech) this.#replayBuffer.keepLast(this.#framesSinceSpeechChange + PREROLL_FRAMES);
    else this.#replayBuffer.keepLast(Math.min(this.#silentFrames, REPLAY_SILENCE_FRAMES));
  }

  #onFailure(current: Current, error: unknown): void {
    const { candidate, abortController, permit, openedAtMs } = current;
    const nowMs = this.#clock.nowMs();
    permit.failed(error);
    permit.release();
    abortController.abort();
    this.#current = undefined;
    // One that has listened for a while was an ear, even if there was nothing to be heard.
    if (Number.isNaN(this.#outageStartMs) || nowMs - openedAtMs > STT_OUTAGE_MS_MAX) {
      this.#outageStartMs = nowMs;
      this.#failures = 0;
    }
    this.#failures += 1;
    const waitMs = isTimeout(error) ? 0 : (retryDelayMs(error) ?? Number.POSITIVE_INFINITY);
    if (waitMs > STT_OUTAGE_MS_MAX) this.#refusedCandidates.add(candidate);
    this.#nextIndex = (this.#nextIndex + 1) % this.#candidates.length;
    const failure = error instanceof Error ? error : providerFailed(candidate.stt.provider, "failed");
    // Each is asked at once, the only one as well; and then again and again at a pace that it can bear.
    if (this.#failures <= this.#candidates.length) this.#openNext(failure);
    else this.#scheduleReopen(STT_RETRY_MS, failure);
  }

  #end(): void {
    this.#isOver = true;
    this.#cancel();
    this.#current?.abortController.abort();
    this.#current?.permit.release();
    this.#current = undefined;
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.cause === TIMED_OUT;
