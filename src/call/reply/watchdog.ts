import type { TurnParameters } from "../parameters.ts";
import type { ReplyDeadlines } from "./snapshot.ts";

/** What a reply is short of, when it has been for too long. */
export type WatchdogTimeout = "filler" | "llm" | "tts";

/** How a reply stands, for its watch. */
export interface ReplyProgress {
  /** Some piece has not been spoken to its end, or not been sent. */
  unsent: boolean;
  /** There are pieces, spoken or not. */
  hasSegments: boolean;
  /** When everything sent so far will have been played, ms. */
  playsUntilMs: number;
}

/**
 * Watches over one reply that others make: whether the model still talks, the voice still speaks, and the caller hears anything.
 * Times are ms of call time.
 */
export class ReplyWatchdog {
  readonly #parameters: Readonly<TurnParameters>;
  readonly #beganMs: number;
  /** Since when the model tells nothing; NaN while nobody waits for it. */
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

  /** The model was asked, or told something. */
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

  /** The voice was given something to speak, spoke, or was heard. */
  ttsActive(nowMs: number): void {
    this.#ttsSinceMs = nowMs;
  }

  /** Of a paused reply nobody is short of anything. */
  pause(paused: boolean, nowMs: number): void {
    this.#paused = paused;
    this.#ttsSinceMs = nowMs;
  }

  /** The caller is being told to wait; once is enough. */
  fillerStarted(): void {
    this.#hasFiller = true;
  }

  /** When to look again though nothing happens, ms; Infinity when there is nothing to wait for. */
  deadlineMs(progress: Readonly<ReplyProgress>): number {
    return Math.min(this.#fillerMs(progress), this.#llmMs(), this.#ttsMs(progress));
  }

  /** The same, each by itself. */
  deadlines(progress: Readonly<ReplyProgress>): Omit<ReplyDeadlines, "heardMs"> {
    return { fillerMs: this.#fillerMs(progress), llmMs: this.#llmMs(), ttsMs: this.#ttsMs(progress) };
  }

  /** What the reply is short of at `nowMs`. */
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
    // However quick each of many tools is, nobody waits any longer for the first word.
    const firstMs = hasSegments || !isInProgress ? Number.POSITIVE_INFINITY : this.#beganMs + fillerMs;
    return usesTools ? Math.min(firstMs, Math.max(this.#toolsSinceMs, playsUntilMs) + toolFillerMs) : firstMs;
  }
}
