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
