import { CARRIER_MESSAGE_BYTES_MAX } from "./messages.ts";

/** uWebSockets.js drops the connection above this without a close code, so it stands above our own cap, which answers 1009. */
export const SOCKET_PAYLOAD_BYTES_MAX = 2 * CARRIER_MESSAGE_BYTES_MAX;

/** Signatures of one upgrade that are looked at: a carrier sends a few while its secret is being changed. */
export const SIGNATURES_PER_UPGRADE_MAX = 8;

// Sockets.
/** Output buffered for a peer that reads too slowly; past it the call ends with `slow_consumer`. */
export const SOCKET_BACKPRESSURE_BYTES_MAX = 256 * 1024;

/** From the upgrade to the carrier's `start`. */
export const LEG_START_MS_MAX = 5_000;

/** Pings and pongs of a peer within one second; past it the call ends with `protocol_error`. 100 x 23 µs = 0.2 % of the loop. */
export const CONTROL_FRAMES_PER_SECOND_MAX = 100;

/** How often the certificate's files are looked at for another one. */
export const CERTIFICATE_POLL_MS = 5_000;

/** With less than this left to the certificate a warning is logged, once in CERTIFICATE_WARN_MS. */
export const CERTIFICATE_EXPIRES_SOON_MS = 14 * 86_400_000;
export const CERTIFICATE_WARN_MS = 86_400_000;

/** A worker that is replaced serves the connections that it has accepted; those without a request are closed after this time. */
export const HANDSHAKE_MS_MAX = 10_000;

/** Bounds of connections to the media port; those of calls stand in `limits.ts`. */

/** The head of a request to the media port, as uWebSockets.js limits it; past it the answer is 431. */
export const REQUEST_HEAD_BYTES_MAX = 4_096;

/** With ws: fragments of one message; past it the connection is closed with 1008. No carrier sends more than a few. */
export const MESSAGE_FRAGMENTS_MAX = 16_384;

/**
 * With ws: what a peer may send beside whole messages, pings and pongs, at once and a second; past it the connection is closed with 1008.
 * At once it is two messages of the largest size that are not complete. A second it is 2,700 fragments of no byte, whose heads are all
 * there is of them; a carrier that cut each frame of audio into four would send 200.
 */
export const FRAMING_BYTES_BURST_MAX = 256 * 1024;
export const FRAMING_BYTES_PER_SECOND_MAX = 16 * 1024;

/** Where the supervisor accepts: connections that a worker was handed and has not taken; past it others are handed the next. */
export const CONNECTIONS_UNACKNOWLEDGED_MAX = 16;

/** Connections that wait for a worker to be handed to; one more is closed as it comes. */
export const CONNECTIONS_PENDING_MAX = 512;

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

/** Ticks from one look at a peer to the next: looking at each would cost a fifth of the way of a frame out. */
export const LIVENESS_CHECK_TICKS = 5;
