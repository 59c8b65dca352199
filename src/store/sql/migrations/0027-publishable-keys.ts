import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Publishable keys, and what limits the calls that web pages start with them. */
export async function addPublishableKeys({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("publishable_keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull().unique())
    .addColumn("agent_ids", "text", (column) => column.notNull())
    .addColumn("origins", "text", (column) => column.notNull())
    .addColumn("limits", "text", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("updated_at", types.epochMs, (column) => column.notNull())
    .addColumn("revoked_at", types.epochMs)
    .execute();
  await schema
    .createIndex("publishable_keys_by_account")
    .on("publishable_keys")
    .columns(["account_id", "id"])
    .execute();
  await schema
    .createTable("publishable_key_origins")
    .addColumn("publishable_key_id", "text", (column) => column.notNull().references("publishable_keys.id"))
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("origin", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("publishable_key_origins_by_origin", ["origin", "publishable_key_id"])
    .execute();
  await schema
    .createIndex("publishable_key_origins_by_key")
    .on("publishable_key_origins")
    .column("publishable_key_id")
    .execute();
  await schema
    .createTable("web_calls")
    // Without a reference: a version that runs beside and does not know this table deletes calls.
    .addColumn("call_id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("publishable_key_id", "text", (column) => column.notNull().references("publishable_keys.id"))
    .addColumn("address_hash", "text", (column) => column.notNull())
    .addColumn("day", "text", (column) => column.notNull())
    .addColumn("reserved_cost", types.durationMs, (column) => column.notNull())
    .execute();
  await schema.createIndex("web_calls_by_key").on("web_calls").column("publishable_key_id").execute();
  await schema
    .createTable("web_call_costs")
    .addColumn("publishable_key_id", "text", (column) => column.notNull().references("publishable_keys.id"))
    .addColumn("day", "text", (column) => column.notNull())
    .addColumn("address_hash", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("cost", types.durationMs, (column) => column.notNull())
    .addPrimaryKeyConstraint("web_call_costs_by_day", ["publishable_key_id", "day", "address_hash"])
    .execute();
  await schema.createIndex("web_call_costs_by_age").on("web_call_costs").column("day").execute();
}
