import { PROVIDER_RETRY_MS } from "../../core/limits/speech-providers/providers.ts";
import type { FailoverCode } from "../contracts.ts";

/** Why a server refused; the `cause` of the error, which decides about a retry. */
export interface Refusal {
  status: number;
  /** From the `Retry-After` header, where it gives seconds. */
  retryAfterMs: number | undefined;
  /** The prompt was longer than the model's context. */
  contextExceeded?: true;
}

/** `retryAfter` is the header; a date or an invalid value in it is ignored. */
export const refusalFrom = (status: number, retryAfter = "", isContextExceeded = false): Refusal => ({
  status,
  retryAfterMs: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined,
  ...(isContextExceeded && { contextExceeded: true }),
});

/** A provider's error code if it is fit for a log: neither a sentence nor an API key. */
export const loggableCode = (value: unknown): string | undefined =>
  typeof value === "string" && /^[A-Za-z][A-Za-z_]{2,47}$/.test(value) ? value : undefined;

/**
 * The cause of a failure that lies in the request, where no status says so: the provider works, and a retry would fail
 * too.
 */
export const REQUEST_ERROR: Refusal = { status: 400, retryAfterMs: undefined };

/** The cause of a provider's timeout. It is not retried, because a retry would wait as long again. */
export const TIMED_OUT = { timedOut: true } as const;

/** The cause where no request was sent: the circuit breaker is open, or the stream limit is reached. */
export const SKIPPED = { skipped: true } as const;

/** The cause where the call has changed to a language that the provider does not transcribe. */
export const OTHER_LANGUAGE = { otherLanguage: true } as const;

/** Statuses that allow a retry: request timeout, too early, too many requests; and any 5xx. */
const RETRYABLE_STATUSES: readonly number[] = [408, 425, 429];
/** Statuses that blame the request itself, so they do not count as failures of the provider. */
const REQUEST_ERROR_STATUSES: readonly number[] = [400, 404, 405, 409, 410, 413, 414, 415, 422];

/**
 * The delay before the same request to the same provider is retried, ms; undefined where a retry is useless or unsafe.
 */
export function retryDelayMs(error: unknown): number | undefined {
  const cause = causeOf(error);
  if (cause === TIMED_OUT) return undefined;
  if (!isRefusal(cause)) return 0;
  return RETRYABLE_STATUSES.includes(cause.status) || cause.status >= 500
    ? (cause.retryAfterMs ?? PROVIDER_RETRY_MS)
    : undefined;
}

/** `error` blames the request: the provider works, but refused this one. */
export function isRequestError(error: unknown): boolean {
  const cause = causeOf(error);
  return isRefusal(cause) && REQUEST_ERROR_STATUSES.includes(cause.status);
}

/** The prompt was longer than the model's context: a shorter one may succeed. */
export function isContextExceeded(error: unknown): boolean {
  const cause = causeOf(error);
  return isRefusal(cause) && cause.contextExceeded === true;
}

/** The failover's code in events after `error`. */
export function failoverCodeOf(error: unknown): FailoverCode {
  const cause = causeOf(error);
  if (cause === TIMED_OUT) return "timed_out";
  if (cause === SKIPPED) return "skipped";
  if (cause === OTHER_LANGUAGE) return "other_language";
  return isRefusal(cause) ? "refused" : "failed";
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

const isRefusal = (cause: unknown): cause is Refusal =>
  typeof cause === "object" && cause !== null && "status" in cause && typeof cause.status === "number";
