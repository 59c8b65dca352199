import { DTMF_ORDER_MS, DTMF_PER_SECOND_MAX } from "../../core/limits/messages.ts";
import { FixedWindowLimiter } from "../rate-limits/fixed-window.ts";

interface PendingDigit {
  digit: string;
  /** By the carrier's clock. */
  occurredAtMs: number;
  /** By ours. */
  dueMs: number;
}

/**
 * The keys of one caller: at most DTMF_PER_SECOND_MAX within a second, and in the order in which they were pressed. Where the
 * carrier says when that was, it may send them in another order, and each waits DTMF_ORDER_MS for one that was pressed before it.
 */
export class DtmfOrder {
  readonly #rateLimit = new FixedWindowLimiter(DTMF_PER_SECOND_MAX);
  /** In the order in which they were pressed. Never more than what two seconds allow. */
  readonly #waiting: PendingDigit[] = [];

  /** Takes a key; false when that is one too many. `occurredAtMs` is NaN where the carrier sends keys in order. */
  push(digit: string, occurredAtMs: number, nowMs: number): boolean {
    if (!this.#rateLimit.allows(nowMs)) return false;
    let at = this.#waiting.length;
    while (at > 0 && (this.#waiting[at - 1] as PendingDigit).occurredAtMs > occurredAtMs) at -= 1;
    const dueMs = Number.isNaN(occurredAtMs) ? nowMs : nowMs + DTMF_ORDER_MS;
    this.#waiting.splice(at, 0, { digit, occurredAtMs, dueMs });
    return true;
  }

  /** The next key that has waited long enough, or stands in front of one that has; with Infinity none waits any longer. */
  next(nowMs: number): string | undefined {
    for (const { dueMs } of this.#waiting) if (nowMs >= dueMs) return this.#waiting.shift()?.digit;
    return undefined;
  }
}
