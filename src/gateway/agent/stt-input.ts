import type { CallEvent } from "../../call/events.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import { type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";
import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls/calls.ts";
import { STT_SILENCE_FRAMES } from "../../core/limits/streams/caller-audio.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import type { Logger } from "../../core/log/logger.ts";
import { cutText } from "../../core/text/graphemes.ts";
import type { Resampler, ResamplerFactory } from "../../media/resampler.ts";
import type { SegmentState } from "../../media/voice-activity/speech-activity.ts";
import { StreamActivity } from "../../media/voice-activity/stream-activity.ts";
import type { CallStt, CallSttStream, ProviderObserver, SttEvent } from "../../speech/contracts.ts";
import { languageCode } from "../../speech/languages.ts";
import { pump } from "../../speech/pump.ts";
import { UnrecognizedSpeech } from "../../speech/stt/unrecognized-speech.ts";

/** By then the transcripts of what was said before a suspension have come. Providers end streams that get no audio for longer. */
const SUSPENDED_MS_MAX = 5_000;
/** An STT with interim transcripts returns a word within this much speech. */
const UNRECOGNIZED_SPEECH_MS_MAX = 3_000;

export interface SttInputOptions {
  spec: Pick<CallSpec, "language" | "languagePinned" | "websocket" | "mode">;
  /** The rate of the caller's frames, Hz. */
  busRateHz: number;
  stt: CallStt;
  observer: ProviderObserver;
  makeResampler: ResamplerFactory;
  log: Logger;
  /** Call time. */
  nowMs: () => CallMs;
  /** Delivers a transcript to the call. */
  deliver: (event: CallEvent) => void;
  /** The time from the caller's last voiced frame to the final transcript. */
  onLatency: (durationMs: number) => void;
  /** The stream has failed; no more transcripts come from it. */
  onError: (error: unknown) => void;
}

/** The STT stream of one call: passes the caller's audio to the STT and delivers its transcripts as events. */
export class SttInput {
  readonly #options: SttInputOptions;
  #stream: CallSttStream | undefined;
  /** Aborts the open stream. */
  #abortController = new AbortController();
  #language: string;
  #hasFailed = false;
  /** Since when no audio comes; undefined while it does. */
  #suspendedMs: CallMs | undefined;
  /** When the latest audio came, or the stream was opened. */
  #latestFrameMs = callMs(Number.NaN);
  #resampler: Resampler | undefined;
  #activity = new StreamActivity();
  /**
   * Until words have come, or their absence was logged. Undefined for an STT without interim transcripts: its words may
   * come late, so its silence proves nothing.
   */
  #unrecognized: UnrecognizedSpeech | undefined;
  readonly #silence: Int16Array;
  /** When the caller's last voiced frame was; NaN before the first one, and after each final transcript. */
  #lastSpeechMs = callMs(Number.NaN);

  constructor(options: SttInputOptions) {
    this.#options = options;
    this.#language = options.spec.language;
    this.#silence = new Int16Array((options.busRateHz / 1_000) * FRAME_MS);
    if (options.stt.capabilities.interimTranscripts) this.#unrecognized = new UnrecognizedSpeech();
  }

  /** Opens the stream, at the rate of the caller's frames if the STT accepts it, and otherwise resampled. */
  start(): void {
    const { stt, spec, busRateHz, makeResampler, observer } = this.#options;
    const { ratesHz } = stt.capabilities;
    const rateHz = ratesHz.includes(busRateHz) ? busRateHz : ratesHz[0];
    if (rateHz === undefined)
      throw new Error(`the STT ${stt.provider} supports no sample rate: its ratesHz must not be empty`);
    if (rateHz !== busRateHz) this.#resampler = makeResampler(busRateHz, rateHz);
    const { languagePinned } = spec;
    const promptInterims = spec.mode === "transcription";
    this.#abortController = new AbortController();
    const { signal } = this.#abortController;
    this.#latestFrameMs = this.#options.nowMs();
    this.#activity = new StreamActivity();
    this.#stream = stt.open({ language: this.#language, languagePinned, promptInterims, rateHz }, signal, observer);
    void pump(
      this.#stream.events,
      signal,
      (event) => this.#onEvent(event),
      (error) => this.#onFailed(error),
    );
  }

  /** The call switches to `language`. */
  setLanguage(language: string): void {
    this.#language = language;
    this.#stream?.setLanguage?.(language);
  }

  /**
   * One frame of the caller's audio, borrowed. `segment` is the caller's speech after it; `silenceFrames` frames precede
   * it that the carrier did not send.
   */
  writeFrame(frame: Int16Array, segment: SegmentState, silenceFrames: number, nowMs: CallMs): void {
    this.#latestFrameMs = nowMs;
    this.resume();
    this.#writeSilence(silenceFrames, segment);
    if (segment.isSpeech) this.#lastSpeechMs = nowMs;
    this.#activity.frame(segment);
    this.#write(frame);
  }

