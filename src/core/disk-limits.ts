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
