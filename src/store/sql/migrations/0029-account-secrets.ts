import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Secrets that accounts bring along, sealed. */
export async function addAccountSecrets({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("account_secrets")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("sealed_secret", "text", (column) => column.notNull())
    .addColumn("last_characters", "text", (column) => column.notNull())
    .addColumn("hosts", "text")
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .execute();
  // Also finds all of an account.
  await schema
    .createIndex("account_secrets_by_name")
    .unique()
    .on("account_secrets")
    .columns(["account_id", "kind", "name"])
    .execute();
}
