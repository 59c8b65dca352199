import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** A row while an import is in progress, also after its process has died. */
export async function addUnfinishedImports({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("unfinished_imports")
    .addColumn("id", "text", (column) => column.primaryKey())
    .execute();
}
