import type { Kysely, Selectable } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { Clock } from "../../../core/clock.ts";
import type { HolderOf } from "../../cluster/node-store.ts";
import type { PhoneCallEventRow, StoredPhoneCall } from "../../telephony/phone-call-store.ts";
import { phoneFactsOf } from "../calls/rows.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlJobs } from "../job-queue/jobs.ts";
import type { Tables } from "../tables.ts";
import type { SqlEvents } from "../webhooks/events.ts";

/** What the writes of telephone calls use. */
export interface PhoneCallsContext {
  database: SqlDatabase;
  clock: Clock;
  age: AgeClock;
  jobs: SqlJobs;
  events: SqlEvents;
  holderOf: HolderOf;
}

/** A call and its account. */
export type Owned = Pick<Selectable<Tables["calls"]>, "id" | "account_id">;

/** Of a call without a stream. */
export const WITHOUT_STREAM = ["queued", "ringing"] as const;

/** Telephone calls with their records. */
export const selectCalls = (db: Kysely<Tables>) =>
  db
    .selectFrom("phone_calls as phone")
    .innerJoin("calls", "calls.id", "phone.call_id")
    .select([
      "phone.call_id",
      "phone.account_id",
      "phone.carrier_id as phone_carrier_id",
      "phone.carrier_call_id",
      "phone.state",
      "phone.event_count",
      "phone.due_at",
      "calls.status",
      "calls.end_reason",
      "calls.worker_id",
      "calls.api_key_id",
      "calls.direction",
      "calls.from_number",
      "calls.to_number",
      "calls.carrier_id",
      "calls.phone_number_id",
      "calls.carrier_code",
      "calls.phone_headers",
    ]);

export type PhoneCallRow = NonNullable<Awaited<ReturnType<ReturnType<typeof selectCalls>["executeTakeFirst"]>>>;

export function storedOf(row: PhoneCallRow): StoredPhoneCall {
  const facts = phoneFactsOf(row);
  if (facts === undefined) throw new Error(`${row.call_id} has a telephone side and no direction`);
  return {
    callId: row.call_id,
    accountId: row.account_id,
    facts,
    carrierId: row.phone_carrier_id,
    ...(row.api_key_id !== null && { apiKeyId: row.api_key_id }),
    ...(row.phone_number_id !== null && { phoneNumberId: row.phone_number_id }),
    ...(row.carrier_call_id !== null && { carrierCallId: JSON.parse(row.carrier_call_id) }),
    state: JSON.parse(row.state),
    eventCount: row.event_count,
    ...(row.due_at !== null && { dueAtMs: row.due_at }),
    ...(row.status === "active" && row.worker_id !== null && { workerId: row.worker_id }),
  };
}

export const eventRow = (
  { id, account_id }: Owned,
  position: number,
  { atMs, event, commands }: PhoneCallEventRow,
) => ({
  call_id: id,
  account_id,
  position,
  at: atMs,
  event: JSON.stringify(event),
  commands: JSON.stringify(commands),
});

export const textColumn = (text: string | undefined): string | null =>
  text === undefined ? null : JSON.stringify(text);
