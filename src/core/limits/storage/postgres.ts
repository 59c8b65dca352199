// Connections to Postgres and their queries.

/** Connections of the control process. A transaction holds one; more requests wait for one. */
export const POSTGRES_CONNECTIONS_MAX = 10;

/** Connections of the control process whose transactions do not wait for the disk: jobs and attempts at deliveries. */
export const POSTGRES_UNSYNCED_CONNECTIONS_MAX = 3;

/** Connections of the handoff thread, so that redemptions do not wait for other queries. */
export const POSTGRES_REDEMPTION_CONNECTIONS_MAX = 4;

/** Connections of a node for its lease and for taking over those of others. */
export const POSTGRES_LEASE_CONNECTIONS_MAX = 2;

/** How long a request waits for a free or a new connection. */
export const POSTGRES_CONNECT_MS_MAX = 5_000;

/**
 * A connection that is not used for so long is closed. A new one costs a login and a process of the server, some tens of ms, which a
 * request would wait for.
 */
export const POSTGRES_IDLE_MS_MAX = 300_000;

/** How long a connection is unused before TCP asks whether its other end is there. */
export const POSTGRES_KEEP_ALIVE_MS = 30_000;

/** How long a query may take, and wait for a lock; its connection is then closed. A migration has no such limit. */
export const POSTGRES_QUERY_MS_MAX = 5_000;

/**
 * A transaction that conflicts with another is run again, at most this often, after a random pause. Its bound begins at the
 * first of these, and doubles each time up to the second: of many that conflict with each other, a few then run at once.
 */
export const POSTGRES_TRIES_MAX = 20;
export const POSTGRES_RETRY_MS_FIRST = 10;
export const POSTGRES_RETRY_MS_MAX = 250;

/** How often of these because a key was taken: the next try sees who has it, unless that is a defect. */
export const POSTGRES_TAKEN_KEY_RETRIES_MAX = 3;

/** How often a process asks Postgres whether it is there, and for its time. */
export const POSTGRES_POLL_MS = 1_000;
