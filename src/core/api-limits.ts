/** Bounds of what the control process serves over HTTP: its connections and its large answers; those of requests stand in `limits.ts`. */

// Connections.
/** To the API, where the system allows more: each holds some 20 KiB. Past it the oldest idle one is closed. */
export const API_CONNECTIONS_MAX = 4_096;
/** To the metrics port: a few scrapers and probes. Past it the oldest idle one is closed. */
export const METRICS_CONNECTIONS_MAX = 64;
/** Of those, one in so many is kept free: a connection that is closed for another one holds its descriptor a moment longer. */
export const CONNECTIONS_HEADROOM_DIVISOR = 8;
/** How long an idle connection is kept. Longer than load balancers keep theirs, 60 s as a rule, so that they close first. */
export const KEEP_ALIVE_MS = 72_000;
/** The same while more than half of the connections are taken. */
export const KEEP_ALIVE_SCARCE_MS = 1_000;
/** An answer that is read more slowly than this may be closed where a new connection finds no idle one to take the place of. */
export const UNREAD_MS_MIN = 1_000;
