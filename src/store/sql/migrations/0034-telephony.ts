import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Carriers, telephone numbers, and the telephone side of calls. */
export async function addTelephony(db: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await addCarriers(db, types);
  await addPhoneNumbers(db, types);
  await addCallColumns(db);
  await addPhoneCalls(db, types);
}

async function addCarriers({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("carriers")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("carrier", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("public_credentials", "text", (column) => column.notNull())
    .addColumn("sealed_credentials", "text", (column) => column.notNull())
    .addColumn("webhook_key", "text", (column) => column.notNull().unique())
    .addColumn("max_concurrent_calls", "integer")
    .addColumn("calls_per_second", "integer", (column) => column.notNull())
    .addColumn("allowed_countries", "text")
    .addColumn("allowed_numbers", "text")
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("updated_at", types.epochMs, (column) => column.notNull())
    .addColumn("verified_at", types.epochMs, (column) => column.notNull())
    .execute();
  await schema.createIndex("carriers_by_account").on("carriers").columns(["account_id", "id"]).execute();
}

async function addPhoneNumbers({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("phone_numbers")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("number", "text", (column) => column.notNull())
    .addColumn("carrier_id", "text", (column) => column.notNull().references("carriers.id"))
    .addColumn("carrier_number_id", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("agent_id", "text", (column) => column.references("agents.id"))
    .addColumn("inbound_webhook_url", "text")
    .addColumn("inbound_webhook_secret", "text")
    .addColumn("max_concurrent_calls", "integer")
    .addColumn("refusal_text", "text")
    .addColumn("is_attached", "integer", (column) => column.notNull())
    .addColumn("routing_before", "text")
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("updated_at", types.epochMs, (column) => column.notNull())
    .execute();
  const index = (name: string) => schema.createIndex(name).on("phone_numbers");
  await index("phone_numbers_by_number").unique().columns(["account_id", "number"]).execute();
  await index("phone_numbers_by_account").columns(["account_id", "id"]).execute();
  await index("phone_numbers_by_carrier").columns(["carrier_id", "number"]).execute();
}

async function addCallColumns({ schema }: Kysely<Tables>): Promise<void> {
  for (const column of [
    "direction",
    "from_number",
    "to_number",
    "carrier_id",
    "phone_number_id",
    "carrier_code",
    "carrier_price",
    "phone_headers",
  ]) {
    await schema.alterTable("calls").addColumn(column, "text").execute();
  }
  // Any combination of filters without metadata is decided by this index alone.
  await schema
    .createIndex("calls_by_all_filters")
    .on("calls")
    .columns([
      "account_id",
      "id",
      "status",
      "created_at",
      "connection_type",
      "end_reason",
      "agent_id",
      "carrier_call_id",
      "direction",
      "from_number",
      "to_number",
    ])
    .execute();
  await schema.dropIndex("calls_by_filters").execute();
  // Many calls are none of the telephone.
  for (const column of ["direction", "from_number", "to_number"] as const) {
    await schema
      .createIndex(`calls_by_${column}_and_id`)
      .on("calls")
      .columns(["account_id", column, "id"])
      .where(column, "is not", null)
      .execute();
  }
  for (const column of ["carrier_id", "phone_number_id"] as const) {
    await schema
      .createIndex(`calls_live_by_${column}`)
      .on("calls")
      .column(column)
      .where(sql.ref(column), "is not", null)
      .where(sql.ref("ended_at"), "is", null)
      .execute();
  }
}

async function addPhoneCalls({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("phone_calls")
    .addColumn("call_id", "text", (column) => column.primaryKey().references("calls.id"))
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("carrier_id", "text", (column) => column.notNull())
    .addColumn("carrier_call_id", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("event_count", "integer", (column) => column.notNull())
    .addColumn("due_at", types.epochMs)
    .addColumn("holds_slot", "integer", (column) => column.notNull())
    .addColumn("token_hash", "text")
    .addColumn("sealed_token", "text")
    .execute();
  await schema
    .createIndex("phone_calls_by_carrier_call")
    .unique()
    .on("phone_calls")
    .columns(["carrier_id", "carrier_call_id"])
    .execute();
  await schema
    .createIndex("phone_calls_by_due")
    .on("phone_calls")
    .columns(["due_at", "call_id"])
    .where("due_at", "is not", null)
    .execute();
  await schema
    .createTable("phone_call_events")
    .addColumn("call_id", "text", (column) => column.notNull().references("calls.id"))
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("at", types.epochMs, (column) => column.notNull())
    .addColumn("event", "text", (column) => column.notNull())
    .addColumn("commands", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("phone_call_events_by_call", ["call_id", "position"])
    .execute();
}
