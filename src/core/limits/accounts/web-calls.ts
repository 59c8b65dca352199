// Publishable keys and the calls that web pages start with them: src/api/publishable-keys, src/api/web-calls.

/** Publishable keys of one account that are not revoked. */
export const PUBLISHABLE_KEYS_MAX = 500;
export const PUBLISHABLE_KEY_AGENTS_MAX = 50;
export const PUBLISHABLE_KEY_ORIGINS_MAX = 50;
/** `https://`, a host name of 253 characters, and a port. */
export const ORIGIN_CHARS_MAX = 267;

/** Starts within STARTS_WINDOW_MS, with one publishable key and from one address. */
export const STARTS_WINDOW_MS = 60_000;
export const STARTS_PER_MINUTE_MAX = 6_000;
export const STARTS_PER_MINUTE_DEFAULT = 60;
export const STARTS_PER_MINUTE_PER_ADDRESS_DEFAULT = 6;

/** Calls at once, created or active. A start reads those of its publishable key. */
export const WEB_CALLS_AT_ONCE_MAX = 1_000;
export const WEB_CALLS_AT_ONCE_DEFAULT = 20;
export const WEB_CALLS_AT_ONCE_PER_ADDRESS_DEFAULT = 2;

/** Token buckets that are held of publishable keys, and of addresses. Past it an address that has none yet is refused. */
export const START_BUCKETS_MAX = 100_000;

/** How long a browser may cache the answer to a preflight. */
export const PREFLIGHT_S = 600;
