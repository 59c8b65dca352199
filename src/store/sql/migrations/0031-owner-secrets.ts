import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** The hashes of owner links, and of the pages that they have opened. */
export async function addOwnerSecrets({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("owner_secrets")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("expires_at", types.epochMs, (column) => column.notNull())
    .execute();
  await schema.createIndex("owner_secrets_by_account").on("owner_secrets").columns(["account_id", "kind"]).execute();
}
