import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Durable jobs. */
export async function addJobs({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("jobs")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.references("accounts.id"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("lane", "text", (column) => column.notNull())
    .addColumn("live_key", "text")
    .addColumn("payload", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("boot_id", "text", (column) => column.notNull())
    .addColumn("due_age_ms", "bigint", (column) => column.notNull())
    .addColumn("due_at", types.epochMs, (column) => column.notNull())
    .addColumn("deadline_at", types.epochMs)
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("losses", "integer", (column) => column.notNull())
    .addColumn("runner_id", "text")
    .addColumn("last_error", "text")
    .addColumn("progress", "text")
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("died_at", types.epochMs)
    .execute();
  await schema
    .createIndex("jobs_by_due")
    .on("jobs")
    .columns(["status", "boot_id", "due_age_ms", "lane", "kind"])
    .execute();
  await schema
    .createIndex("jobs_by_lane")
    .on("jobs")
    .columns(["status", "boot_id", "lane", "due_age_ms", "kind"])
    .execute();
  await schema.createIndex("jobs_by_kind").on("jobs").columns(["kind", "status", "id"]).execute();
  // Most jobs have no key.
  await schema
    .createIndex("jobs_by_live_key")
    .on("jobs")
    .column("live_key")
    .unique()
    .where(sql.ref("live_key"), "is not", null)
    .execute();
}
