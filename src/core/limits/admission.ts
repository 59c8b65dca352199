import { OUTPUT_LEAD_MS } from "./media.ts";
import { CONTROL_STALL_MS_MAX, HEARTBEAT_MS } from "./processes.ts";

// Tokens; what they are made of stands in `token-limits.ts`.
export const TOKEN_TTL_S_DEFAULT = 60;
export const TOKEN_TTL_S_MIN = 5;
export const TOKEN_TTL_S_MAX = 600;

/** A redemption that has no answer by then is refused with 503, and the worker returns it: no call came of it. */
export const REDEEM_MS_MAX = 1_000;
export const CALLS_PER_WORKER_DEFAULT = 1_000;

// Admission: what bounds the calls that are taken.
/** Tokens that one worker takes to the store at once; past it upgrades get 503, and their tokens stay good. */
export const REDEMPTIONS_MAX = 1_000;

/** How often a worker tells the control process how it stands. */
export const LOAD_REPORT_MS = 250;

/** A worker that has told nothing for so long is stuck, and is offered no more calls. */
export const LOAD_SILENCE_MS_MAX = 2_000;

/** How long one figure of the event loop's lag is gathered for, and how closely the loop is looked at meanwhile. */
export const LOOP_LAG_WINDOW_MS = 1_000;
export const LOOP_LAG_SAMPLE_MS = 5;

/** A worker whose loop lags by more than this is offered no more calls: three quarters of what no caller hears. */
export const LOOP_LAG_MS_MAX = 0.75 * OUTPUT_LEAD_MS;

/** But for so many, which make no loop lag: a machine that is busy with something else would refuse its first call. */
export const LAGGING_CALLS_MAX = 8;

/** It is offered calls again when it has lagged by less for so long. */
export const LOOP_LAG_RECOVERY_MS = 3_000;

/** Bounds of stream tokens and of their redemption; TOKEN_TTL_S and REDEEM_MS_MAX stand in `limits.ts`. */

/** The random part of a token, and of the key that signs tokens. */
export const TOKEN_RANDOM_BYTES = 32;

/** The HMAC-SHA256 of the random part, cut to 128 bits (RFC 2104, section 5, allows half of the output). */
export const TOKEN_TAG_BYTES = 16;

/** base64url of both parts: 48 bytes need no padding, so every character carries six bits. */
export const TOKEN_CHARS = ((TOKEN_RANDOM_BYTES + TOKEN_TAG_BYTES) * 4) / 3;

/** How often the control process looks for a rotated token key. A new key signs tokens from the look after the one that found it. */
export const TOKEN_KEY_POLL_MS = 5_000;

/**
 * No refusal of a token is answered sooner: one that the worker refuses by itself takes as long as one that the store refuses, so
 * that the time of the answer does not tell whether a token was ever real.
 */
export const REFUSAL_MS_MIN = 20;

/** The nonce of a redemption, which proves that the worker that sent it gives the redemption back. */
export const REDEMPTION_NONCE_BYTES = 16;

/** Redemptions of one worker whose outcome it did not learn; past it new upgrades get 503, and their tokens stay good. */
export const UNRESOLVED_REDEMPTIONS_MAX = 1_000;

/** How soon a worker returns a redemption again, after the store could not take it back. */
export const RETURN_RETRY_MS = 1_000;

/** How long a redemption waits for SQLite's write lock, from its arrival on, and how often it looks; its token stays good. */
export const REDEMPTION_LOCK_MS_MAX = 500;
export const REDEMPTION_LOCK_POLL_MS = 5;

/**
 * Pings, one each HEARTBEAT_MS, that the handoff thread may leave unanswered, as long as the control process itself may be silent; past
 * it the control process ends and is replaced.
 */
export const HANDOFF_SILENT_PINGS_MAX = CONTROL_STALL_MS_MAX / HEARTBEAT_MS;
