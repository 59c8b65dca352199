// API keys: src/store/sql/accounts/api-keys.ts, src/api/http/access/auth.ts.

/** API keys of one account that are not revoked. */
export const API_KEYS_MAX = 500;
/** In characters; a surrogate pair is one. */
export const API_KEY_NAME_CHARS_MAX = 200;

/** After a rotation the previous text works for this long by default and at most. */
export const API_KEY_OVERLAP_S_DEFAULT = 24 * 3_600;
export const API_KEY_OVERLAP_S_MAX = 7 * 24 * 3_600;

/** For how long after its look-up an API key counts as valid. Half of the second within which a revoked one is refused. */
export const API_KEY_CACHE_MS = 500;
/** An API key that is used when its look-up is older than this is looked up again beside the request. */
export const API_KEY_REFRESH_MS = 250;
export const API_KEY_CACHE_ENTRIES_MAX = 10_000;

/** How often the last use of an API key is stored, and how long uses are collected into one write. */
export const LAST_USE_MS = 60_000;
export const LAST_USE_BATCH_MS = 1_000;
