import type { Clock } from "../../core/clock.ts";
import { addMs, type CallMs, earliest, elapsedMs } from "../../core/clocks.ts";
import { RESUME_MS_MAX } from "../../core/limits/streams/connections.ts";

interface OpenWindow {
  readonly target: string;
  readonly untilMs: CallMs;
  /** The transfer has led to nothing. */
  readonly hasFailed: boolean;
}

export interface ReturnWindowOptions {
  clock: Pick<Clock, "after">;
  /** Its time is over, and no other leg has started. `hasFailed`: the transfer has led to nothing. */
  onOver: (target: string, hasFailed: boolean) => void;
}

/**
 * The time in which the leg of a telephone call may be lost without ending the call: while the caller is transferred, and after a
 * failed transfer until the carrier has connected the next leg. Times are ms of call time.
 */
export class ReturnWindow {
  readonly #options: ReturnWindowOptions;
  #window: OpenWindow | undefined;
  #cancelTimeout = (): void => {};

  constructor(options: ReturnWindowOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#window !== undefined;
  }

  /** The carrier is about to ring `target`; that takes at most `returnMsMax`, with the way back. */
  transferring(target: string, returnMsMax: number, nowMs: CallMs): void {
    this.#open({ target, untilMs: addMs(nowMs, returnMsMax), hasFailed: false }, nowMs);
  }

  /** The transfer has led to nothing. A leg that is there may still be lost, because the carrier has been asked for the transfer. */
  transferFailed(hasLeg: boolean, nowMs: CallMs): void {
    if (this.#window === undefined) return;
    const { target, untilMs } = this.#window;
    const lastMs = hasLeg ? earliest(untilMs, addMs(nowMs, RESUME_MS_MAX)) : untilMs;
    this.#open({ target, untilMs: lastMs, hasFailed: true }, nowMs);
  }

  /** Another leg has started, or the call is over. */
  close(): void {
    this.#cancelTimeout();
    this.#window = undefined;
  }

  #open(window: OpenWindow, nowMs: CallMs): void {
    this.#cancelTimeout();
    this.#window = window;
    this.#cancelTimeout = this.#options.clock.after(elapsedMs(nowMs, window.untilMs), () => {
      this.#window = undefined;
      this.#options.onOver(window.target, window.hasFailed);
    });
  }
}
