/** Bounds of the log. */

/** Lines that wait in one process for a reader of standard output that is slow; past it new lines are dropped and counted. */
export const LOG_PENDING_BYTES_MAX = 1024 * 1024;
/** How often standard output is tried again while lines wait. */
export const LOG_RETRY_MS = 50;
/** How long a process that exits waits for a reader to take its last lines; what is left then is lost. */
export const LOG_EXIT_MS_MAX = 250;
