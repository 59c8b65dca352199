import { type CallMs, callMs } from "../../core/clocks.ts";
import { DTMF_TONES_MAX } from "../../core/limits/calls/calls.ts";
import { DTMF_FRAMES_PER_DIGIT } from "../../media/dtmf-tones.ts";

const NEVER = callMs(Number.POSITIVE_INFINITY);

/**
 * The DTMF tones that go to the caller in the agent's audio: how much of them is not sent, and until when what was sent is played.
 * Times are ms of call time.
 */
export class PendingTones {
  #frames = 0;
  #playsUntilMs = callMs(0);

  /** The next frame that belongs to no reply is one of tones. */
  get areToBeSent(): boolean {
    return this.#frames > 0;
  }

  /** When the last tone has been played; Infinity while one is to be sent. In the past where there is none. */
  get untilMs(): CallMs {
    return this.#frames > 0 ? NEVER : this.#playsUntilMs;
  }

  /** Tones are to be sent, or not played to their end. */
  arePending(nowMs: CallMs): boolean {
    return nowMs < this.untilMs;
  }

  /** Whether so many digits more are not too many. */
  hasRoomFor(digits: number): boolean {
    return Math.ceil(this.#frames / DTMF_FRAMES_PER_DIGIT) + digits <= DTMF_TONES_MAX;
  }

  /** Digits are to be sent; false where that would be too many. */
  add(digits: number): boolean {
    if (!this.hasRoomFor(digits)) return false;
    this.#frames += digits * DTMF_FRAMES_PER_DIGIT;
    return true;
  }

  /** A frame of them was sent, and is played until `untilMs`. */
  sent(untilMs: CallMs): void {
    this.#frames -= 1;
    this.#playsUntilMs = untilMs;
  }

  /** The leg is lost, and they with it. */
  drop(): void {
    this.#frames = 0;
    this.#playsUntilMs = callMs(0);
  }
}
