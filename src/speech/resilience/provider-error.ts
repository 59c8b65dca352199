import { PROVIDER_RETRY_MS } from "../../core/limits/providers.ts";
import type { FailoverCode } from "../contracts.ts";

/** Why a server refused; stands as the `cause` of the failure, for those who decide whether to ask again. */
export interface Refusal {
  status: number;
  /** When the server would like to be asked again, where it told that in seconds. */
  retryAfterMs: number | undefined;
  /** The prompt was longer than the model's context. */
  contextExceeded?: true;
}

/** `retryAfter` is the header; a date in it, or nonsense, says nothing. */
export const refusalFrom = (status: number, retryAfter = "", isContextExceeded = false): Refusal => ({
  status,
  retryAfterMs: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined,
  ...(isContextExceeded && { contextExceeded: true }),
});

/** The cause of a failure that lies in what was asked, where no status says so: the provider is well, and would fail again. */
export const REQUEST_ERROR: Refusal = { status: 400, retryAfterMs: undefined };

/** The cause of the failure of a provider that told nothing in time: what was waited once for is not waited for again. */
export const TIMED_OUT = { timedOut: true } as const;

/** The cause of the failure of one that was not even asked: it fails, or stream limit reached. */
export const SKIPPED = { skipped: true } as const;

/** Statuses by which a server says that the same may be asked again: too slow, too early, too many; and any 5xx. */
const RETRYABLE_STATUSES: readonly number[] = [408, 425, 429];
/** Statuses by which it finds fault with what it was asked, which is nobody else's business. */
const REQUEST_ERROR_STATUSES: readonly number[] = [400, 404, 405, 409, 410, 413, 414, 415, 422];

/** How long to wait before the same provider is asked the same once more, ms; undefined where that is useless, or unsafe. */
export function retryDelayMs(error: unknown): number | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause === TIMED_OUT) return undefined;
  if (!isRefusal(cause)) return 0;
  return RETRYABLE_STATUSES.includes(cause.status) || cause.status >= 500
    ? (cause.retryAfterMs ?? PROVIDER_RETRY_MS)
    : undefined;
}

/** The provider is well, for all that `error` says: it would not do this one thing. */
export function isRequestError(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isRefusal(cause) && REQUEST_ERROR_STATUSES.includes(cause.status);
}

/** The prompt was longer than the model's context: a shorter one may be answered. */
export function isContextExceeded(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isRefusal(cause) && cause.contextExceeded === true;
}

/** Why the next provider is asked after `error`. */
export function failoverCodeOf(error: unknown): FailoverCode {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause === TIMED_OUT) return "timed_out";
  if (cause === SKIPPED) return "skipped";
  return isRefusal(cause) ? "refused" : "failed";
}

const isRefusal = (cause: unknown): cause is Refusal =>
  typeof cause === "object" && cause !== null && "status" in cause && typeof cause.status === "number";
