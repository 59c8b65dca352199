import type { TurnLatency } from "../../core/calls/transcript.ts";

/**
 * The utterance that a reply answers, ms of call time: when speech started, the last voiced frame, and when the
 * transcript became final, or NaN.
 */
export interface AnsweredUtterance {
  startMs: number;
  lastSpeechMs: number;
  finalMs: number;
}

/** The timestamps behind a reply's latency, ms of call time. Each keeps its first value. */
export class ReplyTimings {
  readonly #answered: AnsweredUtterance | undefined;
  readonly #begunMs: number;
  #llmRequestedMs = Number.NaN;
  #textMs = Number.NaN;
  #segmentMs = Number.NaN;
  #audioMs = Number.NaN;
  #frameMs = Number.NaN;

  /** `answered` is undefined for a reply that answers no utterance. */
  constructor(answered: AnsweredUtterance | undefined, nowMs: number) {
    this.#answered = answered;
    this.#begunMs = nowMs;
  }

  /** When the first frame was sent; NaN before. */
  get frameMs(): number {
    return this.#frameMs;
  }

  /** The LLM was asked. Requests after the first text, with tool results, do not count. */
  llmRequested(nowMs: number): void {
    if (Number.isNaN(this.#textMs)) this.#llmRequestedMs = nowMs;
  }

  /** The LLM sent text. */
  text(nowMs: number): void {
    if (Number.isNaN(this.#textMs)) this.#textMs = nowMs;
  }

  /** A segment was handed to the TTS. */
  segment(nowMs: number): void {
    if (Number.isNaN(this.#segmentMs)) this.#segmentMs = nowMs;
  }

  audio(nowMs: number): void {
    if (Number.isNaN(this.#audioMs)) this.#audioMs = nowMs;
  }

  frame(nowMs: number): void {
    if (Number.isNaN(this.#frameMs)) this.#frameMs = nowMs;
  }

  /**
   * Where the time since the caller's last voiced frame was spent. Valid once a frame was sent; undefined for a reply
   * that answers no utterance.
   */
  get latency(): TurnLatency | undefined {
    if (this.#answered === undefined) return undefined;
    const { startMs, lastSpeechMs, finalMs } = this.#answered;
    const since = (ms: number): number => Math.round(ms - lastSpeechMs);
    return {
      // The VAD has a tail: a fast STT may send the final transcript before the last frame that the VAD takes for
      // voiced.
      ...(finalMs >= startMs ? { finalTranscriptMs: Math.max(0, since(finalMs)) } : {}),
      endOfTurnMs: since(this.#begunMs),
      ...(Number.isNaN(this.#llmRequestedMs) ? {} : { llmRequestedMs: since(this.#llmRequestedMs) }),
      ...(Number.isNaN(this.#textMs) ? {} : { firstTextMs: since(this.#textMs) }),
      firstSegmentMs: since(this.#segmentMs),
      firstAudioMs: since(this.#audioMs),
      firstFrameMs: since(this.#frameMs),
    };
  }
}
