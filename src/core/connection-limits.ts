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
