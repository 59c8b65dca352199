/** Bounds of what a process may have open. */

/**
 * Descriptors without which the service does not start. Node opens the files of many modules at once while it loads them: with 256 a
 * process fails in the middle of that. With so many a worker has room for 192 calls.
 */
export const DESCRIPTORS_MIN = 512;
