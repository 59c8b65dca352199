import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** The events that accounts read as a stream. */
export async function addStreamEvents({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("event_streams")
    .addColumn("account_id", "text", (column) => column.primaryKey().references("accounts.id"))
    .addColumn("kept_until", types.epochMs, (column) => column.notNull())
    .addColumn("last_sequence", "bigint", (column) => column.notNull())
    .addColumn("lost_through", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("stream_events")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("call_id", "text")
    .addColumn("data", "text")
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("sequence", "bigint")
    .execute();
  await schema
    .createIndex("stream_events_by_sequence")
    .on("stream_events")
    .columns(["account_id", "sequence"])
    .execute();
  await schema
    .createIndex("stream_events_unnumbered")
    .on("stream_events")
    .column("created_at")
    .where(sql.ref("sequence"), "is", null)
    .execute();
  await schema.createIndex("stream_events_by_age").on("stream_events").column("created_at").execute();
  await schema
    .createIndex("stream_events_by_call")
    .on("stream_events")
    .column("call_id")
    .where(sql.ref("call_id"), "is not", null)
    .execute();
}
