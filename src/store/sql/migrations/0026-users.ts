import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** People, and the hashes of their sessions, browsers and one-time links. */
export async function addUsers({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("users")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("password_hash", "text")
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("updated_at", types.epochMs, (column) => column.notNull())
    .addColumn("last_sign_in_at", types.epochMs)
    .execute();
  await schema.createIndex("users_by_account").on("users").columns(["account_id", "id"]).execute();
  await schema.createIndex("users_by_email").on("users").columns(["email", "account_id"]).unique().execute();
  await schema
    .createTable("user_secrets")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("expires_at", types.epochMs, (column) => column.notNull())
    .execute();
  await schema.createIndex("user_secrets_by_user").on("user_secrets").columns(["user_id", "kind"]).execute();
}
