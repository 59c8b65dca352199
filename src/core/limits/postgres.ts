// Connections to Postgres and their queries.

/** Connections of the control process. A transaction holds one; more requests wait for one. */
export const POSTGRES_CONNECTIONS_MAX = 10;

/** Connections of the handoff thread, so that redemptions do not wait for other queries. */
export const POSTGRES_REDEMPTION_CONNECTIONS_MAX = 4;

/** How long a request waits for a free or a new connection. */
export const POSTGRES_CONNECT_MS_MAX = 5_000;

/** How long a query may take, and wait for a lock; its connection is then closed. A migration has no such limit. */
export const POSTGRES_QUERY_MS_MAX = 5_000;

/** A transaction that conflicts with another is run again, at most this often, after a random pause up to the bound. */
export const POSTGRES_TRIES_MAX = 10;
export const POSTGRES_RETRY_MS_MAX = 20;

/** How often the control process asks Postgres whether it is there, and how long the answer may take. */
export const POSTGRES_POLL_MS = 1_000;
export const POSTGRES_POLL_MS_MAX = 3_000;
