import type { TurnLatency } from "../../core/calls/transcript.ts";
import { type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";

/**
 * The utterance that a reply answers, ms of call time: when speech started, the last voiced frame, and when the
 * transcript became final, or NaN.
 */
export interface AnsweredUtterance {
  startMs: CallMs;
  lastSpeechMs: CallMs;
  finalMs: CallMs;
}

/** The timestamps from which a reply's latency is computed, ms of call time. Each keeps its first value. */
export class ReplyTimings {
  readonly #answered: AnsweredUtterance | undefined;
  readonly #begunMs: CallMs;
  #retrievedMs = callMs(Number.NaN);
  #llmRequestedMs = callMs(Number.NaN);
  #textMs = callMs(Number.NaN);
  #segmentMs = callMs(Number.NaN);
  #audioMs = callMs(Number.NaN);
  #frameMs = callMs(Number.NaN);

  /** `answered` is undefined for a reply that answers no utterance. */
  constructor(answered: AnsweredUtterance | undefined, nowMs: CallMs) {
    this.#answered = answered;
    this.#begunMs = nowMs;
  }

  /** When the first frame was sent; NaN before. */
  get frameMs(): CallMs {
    return this.#frameMs;
  }

  /** How long the reply has waited since it began, ms. */
  waitedMs(nowMs: CallMs): number {
    return elapsedMs(this.#begunMs, nowMs);
  }

  /** The passages for the reply are there, or are waited for no longer. */
  retrieved(nowMs: CallMs): void {
    if (Number.isNaN(this.#retrievedMs)) this.#retrievedMs = nowMs;
  }

  /** The LLM was asked. Requests after the first text, with tool results, do not count. */
  llmRequested(nowMs: CallMs): void {
    if (Number.isNaN(this.#textMs)) this.#llmRequestedMs = nowMs;
  }

  /** The LLM sent text. */
  text(nowMs: CallMs): void {
    if (Number.isNaN(this.#textMs)) this.#textMs = nowMs;
  }

  /** A segment was handed to the TTS. */
  segment(nowMs: CallMs): void {
    if (Number.isNaN(this.#segmentMs)) this.#segmentMs = nowMs;
  }

  audio(nowMs: CallMs): void {
    if (Number.isNaN(this.#audioMs)) this.#audioMs = nowMs;
  }

  frame(nowMs: CallMs): void {
    if (Number.isNaN(this.#frameMs)) this.#frameMs = nowMs;
  }

  /**
   * Where the time since the caller's last voiced frame was spent. Valid once a frame was sent; undefined for a reply
   * that answers no utterance.
   */
  get latency(): TurnLatency | undefined {
    if (this.#answered === undefined) return undefined;
    const { startMs, lastSpeechMs, finalMs } = this.#answered;
    const since = (ms: CallMs): number => Math.round(elapsedMs(lastSpeechMs, ms));
    return {
      // The VAD has a tail: a fast STT may send the final transcript before the last frame that the VAD takes for
      // voiced.
      ...(finalMs >= startMs ? { finalTranscriptMs: Math.max(0, since(finalMs)) } : {}),
      endOfTurnMs: since(this.#begunMs),
      ...(Number.isNaN(this.#retrievedMs) ? {} : { retrievalMs: since(this.#retrievedMs) }),
      ...(Number.isNaN(this.#llmRequestedMs) ? {} : { llmRequestedMs: since(this.#llmRequestedMs) }),
      ...(Number.isNaN(this.#textMs) ? {} : { firstTextMs: since(this.#textMs) }),
      firstSegmentMs: since(this.#segmentMs),
      firstAudioMs: since(this.#audioMs),
      firstFrameMs: since(this.#frameMs),
    };
  }
}
