import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Webhooks, their events and deliveries, and the keys that seal secrets. */
export async function addWebhooks(db: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("sealing_keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .execute();
  await schema
    .createTable("webhooks")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("event_types", "text", (column) => column.notNull())
    .addColumn("disabled_reason", "text")
    .addColumn("failing_since", types.epochMs)
    .addColumn("deleted_at", types.epochMs)
    .addColumn("is_full", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("previous_secret", "text")
    .addColumn("previous_secret_until", types.epochMs)
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("updated_at", types.epochMs, (column) => column.notNull())
    .execute();
  await schema.createIndex("webhooks_by_account").on("webhooks").columns(["account_id", "id"]).execute();
  await schema
    .createIndex("webhooks_deleted")
    .on("webhooks")
    .columns(["deleted_at"])
    .where("deleted_at", "is not", null)
    .execute();
  await schema
    .createTable("webhook_events")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("call_id", "text")
    .addColumn("fact", "text", (column) => column.notNull().unique())
    .addColumn("data", "text")
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .execute();
  await schema.createIndex("webhook_events_by_call").on("webhook_events").columns(["call_id"]).execute();
  await schema.createIndex("webhook_events_by_age").on("webhook_events").columns(["created_at"]).execute();
  await schema
    .createTable("webhook_deliveries")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("webhook_id", "text", (column) => column.notNull().references("webhooks.id"))
    .addColumn("event_id", "text", (column) => column.notNull().references("webhook_events.id"))
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("answer", "text")
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("last_attempt_at", types.epochMs)
    .addColumn("next_attempt_at", types.epochMs)
    .execute();
  await schema
    .createIndex("webhook_deliveries_by_webhook")
    .on("webhook_deliveries")
    .columns(["webhook_id", "id", "status"])
    .execute();
  await schema.createIndex("webhook_deliveries_by_event").on("webhook_deliveries").columns(["event_id"]).execute();
  await schema
    .createIndex("webhook_deliveries_by_age")
    .on("webhook_deliveries")
    .columns(["status", "created_at"])
    .execute();
}
