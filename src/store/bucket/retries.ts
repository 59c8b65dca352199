import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "../../core/errors.ts";
import { BUCKET_RETRY_DELAYS_MS } from "../../core/limits/storage/bucket.ts";

/** How many more requests for one object may be made again. */
export interface RetryBudget {
  left: number;
}

/**
 * Makes one of the many requests for a journal or a file again while the bucket is unavailable: were each failure that of the whole, a
 * bucket that fails seldom would neither take nor give it. Rejects as the last attempt does, and at once where the bucket refuses.
 */
export async function withRetries<T>(
  request: () => Promise<T>,
  budget: RetryBudget = { left: Number.POSITIVE_INFINITY },
): Promise<T> {
  for (const delayMs of BUCKET_RETRY_DELAYS_MS) {
    try {
      return await request();
    } catch (error) {
      if (codeOf(error) !== "unavailable" || budget.left <= 0) throw error;
      budget.left -= 1;
      await delay(delayMs);
    }
  }
  return await request();
}
