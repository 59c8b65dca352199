// The control API.
export const BODY_BYTES_MAX = 256 * 1024;
export const JSON_DEPTH_MAX = 32;

/** Bytes of the headers of a request; about the limit of uWebSockets.js. */
export const HEADERS_MAX = 100;

/** Items on one page of a list. */
export const LIST_ITEMS_DEFAULT = 20;
export const LIST_ITEMS_MAX = 100;

/** Metadata conditions of one list request. */
export const LIST_METADATA_MAX = 8;
/** The same of headers. */
export const LIST_HEADERS_MAX = 4;
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;

/** How long the response of an idempotent request is kept. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;

/** From the first byte of a request to the end of its head, and from there to the last byte of its body, uploads apart; past it the connection is closed. */
export const REQUEST_MS_MAX = 10_000;

/** A connection without progress is closed: a download that is not read would keep its file open for ever. */
export const STALL_MS_MAX = 60_000;

/** Of `OPERATOR_TOKEN`: random ones of this length cannot be guessed. */
export const OPERATOR_TOKEN_CHARS_MIN = 32;

/** Events on one page of a call's events. */
export const EVENTS_PAGE_DEFAULT = 200;
export const EVENTS_PAGE_MAX = 1_000;

/** Journals whose read position is cached between pages of events; others are read from their beginning. */
export const EVENT_CURSORS_MAX = 64;

// Large responses.
/** JSON of the items on one page of any list; a page ends before the item that exceeds this, unless that is its first. */
export const LIST_BYTES_MAX = 512 * 1024;

/** Buckets of a waveform: more than a screen has pixels. */
export const WAVEFORM_BUCKETS_DEFAULT = 1_000;
export const WAVEFORM_BUCKETS_MAX = 8_000;

/** Turns on one page of a transcript, and voices or languages on one page. */
export const TRANSCRIPT_PAGE_MAX = 1_000;
export const VOICES_PAGE_MAX = 5_000;

/** Concurrent responses with lists, transcripts and events, of one account and of all; further ones wait. */
export const LARGE_RESPONSES_PER_ACCOUNT_MAX = 4;
export const LARGE_RESPONSES_MAX = 16;

/** Requests that wait for that, and how long; past either limit the response is 429 or 503 with `Retry-After`. */
export const LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX = 32;
export const LARGE_RESPONSES_WAITING_MAX = 256;
export const LARGE_RESPONSE_WAIT_MS_MAX = 2_000;

/** Concurrent downloads of recordings, of one account and of all; further ones wait as for lists. */
export const DOWNLOADS_PER_ACCOUNT_MAX = 32;
export const DOWNLOADS_MAX = 256;

/** With few connections the limits are lower: one in this many connections may download, and one account may have half of those. */
export const DOWNLOADS_PER_CONNECTIONS = 8;

/** How long a client may take to read a response that is held in memory; then its connection is closed. */
export const ANSWER_READ_MS_MAX = 30_000;

// Connections.
/** Connections to the API, if the system allows as many: each holds about 20 KiB. Past it the oldest idle one is closed. */
export const API_CONNECTIONS_MAX = 4_096;

/** Connections to the metrics port, for a few scrapers and probes. Past it the oldest idle one is closed. */
export const METRICS_CONNECTIONS_MAX = 64;

/** One in this many connections is kept free: a connection that is closed for another one holds its descriptor a little longer. */
export const CONNECTIONS_HEADROOM_DIVISOR = 8;

/** How long an idle connection is kept. Longer than load balancers keep theirs, usually 60 s, so that they close first. */
export const KEEP_ALIVE_MS = 72_000;

/** The same while more than half of the connections are in use. */
export const KEEP_ALIVE_SCARCE_MS = 1_000;

/**
 * A response that its client has not read for this long may be aborted: when a new connection finds no idle one to replace, and when
 * a large response of another account waits.
 */
export const UNREAD_MS_MIN = 1_000;

// The state of the service (`GET /status`).
/** How long workers are waited for, and for how long what they have answered serves further requests. */
export const STATUS_ANSWER_MS_MAX = 500;
export const STATUS_CACHE_MS = 1_000;

// Requests.
/** The window of the limits of requests, and the buckets that are held of API keys, and of accounts. */
export const RATE_WINDOW_MS = 60_000;
export const RATE_ENTRIES_MAX = 10_000;
/** Requests a minute, of one API key and of one account. */
export const API_KEY_REQUESTS_DEFAULT = 60_000;
export const ACCOUNT_REQUESTS_DEFAULT = 120_000;
export const REQUESTS_PER_MINUTE_MAX = 10_000_000;
