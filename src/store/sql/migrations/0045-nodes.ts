import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Nodes that share a database; which of them holds a call, and which one does a job that needs the files of its disk. */
export async function addNodes({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("nodes")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("installation", "text", (column) => column.notNull())
    .addColumn("incarnation", "bigint", (column) => column.notNull())
    .addColumn("media_url", "text")
    .addColumn("webrtc_url", "text")
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("ipc_version", "integer", (column) => column.notNull())
    .addColumn("journal_version", "integer", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("call_slots", "integer", (column) => column.notNull())
    .addColumn("calls", "integer", (column) => column.notNull())
    .addColumn("webrtc_slots", "integer", (column) => column.notNull())
    .addColumn("webrtc_calls", "integer", (column) => column.notNull())
    .addColumn("started_at", types.epochMs, (column) => column.notNull())
    .addColumn("lease_until", types.epochMs, (column) => column.notNull())
    .addColumn("renewed_since", types.epochMs, (column) => column.notNull())
    .addColumn("taken_by", "text")
    .execute();
  await schema.alterTable("calls").addColumn("node", "text").execute();
  await schema.alterTable("calls").addColumn("node_incarnation", "bigint").execute();
  await schema.alterTable("jobs").addColumn("node", "text").execute();
  await schema
    .createTable("call_counts")
    .addColumn("owner", "text", (column) => column.primaryKey())
    .addColumn("counted", "bigint", (column) => column.notNull())
    .execute();
  // The calls that count for the limits of an account.
  await schema
    .createIndex("calls_live_by_account")
    .on("calls")
    .columns(["account_id", "status"])
    .where(sql.ref("ended_at"), "is", null)
    .execute();
}
