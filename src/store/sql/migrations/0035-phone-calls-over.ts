import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Which telephone calls are not over at their carriers, whose credentials they need until then. */
export async function addPhoneCallsOver({ schema }: Kysely<Tables>): Promise<void> {
  // Of calls before this migration the end of the record is what is known.
  await schema.alterTable("phone_calls").addColumn("is_over", "integer").execute();
  await schema
    .createIndex("phone_calls_not_over_by_carrier")
    .on("phone_calls")
    .columns(["carrier_id", "holds_slot"])
    .where(sql.ref("is_over"), "=", 0)
    .execute();
}
