import type { ExpressionBuilder, SelectQueryBuilder } from "kysely";
import type { NodeName } from "../../../core/ids.ts";
import type { NodeHolder } from "../../cluster/node-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";

/** The active calls that this process may end: those of its start, or in a service without a name those of no node. */
export const isHeld = (calls: ExpressionBuilder<Tables, "calls">, holder: NodeHolder | undefined) =>
  holder === undefined ? calls("node_incarnation", "is", null) : calls("node_incarnation", "=", holder.incarnation);

/**
 * The calls without a stream that are this node's matter: those that were placed on it, on none, or on a node that is gone. In a service
 * without a name all are.
 */
export const isOwnMatter = (
  calls: ExpressionBuilder<Tables, "calls">,
  holder: NodeHolder | undefined,
  database: Pick<SqlDatabase, "nowMs">,
) =>
  holder === undefined
    ? calls.lit(true)
    : calls.or([
        calls("calls.node", "is", null),
        calls("calls.node", "=", holder.name),
        calls.not(calls.exists(liveNodes(calls, database).whereRef("nodes.name", "=", "calls.node"))),
      ]);

/** The nodes that have a lease. */
export const liveNodes = <Table extends keyof Tables>(
  tables: ExpressionBuilder<Tables, Table>,
  { nowMs }: Pick<SqlDatabase, "nowMs">,
) =>
  (tables as unknown as ExpressionBuilder<Tables, "nodes">)
    .selectFrom("nodes")
    .select("nodes.name")
    .where("nodes.taken_by", "is", null)
    .where("nodes.lease_until", ">=", nowMs) as unknown as SelectQueryBuilder<
    Tables,
    "nodes" | Table,
    { name: NodeName }
  >;

/** Locks the rows that are read until the transaction ends, so that no other node takes these calls meanwhile. */
export const withHold = <O>(
  query: SelectQueryBuilder<Tables, "calls", O>,
  { locksRows }: Pick<SqlDatabase, "locksRows">,
): SelectQueryBuilder<Tables, "calls", O> => (locksRows ? query.forShare() : query);
