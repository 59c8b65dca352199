// Providers: what may fail of them before the call does, whose own deadlines (`modelSilenceMs`, `voiceSilenceMs`) are longer.
/** Failures in a row after which a provider is left alone, and how often it is tried then, by one stream at a time. */
export const CIRCUIT_BREAKER_FAILURES_MAX = 3;
export const CIRCUIT_BREAKER_PROBE_MS = 2_000;

/** Streams of one provider that an operator may allow at once. */
export const PROVIDER_STREAMS_MAX = 100_000;

/** How often one provider is asked the same within one answer, and when again if it refused and did not say when. */
export const PROVIDER_ATTEMPTS_MAX = 2;
export const PROVIDER_RETRY_MS = 250;

/** A connection to a provider is kept for so long though nobody asks anything: longer than most servers keep theirs. */
export const PROVIDER_CONNECTION_IDLE_MS = 120_000;

/** A provider that closes a WebSocket and keeps its connection is hung up on after this. */
export const PROVIDER_CLOSE_MS_MAX = 500;

/** All of them together, and the only one. */
export const PROVIDER_FIRST_OUTPUT_MS_MAX = 7_500;
