// Traces: src/record/traces/.

/** Spans under one turn. Of a turn with more, the later ones are left out; of dropped replies the earlier ones. */
export const SPANS_PER_TURN_MAX = 128;

/** Spans that wait to be exported. While so many wait, further ones are dropped and counted. */
export const SPANS_WAITING_MAX = 20_000;

/** Spans in one request to the collector, and how long spans are collected for it. */
export const SPANS_PER_REQUEST_MAX = 512;
export const SPANS_COLLECTED_MS = 2_000;

/** The longest that one request to the collector takes, with its retries. */
export const SPANS_REQUEST_MS_MAX = 10_000;

/** At shutdown, the longest that is waited for the collector: a part of DRAIN_RECORDS_MS. */
export const SPANS_FLUSH_MS_MAX = 500;

/**
 * How often the journals of live calls are read for spans that are complete. A call that ends before it has
 * been live at two of these times is exported at its end.
 */
export const LIVE_TRACES_MS = 300_000;

/** Journals of live calls that the renderer remembers how far it has read; others are read again from their beginning. */
export const LIVE_TRACE_READERS_MAX = 10_000;

/** Variables of OpenTelemetry that hold lists: the longest, in characters, and the most entries. */
export const TRACE_LIST_CHARS_MAX = 8_192;
export const TRACE_LIST_ENTRIES_MAX = 128;
