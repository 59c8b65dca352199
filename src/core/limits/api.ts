/** In characters, of which a pair of surrogates is one. */
export const AGENT_NAME_CHARS_MAX = 200;
export const AGENT_CORPORA_MAX = 32;

// The control API.
export const BODY_BYTES_MAX = 256 * 1024;
export const JSON_DEPTH_MAX = 32;

/** Headers of a request; uWebSockets.js draws the line at about as many. */
export const HEADERS_MAX = 100;

/** Items on one page of a list. */
export const LIST_ITEMS_DEFAULT = 20;
export const LIST_ITEMS_MAX = 100;

/** Conditions on the metadata of the calls that one list asks for. */
export const LIST_METADATA_MAX = 8;
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;

/** How long a request that its client has named is remembered. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;

/** From the first byte of a request to the last of its body; past it the connection is closed. */
export const REQUEST_MS_MAX = 10_000;

/** A connection on which nothing moves is closed: a download that nobody reads would keep its file open for good. */
export const STALL_MS_MAX = 60_000;

/** Events on one page of a call's list. */
export const EVENTS_PAGE_DEFAULT = 200;
export const EVENTS_PAGE_MAX = 1_000;

/** Journals whose reading is remembered from one page of events to the next; others are read from their beginning. */
export const EVENT_CURSORS_MAX = 64;

/** Bounds of what the control process serves over HTTP: its connections and its large answers; those of requests stand in `limits.ts`. */

// Answers.
/** JSON of the items on one page of any list; a page ends before the item that exceeds this, unless that is its first. */
export const LIST_BYTES_MAX = 512 * 1024;

/** What one query of a list reads of the database before others get their turn; the next item alone may exceed it. */
export const LIST_READ_BYTES_MAX = 2 * 1024 * 1024;

/** Turns on one page of a transcript, and voices or languages on one page. */
export const TRANSCRIPT_PAGE_MAX = 1_000;
export const VOICES_PAGE_MAX = 5_000;

/** Lists, transcripts and events that are made or read at once, by one account and by all; the next ones wait. */
export const LARGE_ANSWERS_PER_ACCOUNT_MAX = 4;
export const LARGE_ANSWERS_MAX = 16;

/** Requests that wait for that; past it, or after so long, the answer is 429 or 503 with `Retry-After`. */
export const LARGE_ANSWERS_WAITING_PER_ACCOUNT_MAX = 32;
export const LARGE_ANSWERS_WAITING_MAX = 256;
export const LARGE_ANSWER_WAIT_MS_MAX = 2_000;

/** Recordings that are downloaded at once, by one account and by all; the next ones wait as for lists. */
export const DOWNLOADS_PER_ACCOUNT_MAX = 32;
export const DOWNLOADS_MAX = 256;

/** With few connections fewer: one in so many connections may download, and each account at most half of those. */
export const DOWNLOADS_PER_CONNECTIONS = 8;

/** How long a client may take to read an answer that is held in memory; then its connection is closed. */
export const ANSWER_READ_MS_MAX = 30_000;

// Connections.
/** To the API, where the system allows more: each holds some 20 KiB. Past it the oldest idle one is closed. */
export const API_CONNECTIONS_MAX = 4_096;

/** To the metrics port: a few scrapers and probes. Past it the oldest idle one is closed. */
export const METRICS_CONNECTIONS_MAX = 64;

/** Of those, one in so many is kept free: a connection that is closed for another one holds its descriptor a moment longer. */
export const CONNECTIONS_HEADROOM_DIVISOR = 8;

/** How long an idle connection is kept. Longer than load balancers keep theirs, 60 s as a rule, so that they close first. */
export const KEEP_ALIVE_MS = 72_000;

/** The same while more than half of the connections are taken. */
export const KEEP_ALIVE_SCARCE_MS = 1_000;

/**
 * An answer that has waited for its reader for so long may be closed: where a new connection finds no idle one to take the place of,
 * and where a large answer of another account has to wait.
 */
export const UNREAD_MS_MIN = 1_000;

// Requests.
/** Saved agents of an account, of up to 256 KiB each; one more is 409. */
export const AGENTS_PER_ACCOUNT_MAX = 10_000;
