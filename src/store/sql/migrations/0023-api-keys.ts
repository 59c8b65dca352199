import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Scopes, expiry, last use and rotation of API keys, and the audit log. */
export async function addApiKeyScopes({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  for (const [name, type] of [
    ["scopes", "text"],
    ["expires_at", types.epochMs],
    ["last_used_at", types.epochMs],
    ["previous_hash", "text"],
    ["previous_prefix", "text"],
    ["previous_until", types.epochMs],
    ["updated_at", types.epochMs],
  ] as const) {
    await schema.alterTable("api_keys").addColumn(name, type).execute();
  }
  // The index of the current prefixes exists since the first version.
  await schema.createIndex("api_keys_by_previous_prefix").on("api_keys").column("previous_prefix").execute();
  await schema.createIndex("api_keys_by_account").on("api_keys").columns(["account_id", "id"]).execute();
  await schema
    .createTable("audit_events")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("actor_kind", "text", (column) => column.notNull())
    .addColumn("actor_id", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("target_kind", "text", (column) => column.notNull())
    .addColumn("target_id", "text", (column) => column.notNull())
    .addColumn("details", "text", (column) => column.notNull())
    .addColumn("request_id", "text")
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .execute();
  await schema.createIndex("audit_events_by_account").on("audit_events").columns(["account_id", "id"]).execute();
  await schema
    .createIndex("audit_events_by_target")
    .on("audit_events")
    .columns(["account_id", "target_id", "id"])
    .execute();
}
