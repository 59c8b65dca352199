import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** The requests of the nodes of a cluster to each other. */
export async function addNodeMessages({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("node_messages")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("from_node", "text", (column) => column.notNull())
    .addColumn("to_node", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("is_repeatable", "integer", (column) => column.notNull())
    .addColumn("expires_at", types.epochMs, (column) => column.notNull())
    .addColumn("taken_by", "text")
    .addColumn("answer", "text")
    .addColumn("answered_at", types.epochMs)
    .execute();
  await schema.createIndex("node_messages_by_node").on("node_messages").columns(["to_node", "id"]).execute();
  await schema.createIndex("node_messages_by_age").on("node_messages").column("expires_at").execute();
}
