import { strict as assert } from "node:assert";

/** Bounds of how long a stream may show no sign of life; those of calls stand in `limits.ts`. */

/** How often a peer is pinged, s. */
export const PING_INTERVAL_S_DEFAULT = 5;
export const PING_INTERVAL_S_MAX = 30;
/**
 * Without a message, ping or pong for this long a peer that answers pings is lost, s. Three pings are then unanswered. TCP repeats what
 * was lost after 0.2, 0.6, 1.4, 3, 6.2 and 12.6 s: a network that was away for 12 s comes back within this time.
 */
export const PING_TIMEOUT_S_DEFAULT = 15;
export const PING_TIMEOUT_S_MAX = 60;
/** The same for a peer that has answered no ping yet: its silence may be a caller's who is muted. */
export const SILENT_PEER_MS_MAX = 30_000;
/** While the agent speaks and nothing comes, the peer is pinged this often: what was heard is known that closely. */
export const PING_WHILE_SPEAKING_MS = 1_000;
/** Of a time in which this process was not run, no more than this counts as silence of the peer. */
export const SILENCE_STEP_MS_MAX = 1_000;
export const MEDIA_TIMEOUT_S_MIN = 5;
export const MEDIA_TIMEOUT_S_MAX = 3_600;
/**
 * uWebSockets.js drops a connection without a byte for this long. Our own rules end a call before; this is for what they cannot see, a
 * connection that was closed and does not go away.
 */
export const SOCKET_IDLE_S = 120;

assert.ok(PING_TIMEOUT_S_MAX + PING_INTERVAL_S_MAX < SOCKET_IDLE_S, "our own rule must come before the library's");
/** Ticks from one look at a peer to the next: looking at each would cost a fifth of the way of a frame out. */
export const LIVENESS_CHECK_TICKS = 5;
