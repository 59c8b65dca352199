/** These methods have the same effect once or twice (RFC 9110, section 9.2.2). */
const IDEMPOTENT: readonly string[] = ["get", "delete"];
const RETRIED_STATUSES: readonly number[] = [429, 503];
/** Further digits are no time to wait. */
const SECONDS = /^\d{1,9}$/;

/** Whether a request may be sent twice: its method says so, or its Idempotency-Key does. */
export const isIdempotent = (method: string, headers: Headers): boolean =>
  IDEMPOTENT.includes(method) || headers.has("idempotency-key");

/** The seconds of the header Retry-After; undefined without it, and for a date. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get("retry-after") ?? "";
  return SECONDS.test(text) ? Number(text) : undefined;
}

/** How long to wait before a request with this answer is sent again; undefined when it must not be. */
export const retryDelayMs = (response: Response): number | undefined => {
  const seconds = RETRIED_STATUSES.includes(response.status) ? retryAfterOf(response) : undefined;
  return seconds === undefined ? undefined : seconds * 1_000;
};

/** Resolves after `delayMs`; rejects with the reason of `signal` when that aborts first. */
export function delay(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
