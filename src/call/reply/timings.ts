import type { TurnLatency } from "../../core/calls/spec.ts";

/**
 * What a reply answered, ms of call time: when the caller began, when the last voiced frame came, and when the ear was sure of all that
 * it had told, or NaN.
 */
export interface AnsweredUtterance {
  startMs: number;
  lastSpeechMs: number;
  finalMs: number;
}

/** The moments that a reply's latency is made of, ms of call time. Each is the first of its kind. */
export class ReplyTimings {
  readonly #answered: AnsweredUtterance | undefined;
  readonly #begunMs: number;
  #llmRequestedMs = Number.NaN;
  #textMs = Number.NaN;
  #segmentMs = Number.NaN;
  #audioMs = Number.NaN;
  #frameMs = Number.NaN;

  /** `answered` is undefined for a reply that answered nobody. */
  constructor(answered: AnsweredUtterance | undefined, nowMs: number) {
    this.#answered = answered;
    this.#begunMs = nowMs;
  }

  /** When the first frame was sent; NaN before. */
  get frameMs(): number {
    return this.#frameMs;
  }

  /** The model was asked; what it was asked for its tools is not what the first text waited for. */
  llmRequested(nowMs: number): void {
    if (Number.isNaN(this.#textMs)) this.#llmRequestedMs = nowMs;
  }

  /** The model told text. */
  text(nowMs: number): void {
    if (Number.isNaN(this.#textMs)) this.#textMs = nowMs;
  }

  /** The voice was given something to speak. */
  segment(nowMs: number): void {
    if (Number.isNaN(this.#segmentMs)) this.#segmentMs = nowMs;
  }

  audio(nowMs: number): void {
    if (Number.isNaN(this.#audioMs)) this.#audioMs = nowMs;
  }

  frame(nowMs: number): void {
    if (Number.isNaN(this.#frameMs)) this.#frameMs = nowMs;
  }

  /** Where the time since the caller stopped speaking went. Once a frame was sent; undefined for a reply that answered nobody. */
  get latency(): TurnLatency | undefined {
    if (this.#answered === undefined) return undefined;
    const { startMs, lastSpeechMs, finalMs } = this.#answered;
    const since = (ms: number): number => Math.round(ms - lastSpeechMs);
    return {
      // A detector of voice has a tail: a quick ear may be sure before the last frame that it takes for voice.
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
