// The journal.
export const JOURNAL_FLUSH_MS = 250;

/** Where nothing but frames has come, and no more than these bytes of them, this many flushes leave a journal out. */
export const JOURNAL_FLUSHES_SKIPPED_MAX = 2;
export const JOURNAL_SKIPPED_FRAMES_BYTES_MAX = 4 * 1024;

/** Journal bytes of one call that wait for the disk; past it audio is left out and the recording says `incomplete`. */
export const JOURNAL_PENDING_BYTES_MAX = 256 * 1024;

/** Past this, with events alone, the disk counts as gone: the journal fails and its call goes on without. Bounds one record, too. */
export const JOURNAL_BACKLOG_BYTES_MAX = 2 * JOURNAL_PENDING_BYTES_MAX;

/** Bounds of the disk: free space, and what is forced onto it. */

/** The unit of DISK_FREE_MIN_MB. */
export const BYTES_PER_MB = 1_000_000;

/** Below this much free space no new calls are taken, unless configured otherwise: what live calls need to end. */
export const DISK_FREE_MB_MIN_DEFAULT = 1_024;
export const DISK_FREE_MB_MIN_MAX = 100_000_000;

/** How often the free space is read. */
export const DISK_POLL_MS = 1_000;

/** New calls are taken again above this multiple of the minimum, so that the answer does not change with every file. */
export const DISK_FREE_AGAIN_FACTOR = 1.1;

/** How often the control process looks whether the database file still stands in its place; every write looks by itself. */
export const DATABASE_POLL_MS = 1_000;

/** A service that starts waits this long for the data directory and the media port of one whose supervisor is gone. */
export const DATA_DIR_WAIT_MS_MAX = 3_000;
export const DATA_DIR_RETRY_MS = 25;

/** Journals of ended calls that are forced onto the disk at the same time: two of the four threads that Node has for files. */
export const JOURNAL_SYNCS_MAX = 2;

/** Further ones that wait; the rest is left to the system. At 10 ms each the last of them has waited for 1.3 s. */
export const JOURNAL_SYNCS_WAITING_MAX = 256;

/** Bounds of making records from journals, which a process of its own does: see `renderer-process.ts`. */

/** Calls that wait for their records; with more of them no new calls are taken until there are fewer. */
export const RECORDS_WAITING_MAX = 10_000;

/** Calls that are in work at once: each holds less than a minute of audio, and three files. */
export const RECORDS_CONCURRENT_MAX = 8;

/** A record that could not be made, or stored, is tried again after this long, for as long as it takes. */
export const RECORD_RETRY_MS = 1_000;

/** The pause doubles up to this while the disk is too full for the recording. */
export const RECORD_RETRY_MS_MAX = 30_000;

/** Calls whose projected journals are kept in memory while their records wait for the next try; others are read again then. */
export const PROJECTIONS_CACHED_MAX = 64;

/** Bytes of journals that are in work at once; a longer one is worked on alone. */
export const RENDERER_JOURNAL_BYTES_MAX = 256 * 1024 * 1024;

/** The heap of the renderer: a journal that takes more ends the renderer, and nothing else. */
export const RENDERER_HEAP_MB_MAX = 512;

/** How often a journal may be in work when the renderer dies; then its call's record is made without what was asked for. */
export const RENDERER_TRIES_MAX = 5;

/** A renderer that was silent for so long is killed and replaced. It has a low priority, so a busy machine makes it wait. */
export const RENDERER_STALL_MS_MAX = 30_000;

/** Bounds of one transaction of the control process: SQLite has one write lock, for which redemptions wait. */

/** Rows that one transaction writes or deletes of what a user can make large: transcripts, names of requests. */
export const TRANSACTION_ROWS_MAX = 100;

/** Bytes of texts that go with them; one longer text is a transaction of its own. */
export const TRANSACTION_TEXT_BYTES_MAX = 64 * 1024;

/** After each of several such transactions its writer rests for so many times as long as it took, so that others find the lock free. */
export const TRANSACTION_REST_FACTOR = 4;
export const TRANSACTION_REST_MS_MIN = 1;

/** A disk that stalls for a moment does not stretch what is written by more than this for each transaction. */
export const TRANSACTION_REST_MS_MAX = 250;
