import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Transcriptions of files and live streams, and the events of webhooks about them. */
export async function addTranscriptions(db: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await addRecords(db, types);
  await addPartsAndResults(db, types);
  await addRequests(db, types);
  for (const table of ["webhook_events", "stream_events"] as const) {
    await db.schema.alterTable(table).addColumn("transcription_id", "text").execute();
    await db.schema
      .createIndex(`${table}_by_transcription`)
      .on(table)
      .column("transcription_id")
      .where(sql.ref("transcription_id"), "is not", null)
      .execute();
  }
}

async function addRecords({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("transcriptions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("options", "text", (column) => column.notNull())
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("call_id", "text")
    .addColumn("url", "text")
    .addColumn("file_name", "text")
    .addColumn("deletes_audio", "integer", (column) => column.notNull())
    .addColumn("has_audio", "integer", (column) => column.notNull())
    .addColumn("has_result", "integer", (column) => column.notNull())
    .addColumn("done_ms", types.durationMs, (column) => column.notNull())
    .addColumn("duration_ms", types.durationMs)
    .addColumn("started_at", types.epochMs)
    .addColumn("ended_at", types.epochMs)
    .addColumn("failure", "text")
    .addColumn("usage", "text")
    .addColumn("result_deleted_at", types.epochMs)
    .execute();
  // Any combination of filters is decided by this index alone.
  await schema
    .createIndex("transcriptions_by_filters")
    .on("transcriptions")
    .columns(["account_id", "id", "status", "source", "call_id", "created_at"])
    .execute();
  await schema
    .createIndex("transcriptions_by_status")
    .on("transcriptions")
    .columns(["account_id", "status", "id"])
    .execute();
  await schema
    .createIndex("transcriptions_by_call")
    .on("transcriptions")
    .columns(["account_id", "call_id", "id"])
    .where(sql.ref("call_id"), "is not", null)
    .execute();
  const byEnd = (name: string) =>
    schema.createIndex(name).on("transcriptions").columns(["account_id", "ended_at", "id"]);
  await byEnd("transcriptions_by_end").execute();
  await byEnd("transcriptions_by_end_with_audio").where(sql.ref("has_audio"), "=", 1).execute();
  await byEnd("transcriptions_by_end_with_result").where(sql.ref("has_result"), "=", 1).execute();
}

async function addPartsAndResults({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("transcription_parts")
    .addColumn("transcription_id", "text", (column) => column.notNull().references("transcriptions.id"))
    .addColumn("channel", "integer", (column) => column.notNull())
    .addColumn("start_ms", types.durationMs, (column) => column.notNull())
    .addColumn("end_ms", types.durationMs, (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("requests", "integer", (column) => column.notNull())
    .addColumn("usage", "text")
    .addColumn("outcome", "text")
    .addPrimaryKeyConstraint("transcription_parts_by_place", ["transcription_id", "channel", "start_ms", "end_ms"])
    .execute();
  await schema
    .createTable("transcription_results")
    .addColumn("transcription_id", "text", (column) => column.notNull().references("transcriptions.id"))
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("text", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("transcription_results_by_position", ["transcription_id", "position"])
    .execute();
}

async function addRequests({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("transcription_requests")
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("key_hash", "text", (column) => column.notNull())
    .addColumn("transcription_id", "text", (column) => column.notNull().references("transcriptions.id"))
    .addColumn("fingerprint", "text", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("boot_id", "text", (column) => column.notNull())
    .addColumn("created_age_ms", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("transcription_requests_by_key", ["account_id", "key_hash"])
    .execute();
  const index = (name: string) => schema.createIndex(name).on("transcription_requests");
  await index("transcription_requests_by_transcription").column("transcription_id").execute();
  await index("transcription_requests_by_time").column("created_at").execute();
}