  /** One frame with nothing but the agent's echo, which the STT must not transcribe: it gets silence. */
  writeEcho(segment: SegmentState, silenceFrames: number): void {
    this.#writeSilence(silenceFrames + 1, segment);
  }

  /**
   * Must be called at each tick, with the frames of silence that the carrier did not send until now: an STT measures
   * pauses only by the audio it receives. Speech that ended in the call because frames stopped ends in the STT with
   * that silence, or with a frame of it.
   */
  tick(silenceFrames: number, segment: SegmentState): void {
    if (this.#suspendedMs !== undefined) {
      if (elapsedMs(this.#suspendedMs, this.#options.nowMs()) >= SUSPENDED_MS_MAX) this.close();
      return;
    }
    if (this.#isMuted()) {
      this.#suspendedMs = this.#options.nowMs();
      return;
    }
    const hasEnded = this.#activity.isSpeaking && !segment.isSpeaking;
    this.#writeSilence(hasEnded ? Math.max(1, silenceFrames) : silenceFrames, segment);
  }

  /** Speech has ended, and no audio follows that would show it. `segment` is the caller's speech after it. */
  endUtterance(segment: SegmentState): void {
    this.tick(STT_SILENCE_FRAMES, segment);
  }

  /** The client of a live transcription may send nothing for an hour; a carrier does not. */
  #isMuted(): boolean {
    const { spec, nowMs } = this.#options;
    return spec.mode === "transcription" && elapsedMs(this.#latestFrameMs, nowMs()) >= SUSPENDED_MS_MAX;
  }

  /**
   * Speech has ended, and no audio of the caller comes until `resume`: the stream gets none, and ends when its last transcripts have
   * come. A provider may end a stream without audio by itself, which is no failure, or bill it.
   */
  suspend(segment: SegmentState): void {
    this.endUtterance(segment);
    this.#suspendedMs ??= this.#options.nowMs();
  }

  /** Audio comes again, in a new stream where the last one was ended for want of it. */
  resume(): void {
    if (this.#suspendedMs === undefined) return;
    this.#suspendedMs = undefined;
    if (this.#stream === undefined && !this.#hasFailed) this.start();
  }

  /** `segment` is the caller's speech after the silence. */
  #writeSilence(frames: number, segment: SegmentState): void {
    for (let frame = 1; frame <= frames; frame += 1) {
      this.#activity.silence(segment, frame === frames);
      this.#write(this.#silence);
    }
  }

  /** Asks an STT without interim transcripts for the words of the caller's speech so far. */
  requestInterim(): void {
    this.#stream?.requestInterim?.();
  }

  #write(frame: Int16Array): void {
    this.#stream?.write(this.#resampler === undefined ? frame : this.#resampler.process(frame), this.#activity);
    this.#unrecognized?.frame(this.#activity);
    if (this.#unrecognized?.hasReached(UNRECOGNIZED_SPEECH_MS_MAX) === true) this.#onUnrecognized();
  }

  /** Ends the stream and frees its memory. Audio is ignored from then on. */
  close(): void {
    this.#abortController.abort();
    this.#stream = undefined;
    this.#resampler?.destroy();
    this.#resampler = undefined;
  }

  /**
   * The detected language, to which the call switches. Undefined where the tag is no language, and where no STT would
   * understand the caller in it.
   */
  #languageOf(tag: string | undefined): string | undefined {
    const code = tag === undefined ? undefined : languageCode(tag);
    const isServed = code !== undefined && (this.#options.stt.servesLanguage?.(code) ?? true);
    return isServed ? code : undefined;
  }

  #onUnrecognized(): void {
    this.#unrecognized = undefined;
    const { stt, spec, log } = this.#options;
    const codec = spec.websocket?.codec;
    log.warn({ stt: stt.provider, ...(codec && { codec }) }, "STT returned no words although the caller speaks");
  }

  #onFailed(error: unknown): void {
    this.#hasFailed = true;
    this.#options.onError(error);
  }

  #onEvent({ kind, text, language: tag, endOfTurn, lateMs }: SttEvent): void {
    const { nowMs, deliver, onLatency } = this.#options;
    if (text !== "") this.#unrecognized = undefined;
    if (kind === "final" && !Number.isNaN(this.#lastSpeechMs)) {
      onLatency(elapsedMs(this.#lastSpeechMs, nowMs()));
      this.#lastSpeechMs = callMs(Number.NaN);
    }
    const language = this.#languageOf(tag);
    const transcript = {
      text: cutText(text, TURN_TEXT_CHARS_MAX),
      ...(language === undefined ? {} : { language }),
      ...(endOfTurn === undefined ? {} : { endOfTurn }),
    };
    if (kind === "interim") deliver({ kind: "stt-interim", ...transcript });
    else deliver({ kind: "stt-final", ...transcript, ...(lateMs === undefined ? {} : { lateMs }) });
  }
}
