import { setTimeout } from "node:timers/promises";
import {
  TRANSACTION_REST_FACTOR,
  TRANSACTION_REST_MS_MAX,
  TRANSACTION_REST_MS_MIN,
} from "../../core/limits/storage/storage.ts";

/**
 * Pauses after one of several transactions. One turn of the event loop is not enough: a program that waits for the
 * write lock polls it every few milliseconds, and would find it taken each time.
 */
export async function pauseAfterTransaction(tookMs: number): Promise<void> {
  const restMs = Math.min(TRANSACTION_REST_MS_MAX, tookMs * TRANSACTION_REST_FACTOR);
  await setTimeout(Math.max(TRANSACTION_REST_MS_MIN, restMs));
}
