import { OUTPUT_LEAD_MS } from "../streams/media.ts";
import { RTP_LEAD_MS } from "../streams/webrtc.ts";
import { CONTROL_STALL_MS_MAX, HEARTBEAT_MS } from "./processes.ts";

// Stream tokens.
export const TOKEN_TTL_S_DEFAULT = 60;
export const TOKEN_TTL_S_MIN = 5;
export const TOKEN_TTL_S_MAX = 600;

/** A redemption without a response by then is refused with 503, and the worker returns it: no call was started. */
export const REDEEM_MS_MAX = 1_000;

/**
 * A starting worker listens without token keys after so long, and then refuses upgrades with 503: until the control
 * process is there no worker could redeem a token.
 */
export const TOKEN_KEYS_MS_MAX = 10_000;
export const CALLS_PER_WORKER_DEFAULT = 1_000;

// Admission of calls.
/** Concurrent redemptions of one worker; past it upgrades get 503, and their tokens stay valid. */
export const REDEMPTIONS_MAX = 1_000;

/** How often a worker reports its load to the control process. */
export const LOAD_REPORT_MS = 250;

/** How long the control process waits for a worker's answer about one of its telephone calls. */
export const WORKER_ANSWER_MS_MAX = 2_000;

/** How long a question about a telephone call waits for its worker to connect: after a start of the control process. */
export const WORKER_CONNECT_MS_MAX = 2_000;

/** A worker that has not reported its load for this long counts as stuck and offers no capacity. */
export const LOAD_SILENCE_MS_MAX = 2_000;

/** The period of one measurement of the event-loop delay, and its resolution. */
export const LOOP_LAG_WINDOW_MS = 1_000;
export const LOOP_LAG_SAMPLE_MS = 5;

/** A worker whose event-loop delay exceeds this offers no capacity: three quarters of the delay that callers cannot hear. */
export const LOOP_LAG_MS_MAX = 0.75 * OUTPUT_LEAD_MS;

/** The same for a worker with WebRTC calls, whose audio is sent less far ahead. */
export const WEBRTC_LOOP_LAG_MS_MAX = 0.75 * RTP_LEAD_MS;

/** Calls that a lagging worker still accepts: so few do not cause the delay, and a busy machine must not refuse its first call. */
export const LAGGING_CALLS_MAX = 8;

/**
 * The voice activity detector falls back to a cheaper one while the event-loop delay exceeds its worker's limit, and
 * until it has been below this share of that for this long: the fallback itself shortens the delay, and must not switch to and fro.
 */
export const DETECTOR_RECOVERY_MS = 10_000;
export const DETECTOR_RECOVERY_LAG_SHARE = 0.5;

/** A worker offers its capacity again when its delay has been below the limit for this long. */
export const LOOP_LAG_RECOVERY_MS = 3_000;

// The format of stream tokens, and their redemption.

/** The random part of a token, and the size of a token key. */
export const TOKEN_RANDOM_BYTES = 32;

/** The HMAC-SHA256 of the random part, truncated to 128 bits (RFC 2104, section 5, allows half of the output). */
export const TOKEN_TAG_BYTES = 16;

/** base64url of both parts: 48 bytes need no padding, so every character carries six bits. */
export const TOKEN_CHARS = ((TOKEN_RANDOM_BYTES + TOKEN_TAG_BYTES) * 4) / 3;

/** How often the control process checks for a rotated token key. A new key signs tokens from the check after the one that found it. */
export const TOKEN_KEY_POLL_MS = 5_000;

/**
 * The least response time of a refused token. A refusal by the worker takes as long as one by the store, so the response time does
 * not reveal whether a token was ever valid.
 */
export const REFUSAL_MS_MIN = 20;

/** The nonce of a redemption. It proves that the worker that returns a redemption is the one that made it. */
export const REDEMPTION_NONCE_BYTES = 16;

/** Redemptions of one worker with an unknown outcome; past it new upgrades get 503, and their tokens stay valid. */
export const UNRESOLVED_REDEMPTIONS_MAX = 1_000;

/** How soon a worker retries returning a redemption that the store could not take back. */
export const RETURN_RETRY_MS = 1_000;

/** How long a redemption may wait for SQLite's write lock from its arrival on, and how often it retries; its token stays valid. */
export const REDEMPTION_LOCK_MS_MAX = 500;
export const REDEMPTION_LOCK_POLL_MS = 1;

/**
 * Unanswered pings, one every HEARTBEAT_MS, after which the handoff thread counts as stalled: as many as heartbeats of the control
 * process may be missed. The control process then exits and is replaced.
 */
export const HANDOFF_SILENT_PINGS_MAX = CONTROL_STALL_MS_MAX / HEARTBEAT_MS;
