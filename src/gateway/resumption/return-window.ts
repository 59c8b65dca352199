import { addMs, type CallMs, callMs, earliest } from "../../core/clocks.ts";
import { RESUME_MS_MAX } from "../../core/limits/connections.ts";

interface OpenWindow {
  readonly target: string;
  readonly untilMs: CallMs;
  /** The transfer has led to nothing. */
  readonly hasFailed: boolean;
}

const NEVER = callMs(Number.POSITIVE_INFINITY);

/**
 * The time in which the leg of a telephone call may be lost without ending the call: while the caller is transferred, and after a
 * failed transfer until the carrier has connected the next leg. Times are ms of call time.
 */
export class ReturnWindow {
  #window: OpenWindow | undefined;

  get isOpen(): boolean {
    return this.#window !== undefined;
  }

  /** When it ends; Infinity while it is closed. */
  get untilMs(): CallMs {
    return this.#window?.untilMs ?? NEVER;
  }

  /** The carrier is about to ring `target`; that takes at most `returnMsMax`, with the way back. */
  transferring(target: string, returnMsMax: number, nowMs: CallMs): void {
    this.#window = { target, untilMs: addMs(nowMs, returnMsMax), hasFailed: false };
  }

  /** The transfer has led to nothing. A leg that is there may still be lost, because the carrier has been asked for the transfer. */
  transferFailed(hasLeg: boolean, nowMs: CallMs): void {
    if (this.#window === undefined) return;
    const untilMs = hasLeg ? earliest(this.#window.untilMs, addMs(nowMs, RESUME_MS_MAX)) : this.#window.untilMs;
    this.#window = { ...this.#window, untilMs, hasFailed: true };
  }

  /** Closes it: a leg has started, or its time is over. Returns what it was. */
  close(): OpenWindow | undefined {
    const window = this.#window;
    this.#window = undefined;
    return window;
  }
}
