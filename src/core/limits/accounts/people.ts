// People who sign in: src/api/session/, src/api/users/, src/store/sql/users/.

/** People of one account. */
export const USERS_MAX = 500;
/** RFC 5321 allows no longer address. */
export const EMAIL_CHARS_MAX = 254;
/** In characters; a surrogate pair is one. */
export const USER_NAME_CHARS_MAX = 200;

/** In characters; a surrogate pair is one. */
export const PASSWORD_CHARS_MIN = 12;
export const PASSWORD_CHARS_MAX = 256;

/** The parameters of scrypt: 128 * N * r bytes, 128 MiB, and about 0.4 s of one core. */
export const SCRYPT_LOG_N = 17;
export const SCRYPT_R = 8;
export const SCRYPT_P = 1;
/** Passwords that wait to be hashed, in each of the two lanes, in which one is hashed at a time. */
export const PASSWORDS_WAITING_MAX = 16;
/** Of these, passwords of one person, browser or address: one person cannot keep all others waiting, even with a right password. */
export const PASSWORDS_OF_ONE_MAX = 4;

/** How long a one-time link works. */
export const INVITATION_MS = 72 * 3_600_000;
export const RESET_MS = 3_600_000;

/** How long a session lasts: a working day. */
export const SESSION_MS = 12 * 3_600_000;
/** Sessions of one person; the one that began first ends for another. */
export const SESSIONS_MAX = 20;
/** How long the browser of a person who signed in is recognized, and browsers of one person. */
export const DEVICE_MS = 180 * 24 * 3_600_000;
export const DEVICES_MAX = 20;

/**
 * Wrong passwords: so many at once, and then one in each interval. Of one email from one address; of one address for all
 * emails; of one email from all addresses; of one browser that has signed in before, or of a person who is signed in.
 */
export const ATTEMPTS_PER_PAIR = { capacity: 5, intervalMs: 60_000 } as const;
export const ATTEMPTS_PER_ADDRESS = { capacity: 30, intervalMs: 10_000 } as const;
export const ATTEMPTS_PER_EMAIL = { capacity: 100, intervalMs: 60_000 } as const;
export const ATTEMPTS_PER_DEVICE = { capacity: 10, intervalMs: 60_000 } as const;
/** What is remembered of each of the four; the least recently used are forgotten. */
export const ATTEMPT_ENTRIES_MAX = 10_000;
