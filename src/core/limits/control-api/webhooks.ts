// Webhooks: src/delivery.

/** Webhooks of one account. */
export const WEBHOOKS_MAX = 50;
export const WEBHOOK_URL_CHARS_MAX = 2_048;
export const WEBHOOK_DESCRIPTION_CHARS_MAX = 500;

/** A secret: 32 random bytes, of the 24 to 64 that Standard Webhooks allows. */
export const WEBHOOK_SECRET_BYTES = 32;

/** After a rotation the previous secret signs for this long by default and at most. */
export const SECRET_OVERLAP_S_DEFAULT = 24 * 3_600;
export const SECRET_OVERLAP_S_MAX = 7 * 24 * 3_600;

/** How long one delivery may take, from the look-up of the address to the end of the answer. */
export const DELIVERY_MS_MAX = 15_000;

/** How much of an answer is read, and shown in the list of deliveries. */
export const DELIVERY_ANSWER_BYTES_MAX = 64 * 1024;
export const DELIVERY_EXCERPT_CHARS_MAX = 500;
/** What is stored of a delivery's failed attempts: more than all of them have that are made by themselves. Beyond it the earlier ones are forgotten. */
export const FAILED_ATTEMPTS_CHARS_MAX = 10_000;
export const DELIVERY_ANSWER_HEAD_BYTES_MAX = 16 * 1024;

/** The delays between the attempts of a delivery: eleven attempts within a day. */
export const DELIVERY_RETRY_DELAYS_MS: readonly number[] = [
  5_000,
  30_000,
  ...[2, 10, 30, 60, 120, 240, 360, 600].map((minutes) => minutes * 60_000),
];

/** An answer's `Retry-After` may delay the next attempt by at most this. */
export const RETRY_AFTER_S_MAX = 24 * 3_600;

/** A webhook whose endpoint has failed for this long without one success is disabled. */
export const FAILING_DAYS_MAX = 5;

/** The body of `call.ended`; above it the transcript and the tool runs are replaced by links. */
export const EVENT_BYTES_MAX = 256 * 1024;

/** Deliveries of one webhook that wait, as counted every minute; those of further events have failed, and can be replayed. */
export const DELIVERIES_WAITING_MAX = 100_000;

/** Deliveries that one query of a replay takes. */
export const REPLAY_ROWS_PER_QUERY = 200;

/** Deliveries that one query reads, or one transaction records; the first one waits this long for others. */
export const DELIVERIES_PER_QUERY_MAX = 64;
export const DUE_GATHER_MS = 1;
export const ATTEMPT_GATHER_MS = 5;

/** How long events and their deliveries are listed and can be replayed. */
export const DELIVERY_DAYS = 30;
