/** Connections that listen to one call, and to all calls of a worker; there is no address for one more. */
export const LISTENERS_PER_CALL_MAX = 4;
export const LISTENERS_PER_WORKER_MAX = 40;

/** How long an address to listen at is valid. */
export const LISTEN_ADDRESS_MS = 60_000;

/** Unused addresses of one call; for one more the oldest becomes invalid. */
export const LISTEN_ADDRESSES_PER_CALL_MAX = 8;

/** The audio of one message to a listener. */
export const LISTEN_MESSAGE_MS = 100;

/** How long the audio of each side is held back, so that frames that come late leave no gap; it is the usual lead of the agent's audio. */
export const LISTEN_DELAY_MS = 100;

/** When more audio of one side waits, after a stall, the oldest is dropped until LISTEN_DELAY_MS is left. */
export const LISTEN_BACKLOG_MS_MAX = 400;

/** The interval of pings to a listener, and how long its answer may take: a slower one is late by that much, and is dropped. */
export const LISTENER_PING_MS = 1_000;
export const LISTENER_ANSWER_MS_MAX = 2_000;

/** Output that waits for a listener in this process; past it the listener is dropped. A second of audio at 8,000 Hz. */
export const LISTENER_BUFFERED_BYTES_MAX = 32_000;
