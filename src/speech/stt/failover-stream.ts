import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";
import { providerFailed } from "../../core/errors.ts";
import {
  STT_OUTAGE_MS_MAX,
  STT_REPLAY_MS_MAX,
  STT_REPLAY_SILENCE_MS,
  STT_RETRY_MS,
  STT_STABLE_MS,
  STT_UNRECOGNIZED_SPEECH_MS_MAX,
} from "../../core/limits/speech-providers/stt.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { NO_SPEECH, type SpeechActivity } from "../../media/voice-activity/speech-activity.ts";
import type { CallSttStream, ProviderObserver, SttEvent, SttStream, SttStreamOptions } from "../contracts.ts";
import { EventQueue } from "../event-queue.ts";
import type { StreamPermit } from "../resilience/circuit-breaker.ts";
import { reportFailover } from "../resilience/fallback.ts";
import { failoverCodeOf, OTHER_LANGUAGE, retryDelayMs, TIMED_OUT } from "../resilience/provider-error.ts";
import { CandidateRotation, type SttCandidate } from "./candidates.ts";
import { PendingUtterances } from "./pending-utterances.ts";
import { ReplayBuffer } from "./replay-buffer.ts";
import { UnrecognizedSpeech } from "./unrecognized-speech.ts";
import { hasFinalForEach } from "./utterance-finals.ts";

const REPLAY_SILENCE_FRAMES = STT_REPLAY_SILENCE_MS / FRAME_MS;
/** A final that arrives after this many unvoiced frames covers all speech before them. */
const SILENT_FRAMES_MIN = 5;

/** The parameters of the stream and its observer. */
interface FailoverSttStreamOptions extends Omit<SttStreamOptions, "onOpened"> {
  observer: ProviderObserver | undefined;
}

/** The open stream and its provider. */
interface Current {
  candidate: SttCandidate;
  stream: SttStream;
  abortController: AbortController;
  permit: StreamPermit;
  openedAtMs: MonotonicMs;
}

/**
 * One STT stream over several providers. It buffers the audio since the last final and replays it to the next provider
 * on a failover. The next provider catches up quickly, because the replay is not limited to the pace of speech.
 *
 * A provider fails when its stream fails, and when the caller speaks and it sends no transcript. The call cannot detect
 * the latter, because to the call a silent STT stream is a silent caller. Where the unrecognized audio was only a few
 * words, or perhaps noise, it is cross-checked: another provider, or a new stream of the only one, gets the same audio.
 * If that one recognizes words, the first provider has failed.
 */
export class FailoverSttStream implements CallSttStream {
  readonly events: EventQueue<SttEvent>;
  readonly #candidates: CandidateRotation;
  #options: FailoverSttStreamOptions;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #replayBuffer: ReplayBuffer;
  #current: Current | undefined;
  /** The candidate of the last stream; before the first stream, the first candidate. */
  #lastCandidate: SttCandidate;
  /** The caller's speech since the last event. */
  readonly #unrecognizedSpeech = new UnrecognizedSpeech();
  readonly #pendingUtterances = new PendingUtterances();
  /** Another stream is checking audio that the one before it did not recognize, and has recognized no word yet. */
  #isCrossChecking = false;
  /** Reports a failure of the provider that is being cross-checked. */
  #failCrossChecked: () => void = () => {};
  /** An interim with words was emitted, and its final is pending. */
  #hasInterim = false;
  /** When the provider accepted the stream; NaN before, and after its health has been reported. */
  #openedMs = monotonicMs(Number.NaN);
  /** The caller spoke, and no final covers it yet. */
  #hasPendingSpeech = false;
  /** When the outage began, NaN while a provider works; and the failures since. */
  #outageStartMs = monotonicMs(Number.NaN);
  #failures = 0;
  #isOver = false;
  #cancel: () => void = () => {};

