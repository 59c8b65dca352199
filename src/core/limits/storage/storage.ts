// The journal.
export const JOURNAL_FLUSH_MS = 250;

/** A journal with only frames pending, and no more bytes of them than this, is skipped by this many flushes. */
export const JOURNAL_FLUSHES_SKIPPED_MAX = 2;
export const JOURNAL_SKIPPED_FRAMES_BYTES_MAX = 4 * 1024;

/** Journal bytes of one call that wait for the disk; past it audio is dropped and the recording is `incomplete`. */
export const JOURNAL_PENDING_BYTES_MAX = 256 * 1024;

/** Past this, with only events pending, the disk counts as failed: the journal fails and its call continues without it. Also the largest record. */
export const JOURNAL_BACKLOG_BYTES_MAX = 2 * JOURNAL_PENDING_BYTES_MAX;

// The disk: free space and fsync.

/** The unit of DISK_FREE_MIN_MB. */
export const BYTES_PER_MB = 1_000_000;

/** The default of DISK_FREE_MIN_MB: below it new calls are refused. Live calls need this space until they end. */
export const DISK_FREE_MB_MIN_DEFAULT = 1_024;
export const DISK_FREE_MB_MIN_MAX = 100_000_000;

/** How often the free space is read. */
export const DISK_POLL_MS = 1_000;

/** New calls are accepted again above this multiple of the minimum, so that admission does not change with every file. */
export const DISK_FREE_AGAIN_FACTOR = 1.1;

/** How often the control process checks that the database file still exists; each write checks it, too. */
export const DATABASE_POLL_MS = 1_000;

/**
 * A replica of Postgres that becomes the primary may lack the commits of so long: what a process committed within this time it compares with
 * a server that is new. Of more calls than this it forgets the oldest.
 */
export const COMMITS_COMPARED_MS = 60_000;
export const COMMITS_COMPARED_MAX = 20_000;

/** How long a starting service waits for the data directory and the media port of a service whose supervisor has died. */
export const DATA_DIR_WAIT_MS_MAX = 3_000;
export const DATA_DIR_RETRY_MS = 25;

/** Concurrent fsyncs of journals of ended calls: they use two of the four file threads of Node. */
export const JOURNAL_SYNCS_MAX = 2;

/** Fsyncs that wait; further journals are written by the system without fsync. At 10 ms each the last one waits for 1.3 s. */
export const JOURNAL_SYNCS_WAITING_MAX = 256;

// Making records from journals, which the renderer does: see src/process/renderer.ts.

/** Calls that wait for their records; while there are more, new calls are refused. */
export const RECORDS_WAITING_MAX = 10_000;

/** Calls in progress at the renderer: each needs less than a minute of audio in memory, and three files. */
export const RECORDS_CONCURRENT_MAX = 8;

/** Recordings that are rendered at once; they take places of `RECORDS_CONCURRENT_MAX`. */
export const RECORDINGS_RENDERED_MAX = 4;

/** How long the replay of a journal may take, from its beginning; a call of two hours takes a few seconds. */
export const REPLAY_CHECK_MS_MAX = 30_000;

/** The length of a bucket of a stored waveform: a call of two hours has 1.4 MB of them. */
export const WAVEFORM_BUCKET_MS = 20;

/** The delay before a record that could not be made or stored is retried, until it succeeds. */
export const RECORD_RETRY_MS = 1_000;

/** Calls whose projected journals are cached while their records wait for a retry; others are read again then. */
export const PROJECTIONS_CACHED_MAX = 64;

/** Bytes of journals in progress; a longer journal is processed alone. */
export const RENDERER_JOURNAL_BYTES_MAX = 256 * 1024 * 1024;

/** The heap of the renderer. A journal that needs more ends only the renderer. */
export const RENDERER_HEAP_MB_MAX = 512;

/** How often the renderer may die while it processes a journal; then the call's record is made without the failed part. */
export const RENDERER_TRIES_MAX = 5;

/** Replays of calls and waveforms of earlier recordings that wait for the renderer; further ones are refused. */
export const RENDERER_ASIDE_WAITING_MAX = 8;

/** A renderer without heartbeats for this long is killed and replaced. It has a low priority, so it waits on a busy machine. */
export const RENDERER_STALL_MS_MAX = 30_000;

// Transactions of the control process. SQLite has one write lock, for which redemptions wait.

/** Rows per transaction of data whose size clients determine: transcripts, idempotency keys. */
export const TRANSACTION_ROWS_MAX = 100;

/** Bytes of text per transaction; a longer text gets its own transaction. */
export const TRANSACTION_TEXT_BYTES_MAX = 64 * 1024;

/** After each of several such transactions the writer pauses for this multiple of its duration, so that others get the lock. */
export const TRANSACTION_REST_FACTOR = 4;
export const TRANSACTION_REST_MS_MIN = 1;

/** The longest of these pauses, so that a short stall of the disk does not delay the following transactions for long. */
export const TRANSACTION_REST_MS_MAX = 250;

/** How often a thread writes the write-ahead log of SQLite back to the database. */
export const CHECKPOINT_MS = 500;

/** A log of so many pages of 4 KiB is written back by the commit that makes it longer: the thread has not kept up. */
export const WAL_PAGES_MAX = 16_000;
