import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Limits, retention, providers, voices and languages of accounts. */
export async function addAccountSettings({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema.alterTable("accounts").addColumn("updated_at", types.epochMs).execute();
  await schema.alterTable("accounts").addColumn("settings", "text").execute();
  await schema
    .alterTable("accounts")
    .addColumn("version", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
}
