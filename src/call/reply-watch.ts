import type { TurnParameters } from "./parameters.ts";
import type { ReplyWaits } from "./standing.ts";

/** What a reply is short of, when it has been for too long. */
export type Shortage = "filler" | "model" | "voice";

/** How a reply stands, for its watch. */
export interface ReplyStanding {
  /** Some piece has not been spoken to its end, or not been sent. */
  unsent: boolean;
  /** There are pieces, spoken or not. */
  hasPieces: boolean;
  /** When everything sent so far will have been played, ms. */
  playsUntilMs: number;
}

/**
 * Watches over one reply that others make: whether the model still talks, the voice still speaks, and the caller hears anything.
 * Times are ms of call time.
 */
export class ReplyWatch {
  readonly #parameters: Readonly<TurnParameters>;
  readonly #beganMs: number;
  /** Since when the model tells nothing; NaN while nobody waits for it. */
  #modelSinceMs = Number.NaN;
  #toolsSinceMs = Number.NaN;
  #voiceSinceMs: number;
  #filled = false;
  #paused = false;

  constructor(parameters: Readonly<TurnParameters>, nowMs: number) {
    this.#parameters = parameters;
    this.#beganMs = nowMs;
    this.#voiceSinceMs = nowMs;
  }

  /** The model was asked, or told something. */
  modelHeard(nowMs: number): void {
    this.#modelSinceMs = nowMs;
  }

  modelDone(): void {
    this.#modelSinceMs = Number.NaN;
  }

  toolsBegan(nowMs: number): void {
    this.#toolsSinceMs = nowMs;
  }

  toolsDone(): void {
    this.#toolsSinceMs = Number.NaN;
  }

  /** The voice was given something to speak, spoke, or was heard. */
  voiceHeard(nowMs: number): void {
    this.#voiceSinceMs = nowMs;
  }

  /** Of a paused reply nobody is short of anything. */
  pause(paused: boolean, nowMs: number): void {
    this.#paused = paused;
    this.#voiceSinceMs = nowMs;
  }

  /** The caller is being told to wait; once is enough. */
  filled(): void {
    this.#filled = true;
  }

  /** When to look again though nothing happens, ms; Infinity when there is nothing to wait for. */
  deadlineMs(standing: Readonly<ReplyStanding>): number {
    return Math.min(this.#fillerMs(standing), this.#modelMs(), this.#voiceMs(standing));
  }

  /** The same, each by itself. */
  waits(standing: Readonly<ReplyStanding>): Omit<ReplyWaits, "heardMs"> {
    return { fillerMs: this.#fillerMs(standing), modelMs: this.#modelMs(), voiceMs: this.#voiceMs(standing) };
  }

  /** What the reply is short of at `nowMs`. */
  shortOf(standing: ReplyStanding, nowMs: number): Shortage | undefined {
    if (nowMs >= this.#modelMs()) return "model";
    if (nowMs >= this.#voiceMs(standing)) return "voice";
    return nowMs >= this.#fillerMs(standing) ? "filler" : undefined;
  }

  #modelMs(): number {
    return Number.isNaN(this.#modelSinceMs)
      ? Number.POSITIVE_INFINITY
      : this.#modelSinceMs + this.#parameters.modelSilenceMs;
  }

  #voiceMs({ unsent }: Readonly<ReplyStanding>): number {
    return unsent && !this.#paused ? this.#voiceSinceMs + this.#parameters.voiceSilenceMs : Number.POSITIVE_INFINITY;
  }

  #fillerMs({ unsent, hasPieces, playsUntilMs }: Readonly<ReplyStanding>): number {
    const { fillerMs, toolFillerMs } = this.#parameters;
    if (this.#filled || this.#paused || unsent) return Number.POSITIVE_INFINITY;
    const usesTools = !Number.isNaN(this.#toolsSinceMs);
    const isMade = usesTools || !Number.isNaN(this.#modelSinceMs);
    // However quick each of many tools is, nobody waits any longer for the first word.
    const firstMs = hasPieces || !isMade ? Number.POSITIVE_INFINITY : this.#beganMs + fillerMs;
    return usesTools ? Math.min(firstMs, Math.max(this.#toolsSinceMs, playsUntilMs) + toolFillerMs) : firstMs;
  }
}
