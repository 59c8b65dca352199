// The stream of an account's events: src/api/events.

/** For how long events are kept, from the last time that a stream of the account was open. */
export const EVENTS_KEPT_MS = 24 * 3_600_000;
/** An open stream says so again after this. */
export const EVENTS_RENEWED_MS = 3_600_000;

/** Streams at once, of one account and of all. */
export const EVENT_STREAMS_PER_ACCOUNT_MAX = 10;
export const EVENT_STREAMS_MAX = 200;

/** How often new events are looked for while a stream is open, and open streams are checked. */
export const EVENT_POLL_MS = 250;
/** How often workers report what their calls do, while a stream wants it; and how often streams have how far transcriptions are. */
export const ACTIVITY_REPORT_MS = 1_000;
/** A stream without an event gets a comment this often, so that proxies keep its connection. */
export const EVENT_HEARTBEAT_MS = 15_000;

/** Events that one query reads. */
export const EVENTS_PER_READ = 50;
/** Reads that streams of the process share at a time. */
export const EVENT_PAGES_SHARED_MAX = 32;

/** Bytes of events that wait for a reader in this process. More are not read from the store until it has read them. */
export const EVENT_BUFFER_BYTES_MAX = 64 * 1024;
/** A reader that leaves them unread for this long is disconnected; it can resume. */
export const EVENT_UNREAD_MS_MAX = 10_000;

/** What a client waits before it connects again, unless it decides otherwise. */
export const EVENT_RETRY_MS = 2_000;
