/** Bounds of connections to the media port; those of calls stand in `limits.ts`. */

/** The head of a request to the media port, as uWebSockets.js limits it; past it the answer is 431. */
export const REQUEST_HEAD_BYTES_MAX = 4_096;

/** With ws: fragments of one message; past it the connection is closed with 1008. No carrier sends more than a few. */
export const MESSAGE_FRAGMENTS_MAX = 16_384;

/** Where the supervisor accepts: connections that a worker was handed and has not taken; past it others are handed the next. */
export const CONNECTIONS_HANDED_MAX = 16;
/** Connections that wait for a worker to be handed to; one more is closed as it comes. */
export const CONNECTIONS_WAITING_MAX = 512;
