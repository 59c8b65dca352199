import { addMs, type CallMs, type EpochMs } from "../../core/clocks.ts";
import { DTMF_ORDER_MS, DTMF_PER_SECOND_MAX } from "../../core/limits/streams/messages.ts";
import { FixedWindowLimiter } from "../rate-limits/fixed-window.ts";

interface PendingDigit {
  digit: string;
  /** By the carrier's clock. */
  occurredAtMs: EpochMs;
  /** By our clock. */
  dueMs: CallMs;
}

/**
 * The DTMF digits of one caller: at most DTMF_PER_SECOND_MAX in a second, in the order in which they were pressed. A
 * carrier that sends timestamps may send digits out of order, so each of its digits waits DTMF_ORDER_MS for earlier
 * ones.
 */
export class DtmfOrder {
  readonly #rateLimit = new FixedWindowLimiter<CallMs>(DTMF_PER_SECOND_MAX);
  /** In the order in which they were pressed. The rate limit keeps this to two seconds' worth at most. */
  readonly #pending: PendingDigit[] = [];

  /**
   * Takes a digit; false when the rate limit rejects it. `occurredAtMs` is NaN where the carrier sends digits in order.
   */
  push(digit: string, occurredAtMs: EpochMs, nowMs: CallMs): boolean {
    if (!this.#rateLimit.allows(nowMs)) return false;
    let at = this.#pending.length;
    while (at > 0 && (this.#pending[at - 1] as PendingDigit).occurredAtMs > occurredAtMs) at -= 1;
    const dueMs = Number.isNaN(occurredAtMs) ? nowMs : addMs(nowMs, DTMF_ORDER_MS);
    this.#pending.splice(at, 0, { digit, occurredAtMs, dueMs });
    return true;
  }

  /** The next digit that has waited long enough, or that precedes one that has; with Infinity none waits any longer. */
  next(nowMs: CallMs): string | undefined {
    for (const { dueMs } of this.#pending) if (nowMs >= dueMs) return this.#pending.shift()?.digit;
    return undefined;
  }
}
