import type { Kysely } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { AccountId, CallId } from "../../../core/ids.ts";
import type { CallRecord } from "../../calls/call-store.ts";
import type { Tables } from "../tables.ts";
import { currentRecordOf, hasValidToken, lastExpiry, RECORD_COLUMNS } from "./rows.ts";

/** See `CallStore.get`; in a transaction, or outside of one. */
export async function findRecord(
  db: Kysely<Tables>,
  accountId: AccountId,
  callId: CallId,
  age: AgeClock,
): Promise<CallRecord | undefined> {
  const row = await db
    .selectFrom("calls")
    .select(RECORD_COLUMNS)
    .select((calls) => [lastExpiry(calls).as("expires_at"), hasValidToken(calls, age).as("has_valid_token")])
    .where("id", "=", callId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row && currentRecordOf(row);
}
