import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Saved tools and their runs. */
export async function addTools({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("tools")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("updated_at", types.epochMs, (column) => column.notNull())
    .addColumn("definition", "text", (column) => column.notNull())
    .addColumn("listing", "text")
    .execute();
  await schema.createIndex("tools_by_account").on("tools").columns(["account_id", "id"]).execute();
  await schema
    .createTable("tool_runs")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("tool_id", "text", (column) => column.notNull())
    .addColumn("call_id", "text")
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("started_at", types.epochMs, (column) => column.notNull())
    .addColumn("duration_ms", types.durationMs)
    .addColumn("failed", "integer")
    .addColumn("words", "text")
    .execute();
  await schema.createIndex("tool_runs_by_tool").on("tool_runs").columns(["tool_id", "id"]).execute();
  await schema
    .createIndex("tool_runs_by_call")
    .on("tool_runs")
    .column("call_id")
    .where(sql.ref("call_id"), "is not", null)
    .execute();
  await schema
    .createIndex("tool_runs_of_tests")
    .on("tool_runs")
    .column("started_at")
    .where(sql.ref("call_id"), "is", null)
    .execute();
}
