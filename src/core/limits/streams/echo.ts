/** An echo of the agent comes at most this much later than the agent's audio is played, ms; one transform searches no more. */
export const ECHO_DELAY_MS_MAX = 412;

/** It fades for this long after that, ms. */
export const ECHO_TAIL_MS = 100;

/** Searches for the echo's delay, 0.2 ms each, of one call: at once, and the time in which another is allowed, ms of audio. */
export const ECHO_SEARCHES_AT_ONCE = 10;
export const ECHO_SEARCH_INTERVAL_MS = 500;
