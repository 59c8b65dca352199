import { addMs, type CallMs, callMs, earliest, latest } from "../../core/clocks.ts";
import type { TurnParameters } from "../parameters.ts";
import type { ReplyDeadlines } from "./snapshot.ts";

/** What timed out. A filler is due when nothing has been audible for too long. */
export type WatchdogTimeout = "filler" | "llm" | "tts";

/** The state of a reply, for its watchdog. */
export interface ReplyProgress {
  /** Some segment is not synthesized or not sent completely. */
  unsent: boolean;
  /** There are segments, spoken or not. */
  hasSegments: boolean;
  /** When the playout of everything sent so far ends, ms. */
  playsUntilMs: CallMs;
}

/**
 * Detects that the LLM or the TTS of a reply has stalled, and that the caller hears nothing for too long. Times are ms
 * of call time.
 */
export class ReplyWatchdog {
  readonly #parameters: Readonly<TurnParameters>;
  readonly #beganMs: CallMs;
  /** When the LLM was last active; NaN while nothing is expected from it. */
  #llmSinceMs = callMs(Number.NaN);
  #toolsSinceMs = callMs(Number.NaN);
  #ttsSinceMs: CallMs;
  #hasFiller = false;
  #isPaused = false;
  #isDetached = false;

  constructor(parameters: Readonly<TurnParameters>, nowMs: CallMs) {
    this.#parameters = parameters;
    this.#beganMs = nowMs;
    this.#ttsSinceMs = nowMs;
  }

  /** The LLM was asked, or sent something. */
  llmActive(nowMs: CallMs): void {
    this.#llmSinceMs = nowMs;
  }

  llmDone(): void {
    this.#llmSinceMs = callMs(Number.NaN);
  }

  toolsStarted(nowMs: CallMs): void {
    this.#toolsSinceMs = nowMs;
  }

  toolsDone(): void {
    this.#toolsSinceMs = callMs(Number.NaN);
  }

  /** The TTS was given a segment, sent audio, or a frame of it was sent. */
  ttsActive(nowMs: CallMs): void {
    this.#ttsSinceMs = nowMs;
  }

  /** While a reply is paused, the TTS and the filler cannot time out. */
  pause(paused: boolean, nowMs: CallMs): void {
    this.#isPaused = paused;
    this.#ttsSinceMs = nowMs;
  }

  /** While the call has no leg, the TTS and the filler cannot time out. */
  detach(detached: boolean, nowMs: CallMs): void {
    this.#isDetached = detached;
    this.#ttsSinceMs = nowMs;
  }

  /** A filler is being spoken; there is at most one. */
  fillerStarted(): void {
    this.#hasFiller = true;
  }

  /** When to check again, ms; Infinity when nothing is awaited. */
  deadlineMs(progress: Readonly<ReplyProgress>): CallMs {
    return earliest(this.#fillerMs(progress), this.#llmMs(), this.#ttsMs(progress));
  }

  /** The same deadlines, each by itself. */
  deadlines(progress: Readonly<ReplyProgress>): Omit<ReplyDeadlines, "heardMs"> {
    return { fillerMs: this.#fillerMs(progress), llmMs: this.#llmMs(), ttsMs: this.#ttsMs(progress) };
  }

  /** What has timed out at `nowMs`. */
  timedOut(progress: ReplyProgress, nowMs: CallMs): WatchdogTimeout | undefined {
    if (nowMs >= this.#llmMs()) return "llm";
    if (nowMs >= this.#ttsMs(progress)) return "tts";
    return nowMs >= this.#fillerMs(progress) ? "filler" : undefined;
  }

  #llmMs(): CallMs {
    return Number.isNaN(this.#llmSinceMs)
      ? callMs(Number.POSITIVE_INFINITY)
      : addMs(this.#llmSinceMs, this.#parameters.llmSilenceMs);
  }

  #ttsMs({ unsent }: Readonly<ReplyProgress>): CallMs {
    return unsent && !this.#isPaused && !this.#isDetached
      ? addMs(this.#ttsSinceMs, this.#parameters.ttsSilenceMs)
      : callMs(Number.POSITIVE_INFINITY);
  }

  #fillerMs({ unsent, hasSegments, playsUntilMs }: Readonly<ReplyProgress>): CallMs {
    const { fillerMs, toolFillerMs } = this.#parameters;
    if (this.#hasFiller || this.#isPaused || this.#isDetached || unsent) return callMs(Number.POSITIVE_INFINITY);
    const usesTools = !Number.isNaN(this.#toolsSinceMs);
    const isInProgress = usesTools || !Number.isNaN(this.#llmSinceMs);
    // However fast each of many tools is, the caller does not wait longer for the first word.
    const firstMs = hasSegments || !isInProgress ? callMs(Number.POSITIVE_INFINITY) : addMs(this.#beganMs, fillerMs);
    return usesTools ? earliest(firstMs, addMs(latest(this.#toolsSinceMs, playsUntilMs), toolFillerMs)) : firstMs;
  }
}
