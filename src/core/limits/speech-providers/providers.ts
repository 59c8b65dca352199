// Providers. Their deadlines are shorter than those of the call itself (`llmSilenceMs`, `ttsSilenceMs`).
/** Consecutive failures that open the circuit breaker of a provider, and how often one probe runs while it is open. */
export const CIRCUIT_BREAKER_FAILURES_MAX = 3;
export const CIRCUIT_BREAKER_PROBE_MS = 2_000;

/** The most streams of one provider that an operator may allow at once. */
export const PROVIDER_STREAMS_MAX = 100_000;

/** How often one request is sent to one provider within a reply, and the delay of a retry unless the refusal names one. */
export const PROVIDER_ATTEMPTS_MAX = 2;
export const PROVIDER_RETRY_MS = 250;

/** How long an idle connection to a provider is kept open: longer than most servers keep theirs. */
export const PROVIDER_CONNECTION_IDLE_MS = 120_000;

/** A provider that closes a WebSocket but keeps the TCP connection open is disconnected after this. */
export const PROVIDER_CLOSE_MS_MAX = 500;

/** All attempts together, and the timeout of a single attempt without retries. */
export const PROVIDER_FIRST_OUTPUT_MS_MAX = 7_500;
