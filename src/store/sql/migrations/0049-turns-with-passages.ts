import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** The turns that were given passages are found by account, the latest first: most turns were given none. */
export async function addTurnsWithPassages({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createIndex("turns_with_passages")
    .on("turns")
    .columns(["account_id", "call_id", "position"])
    .where(sql.ref("retrieval"), "is not", null)
    .execute();
}
