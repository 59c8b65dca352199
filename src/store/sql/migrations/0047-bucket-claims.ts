import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The id by which the bucket knows its database. */
export async function addBucketClaims({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("bucket_claims")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("database_id", "text", (column) => column.notNull())
    .addColumn("is_confirmed", "integer", (column) => column.notNull())
    .execute();
}
