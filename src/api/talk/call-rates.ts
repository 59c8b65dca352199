import type { Clock } from "../../core/clock.ts";
import { OWNER_PAGES_MAX, SCRATCH_CALLS_MAX, SCRATCH_WINDOW_MS } from "../../core/limits/accounts/owner-links.ts";
import { headerSeconds, TokenBuckets } from "../http/access/token-buckets.ts";
import { ApiError } from "../http/errors.ts";

/** Limits how often a page starts calls. The buckets are in the memory of this process. */
export class ScratchRates {
  readonly #clock: Clock;
  readonly #buckets = new TokenBuckets({ windowMs: SCRATCH_WINDOW_MS, bucketsMax: OWNER_PAGES_MAX });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a start of the page with this secret. Throws ApiError `rate_limited`. */
  take(secret: string): void {
    const nowMs = this.#clock.nowMs();
    const waitMs = this.#buckets.waitMs(secret, SCRATCH_CALLS_MAX, nowMs);
    if (waitMs > 0) {
      throw new ApiError("rate_limited", `this page has reached its limit of ${SCRATCH_CALLS_MAX} calls a minute`, {
        headers: { "retry-after": String(Math.max(1, headerSeconds(waitMs))) },
      });
    }
    this.#buckets.take(secret, SCRATCH_CALLS_MAX, nowMs);
  }
}
