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
  playsUntilMs: number;
}

/**
 * Detects that the LLM or the TTS of a reply has stalled, and that the caller hears nothing for too long. Times are ms
 * of call time.
 */
export class ReplyWatchdog {
  readonly #parameters: Readonly<TurnParameters>;
  readonly #beganMs: number;
  /** When the LLM was last active; NaN while nothing is expected from it. */
  #llmSinceMs = Number.NaN;
  #toolsSinceMs = Number.NaN;
  #ttsSinceMs: number;
  #hasFiller = false;
  #paused = false;

  constructor(parameters: Readonly<TurnParameters>, nowMs: number) {
    this.#parameters = parameters;
    this.#beganMs = nowMs;
    this.#ttsSinceMs = nowMs;
  }

  /** The LLM was asked, or sent something. */
  llmActive(nowMs: number): void {
    this.#llmSinceMs = nowMs;
  }

  llmDone(): void {
    this.#llmSinceMs = Number.NaN;
  }

  toolsStarted(nowMs: number): void {
    this.#toolsSinceMs = nowMs;
  }

  toolsDone(): void {
    this.#toolsSinceMs = Number.NaN;
  }

  /** The TTS was given a segment, sent audio, or a frame of it was sent. */
  ttsActive(nowMs: number): void {
    this.#ttsSinceMs = nowMs;
  }

  /** While a reply is paused, the TTS and the filler cannot time out. */
  pause(paused: boolean, nowMs: number): void {
    this.#paused = paused;
    this.#ttsSinceMs = nowMs;
  }

  /** A filler is being spoken; there is at most one. */
  fillerStarted(): void {
    this.#hasFiller = true;
  }

  /** When to check again, ms; Infinity when nothing is awaited. */
  deadlineMs(progress: Readonly<ReplyProgress>): number {
    return Math.min(this.#fillerMs(progress), this.#llmMs(), this.#ttsMs(progress));
  }

  /** The same deadlines, each by itself. */
  deadlines(progress: Readonly<ReplyProgress>): Omit<ReplyDeadlines, "heardMs"> {
    return { fillerMs: this.#fillerMs(progress), llmMs: this.#llmMs(), ttsMs: this.#ttsMs(progress) };
  }

  /** What has timed out at `nowMs`. */
  timedOut(progress: ReplyProgress, nowMs: number): WatchdogTimeout | undefined {
    if (nowMs >= this.#llmMs()) return "llm";
    if (nowMs >= this.#ttsMs(progress)) return "tts";
    return nowMs >= this.#fillerMs(progress) ? "filler" : undefined;
  }

  #llmMs(): number {
    return Number.isNaN(this.#llmSinceMs) ? Number.POSITIVE_INFINITY : this.#llmSinceMs + this.#parameters.llmSilenceMs;
  }

  #ttsMs({ unsent }: Readonly<ReplyProgress>): number {
    return unsent && !this.#paused ? this.#ttsSinceMs + this.#parameters.ttsSilenceMs : Number.POSITIVE_INFINITY;
  }

  #fillerMs({ unsent, hasSegments, playsUntilMs }: Readonly<ReplyProgress>): number {
    const { fillerMs, toolFillerMs } = this.#parameters;
    if (this.#hasFiller || this.#paused || unsent) return Number.POSITIVE_INFINITY;
    const usesTools = !Number.isNaN(this.#toolsSinceMs);
    const isInProgress = usesTools || !Number.isNaN(this.#llmSinceMs);
    // However fast each of many tools is, the caller does not wait longer for the first word.
    const firstMs = hasSegments || !isInProgress ? Number.POSITIVE_INFINITY : this.#beganMs + fillerMs;
    return usesTools ? Math.min(firstMs, Math.max(this.#toolsSinceMs, playsUntilMs) + toolFillerMs) : firstMs;
  }
}
