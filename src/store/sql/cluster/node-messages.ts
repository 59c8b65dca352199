import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { NodeMessageId, NodeName } from "../../../core/ids.ts";
import { NODE_MESSAGES_DELETED_MS } from "../../../core/limits/cluster/node-messages.ts";
import { TRANSACTION_ROWS_MAX } from "../../../core/limits/storage/storage.ts";
import type {
  NewNodeMessage,
  NodeMessage,
  NodeMessageStore,
  NodeMessagesWanted,
} from "../../cluster/node-message-store.ts";
import type { Tables } from "../tables.ts";

/** The channel of what is said to all nodes. Channels are of one database. */
export const ANNOUNCEMENTS_CHANNEL = "trunkline_nodes";

/** The channel of one node. Names of channels are at most 63 bytes long. */
export const channelOf = (node: NodeName): string =>
  `trunkline_node_${createHash("sha256").update(node).digest("hex").slice(0, 32)}`;

/** The clock of the database, ms since 1970: those of the nodes may differ. */
const NOW_MS = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** See `NodeMessageStore`. For Postgres: other databases have no notifications. */
export class SqlNodeMessages implements NodeMessageStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** In one statement, whose notification is sent with its commit. */
  async send({ id, from, to, kind, body, lastsMs, isRepeatable }: NewNodeMessage): Promise<void> {
    await sql`
      with sent as (
        insert into node_messages (id, from_node, to_node, kind, body, is_repeatable, expires_at)
        values (${id}, ${from}, ${to}, ${kind}, ${body}, ${Number(isRepeatable)}, ${NOW_MS} + ${lastsMs}::bigint)
        returning 1
      )
      select pg_notify(${channelOf(to)}, '') from sent`.execute(this.#db);
  }

  async take({ node, taker, except, limit }: NodeMessagesWanted): Promise<readonly NodeMessage[]> {
    // `is_repeatable` does not depend on the taker: two of one name, of which one is about to end, are no reason to do something twice.
    const { rows } = await sql<{ id: NodeMessageId; from_node: NodeName; kind: string; body: string }>`
      update node_messages set taken_by = ${taker}
      where id in (
        select id from node_messages
        where to_node = ${node} and answer is null and expires_at > ${NOW_MS}
          and (taken_by is null or taken_by = ${taker} or is_repeatable = 1)
          and not (id = any(${[...except]}))
        order by id limit ${limit} for update skip locked
      )
      returning id, from_node, kind, body`.execute(this.#db);
    return rows
      .map((row) => ({ id: row.id, from: row.from_node, to: node, kind: row.kind, body: row.body }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  async answer({ id, from }: Pick<NodeMessage, "id" | "from">, answer: string): Promise<void> {
    await sql`
      with answered as (
        update node_messages set answer = ${answer}, answered_at = ${NOW_MS} where id = ${id} returning 1
      )
      select pg_notify(${channelOf(from)}, '') from answered`.execute(this.#db);
  }

  async answers(ids: readonly NodeMessageId[]): Promise<readonly { id: NodeMessageId; answer: string }[]> {
    const { rows } = await sql<{ id: NodeMessageId; answer: string }>`
      select id, answer from node_messages where id = any(${[...ids]}) and answer is not null`.execute(this.#db);
    return rows;
  }

  async delete(ids: readonly NodeMessageId[]): Promise<void> {
    await sql`delete from node_messages where id = any(${[...ids]})`.execute(this.#db);
  }

  async deleteOld(): Promise<number> {
    const { rows } = await sql<{ id: NodeMessageId }>`
      delete from node_messages where id in (
        select id from node_messages where expires_at < ${NOW_MS} - ${NODE_MESSAGES_DELETED_MS}::bigint
        limit ${TRANSACTION_ROWS_MAX}
      )
      returning id`.execute(this.#db);
    return rows.length;
  }

  async announce(text: string): Promise<void> {
    await sql`select pg_notify(${ANNOUNCEMENTS_CHANNEL}, ${text})`.execute(this.#db);
  }
}
