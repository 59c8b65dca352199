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
