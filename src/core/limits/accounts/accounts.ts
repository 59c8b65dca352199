// Accounts: src/store/sql/accounts/accounts.ts, src/api/accounts/, src/store/admission/.

/** In characters; a surrogate pair is one. */
export const ACCOUNT_NAME_CHARS_MAX = 200;

/** The largest limits that an operator can set. */
export const CONCURRENT_CALLS_MAX = 1_000_000;
export const CREATIONS_PER_MINUTE_MAX = 1_000_000;
export const CONCURRENT_TRANSCRIPTIONS_MAX = 1_000_000;

/** How many voices, and how many languages, an account can be confined to. */
export const ACCOUNT_VOICES_MAX = 1_000;
export const ACCOUNT_LANGUAGES_MAX = 200;

/** The accounts whose creations of calls are counted; one that is forgotten begins anew. */
export const CREATION_RATE_ENTRIES_MAX = 10_000;
/** The window of `creationsPerMinute`. */
export const CREATION_RATE_WINDOW_MS = 60_000;

/** Sets of providers that a media worker holds for accounts that have not those of the service. */
export const ACCOUNT_SPEECH_ENTRIES_MAX = 256;

/** The secrets of each kind that an account can have, and the servers that may receive one of a tool. */
export const ACCOUNT_SECRETS_MAX = 100;
export const TOOL_SECRET_HOSTS_MAX = 20;

/** An API key of a provider, in characters. */
export const PROVIDER_CREDENTIAL_CHARS_MAX = 512;
