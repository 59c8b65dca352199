import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** The calls of each carrier that are due, and those that are not over: a call that is not waits for a time. */
export async function addPhoneCallsDue({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createIndex("phone_calls_by_carrier_and_due")
    .on("phone_calls")
    .columns(["carrier_id", "holds_slot", "due_at", "call_id"])
    .where(sql.ref("due_at"), "is not", null)
    .execute();
  await schema
    .createIndex("phone_calls_open_by_carrier")
    .on("phone_calls")
    .columns(["carrier_id", "holds_slot", "due_at"])
    .where(sql.ref("is_over"), "=", 0)
    .where(sql.ref("due_at"), "is not", null)
    .execute();
  await schema.dropIndex("phone_calls_not_over_by_carrier").execute();
}