  constructor(
    candidates: readonly SttCandidate[],
    options: FailoverSttStreamOptions,
    clock: Clock,
    signal: AbortSignal,
  ) {
    this.#candidates = new CandidateRotation(candidates, options.language);
    this.#lastCandidate = this.#candidates.next;
    this.#options = options;
    this.#clock = clock;
    this.#signal = signal;
    this.events = new EventQueue(signal);
    this.#replayBuffer = new ReplayBuffer((options.rateHz * FRAME_MS) / 1_000, STT_REPLAY_MS_MAX / FRAME_MS);
    if (signal.aborted) return;
    signal.addEventListener("abort", () => this.#end(), { once: true });
    this.#openNext(this.#lastCandidate.circuitBreaker.unavailableError());
  }

  write(frame: Int16Array, activity: SpeechActivity = NO_SPEECH): void {
    if (this.#isOver || this.#signal.aborted) return;
    this.#bufferFrame(frame, activity);
    this.#current?.stream.write(frame, activity);
    this.#unrecognizedSpeech.frame(activity);
    if (this.#current !== undefined) this.#checkProvider(this.#current);
  }

  /** Asks the open stream; there is no answer while there is none. */
  requestInterim(): void {
    if (!this.#isOver && !this.#signal.aborted) this.#current?.stream.requestInterim?.();
  }

  /**
   * The open stream continues where its provider serves the language and needs no new request for it. Otherwise a stream is
   * opened in the language, by the same provider or the first that serves it, and gets the audio since the last final.
   */
  setLanguage(language: string): void {
    const current = this.#current;
    const { language: before } = this.#options;
    if (language === before || !this.#candidates.setLanguage(language, current?.candidate)) return;
    this.#options = { ...this.#options, language };
    if (current === undefined) return;
    const { candidate, abortController, permit } = current;
    if (candidate === this.#candidates.next && this.#understandsBoth(candidate, before, language)) return;
    permit.release();
    abortController.abort();
    this.#current = undefined;
    this.#isCrossChecking = false;
    this.#failCrossChecked = () => {};
    this.#openNext(providerFailed(candidate.stt.provider, "does not transcribe the language", OTHER_LANGUAGE));
  }

  /** Whether an open stream of `candidate` transcribes the call also when its language changes. */
  #understandsBoth({ stt: { capabilities } }: SttCandidate, before: string, language: string): boolean {
    if (capabilities.anyLanguage === true) return true;
    const detects = (tag: string): boolean => capabilities.detectsLanguage?.(tag) === true;
    return this.#options.languagePinned !== true && detects(before) && detects(language);
  }

  /** Reports the provider as healthy, or fails or cross-checks it when it sends no transcript of speech. */
  #checkProvider(current: Current): void {
    const { interimTranscripts, finalPerUtterance } = current.candidate.stt.capabilities;
    if (elapsedMs(this.#openedMs, this.#clock.nowMs()) >= STT_STABLE_MS) this.#onHealthy(current);
    if (finalPerUtterance === true) return;
    const isSilent = interimTranscripts && this.#unrecognizedSpeech.hasReached(STT_UNRECOGNIZED_SPEECH_MS_MAX);
    if (!isSilent && !this.#pendingUtterances.isOverdue) return;
    const error = providerFailed(
      current.candidate.stt.provider,
      "sent no transcript although the caller speaks",
      TIMED_OUT,
    );
    // STT without interim transcripts sends a final for each utterance, and any STT reacts to so much speech.
    if (isSilent || !interimTranscripts) this.#onFailure(current, error);
    else if (this.#isCrossChecking) this.#endCrossCheck();
    else this.#startCrossCheck(current, error);
  }

  /** The audio was a few words or noise: another stream checks it. */
  #startCrossCheck({ permit, abortController }: Current, error: Error): void {
    this.#isCrossChecking = true;
    this.#failCrossChecked = () => permit.failed(error);
    permit.release();
    abortController.abort();
    this.#current = undefined;
    this.#candidates.advance();
    this.#openNext(error);
  }

  /** No provider recognized a word: it was noise. */
  #endCrossCheck(): void {
    this.#pendingUtterances.resolveAll();
    this.#failCrossChecked = () => {};
  }

  #bufferFrame(frame: Int16Array, activity: SpeechActivity): void {
    if (activity.isSpeech && activity.isSpeaking) this.#hasPendingSpeech = true;
    const stt = this.#current?.candidate.stt;
    this.#pendingUtterances.frame(activity, stt !== undefined && hasFinalForEach(stt.capabilities));
    this.#replayBuffer.push(frame, activity);
    if (!this.#hasPendingSpeech) this.#replayBuffer.keepLast(REPLAY_SILENCE_FRAMES);
  }

  /**
   * Opens a stream with the next available candidate. While there is none, it retries until STT_OUTAGE_MS_MAX is over.
   */
  #openNext(failure: Error): void {
    const acquired = this.#candidates.acquire();
    if (acquired !== undefined) {
      const { candidate, permit } = acquired;
      reportFailover(this.#options.observer, this.#lastCandidate, candidate, failure);
      this.#lastCandidate = candidate;
      this.#startStream(candidate, permit);
      return;
    }
    if (Number.isNaN(this.#outageStartMs)) this.#outageStartMs = this.#clock.nowMs();
    this.#scheduleReopen(this.#candidates.isExhausted ? Number.POSITIVE_INFINITY : STT_RETRY_MS, failure);
  }

  #scheduleReopen(delayMs: number, failure: Error): void {
    if (elapsedMs(this.#outageStartMs, addMs(this.#clock.nowMs(), delayMs)) > STT_OUTAGE_MS_MAX) {
      this.#end();
      this.events.fail(failure);
    } else {
      this.#cancel = this.#clock.after(delayMs, () => this.#openNext(failure));
    }
  }

  #startStream(candidate: SttCandidate, permit: StreamPermit): void {
    const { observer, ...options } = this.#options;
    const abortController = new AbortController();
    this.#openedMs = monotonicMs(Number.NaN);
    const onOpened = (): void => {
      if (!abortController.signal.aborted) this.#openedMs = this.#clock.nowMs();
    };
    const stream = candidate.stt.open(
      { ...options, hasFallback: this.#candidates.hasFallback(candidate), onOpened },
      abortController.signal,
      observer,
    );
    const current: Current = { candidate, stream, abortController, permit, openedAtMs: this.#clock.nowMs() };
    this.#current = current;
    this.#unrecognizedSpeech.reset();
    this.#pendingUtterances.restartTimeout();
    void this.#pump(current);
    this.#replayBuffer.replay((frame, activity) => stream.write(frame, activity));
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

  /** The provider has proved that it works. */
  #onHealthy({ permit }: Current): void {
    permit.succeeded();
    this.#openedMs = monotonicMs(Number.NaN);
    this.#failures = 0;
    this.#outageStartMs = monotonicMs(Number.NaN);
  }

  #onEvent(event: SttEvent, current: Current): void {
    this.#onHealthy(current);
    this.#unrecognizedSpeech.reset();
    if (event.text !== "") {
      this.#isCrossChecking = false;
      this.#failCrossChecked();
    }
    this.#failCrossChecked = () => {};
    const isFinalForEach = hasFinalForEach(current.candidate.stt.capabilities);
    // Where each utterance has a final, interims cover one that goes on, not those that are over.
    if (!isFinalForEach) this.#pendingUtterances.resolveAll();
    else if (event.kind === "final") this.#pendingUtterances.resolveOldest();
    if (event.kind === "final") this.#dropTranscribedAudio(isFinalForEach);
    const isEmptyFinal = event.kind === "final" && event.text === "" && !this.#hasInterim;
    this.#hasInterim = event.kind === "interim";
    // It resolves a pending utterance here. Where the call waits for it, it also says that there are no words.
    if (!isEmptyFinal || isFinalForEach) this.events.push(event);
  }

  /**
   * Drops the audio that a final covers: speech before the last pause. Speech after it belongs to the next final, and
   * where each utterance has a final so does all of one that has not ended.
   */
  #dropTranscribedAudio(isOfUtterance: boolean): void {
    const { oldestAgeFrames, currentAgeFrames, silentFrames } = this.#pendingUtterances;
    const coversCurrent = !isOfUtterance && silentFrames >= SILENT_FRAMES_MIN;
    this.#hasPendingSpeech = oldestAgeFrames > 0 || (currentAgeFrames > 0 && !coversCurrent);
    if (oldestAgeFrames > 0) this.#replayBuffer.keepLast(oldestAgeFrames);
    else if (this.#hasPendingSpeech) this.#replayBuffer.keepLast(currentAgeFrames);
    else this.#replayBuffer.keepLast(Math.min(silentFrames, REPLAY_SILENCE_FRAMES));
  }

  #onFailure(current: Current, error: unknown): void {
    const { candidate, abortController, permit, openedAtMs } = current;
    const nowMs = this.#clock.nowMs();
    permit.failed(error);
    permit.release();
    abortController.abort();
    this.#current = undefined;
    // A stream that was open for a while worked, even if the caller said nothing: a new outage begins.
    if (Number.isNaN(this.#outageStartMs) || elapsedMs(openedAtMs, nowMs) > STT_OUTAGE_MS_MAX) {
      this.#outageStartMs = nowMs;
      this.#failures = 0;
    }
    this.#failures += 1;
    const waitMs = failoverCodeOf(error) === "timed_out" ? 0 : (retryDelayMs(error) ?? Number.POSITIVE_INFINITY);
    if (waitMs > STT_OUTAGE_MS_MAX) this.#candidates.refuse(candidate);
    this.#candidates.advance();
    const failure = error instanceof Error ? error : providerFailed(candidate.stt.provider, "failed");
    // Each candidate is tried once without a delay, also the only one. After that a retry starts every STT_RETRY_MS.
    if (this.#failures <= this.#candidates.count) this.#openNext(failure);
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
