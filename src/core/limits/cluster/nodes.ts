// Nodes that share one database.

/** So long a node's calls are its own after each of its heartbeats; then other nodes may take them. */
export const NODE_LEASE_MS = 5_000;

/** How often a node renews its lease, looks for nodes whose leases have ended, and reads the rows of all nodes. */
export const NODE_HEARTBEAT_MS = 1_000;

/**
 * A node with less of its lease left has missed two heartbeats. It gets no new calls while others have room: a node that died looks
 * less loaded with every second, for its row stands still.
 */
export const NODE_LEASE_MS_TRUSTED = 2_500;

/**
 * So many leases a node takes over at once. Each is one transaction; the others' are taken by other nodes, or at the next heartbeat.
 */
export const NODES_TAKEN_MAX = 8;

/**
 * How long a start waits for the lease of another node with its name: that is an earlier start of it on a disk that is gone, or a
 * second node that was given the same name by mistake. Within this time a node must also take calls of a newer version with that name.
 */
export const NODE_NAME_WAIT_MS_MAX = 2 * NODE_LEASE_MS;

/** So long other nodes may place calls on a node that drains: until it has said so and they have read it, with time for a slow database. */
export const NODE_CLOSING_MS = 3 * NODE_HEARTBEAT_MS;

/** How often a node compares the slots of its telephone calls with the store, because other nodes may have handled their ends. */
export const NODE_SLOTS_COMPARED_MS = 30_000;

/** A transaction that waits for its process for so long is ended by the server, so that a process that stands still locks no rows. */
export const NODE_TRANSACTION_IDLE_MS_MAX = 3_000;

/** How long a node whose calls were taken waits for its workers to end them, and how often it looks. */
export const GIVING_WAY_ENDS_MS_MAX = 1_000;
export const GIVING_WAY_POLL_MS = 50;

/** The longest time in which a node whose calls were taken ends them and ships their journals, before its control process starts again. */
export const GIVING_WAY_MS_MAX = 5_000;
