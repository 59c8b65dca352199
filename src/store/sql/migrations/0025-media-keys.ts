import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** The sealed keys of encrypted journals and recordings. */
export async function addMediaKeys(db: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("media_keys")
    .addColumn("call_id", "text", (column) => column.primaryKey().references("calls.id"))
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("sealed_key", "text", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .execute();
}
