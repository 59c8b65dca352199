import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import { addMs, type EpochMs, latest } from "../../../core/clocks.ts";
import type { AccountId, CarrierId } from "../../../core/ids.ts";
import { UNKNOWN_CALL_MS } from "../../../core/limits/phone/phone-calls.ts";
import type { UnsettledCalls } from "../../telephony/carrier-store.ts";
import type { NewPhoneCall } from "../../telephony/phone-call-store.ts";
import type { Tables } from "../tables.ts";

// Calls of which the carrier may have to be asked for something other than the price. The previous version of the service ends calls
// without `is_over`; they wait for no time then, and count as over.

/** So many of them are named. */
const UNSETTLED_NAMED_MAX = 5;

/** In these words of their index: a parameter in the place of the 0 would not find it. */
const isOpen = (calls: ExpressionBuilder<Tables, "phone_calls">) =>
  calls.and([calls("is_over", "=", sql.lit(0)), calls("due_at", "is not", null)]);

/** Whether the carrier has such calls, whatever their records say. */
export async function hasOpenCalls(db: Kysely<Tables>, carrierId: CarrierId): Promise<boolean> {
  const call = await db
    .selectFrom("phone_calls")
    .select("carrier_id")
    .where("carrier_id", "=", carrierId)
    .where((calls) => isOpen(calls))
    .limit(1)
    .executeTakeFirst();
  return call !== undefined;
}

/** Calls of the carrier that ended `unknown` a short time ago; undefined where there is none. */
export async function unsettledCalls(
  db: Kysely<Tables>,
  accountId: AccountId,
  carrierId: CarrierId,
  nowMs: EpochMs,
): Promise<UnsettledCalls | undefined> {
  const calls = await db
    .selectFrom("calls")
    .select(["id", "ended_at"])
    .where("account_id", "=", accountId)
    .where("end_reason", "=", "unknown")
    .where("carrier_id", "=", carrierId)
    .where("ended_at", ">", addMs(nowMs, -UNKNOWN_CALL_MS))
    .orderBy("id", "desc")
    .limit(UNSETTLED_NAMED_MAX)
    .execute();
  const ends = calls.flatMap(({ ended_at: endedAtMs }) => (endedAtMs === null ? [] : [endedAtMs]));
  const [first, ...others] = ends;
  if (first === undefined) return undefined;
  return { callIds: calls.map(({ id }) => id), untilMs: addMs(latest(first, ...others), UNKNOWN_CALL_MS) };
}

/** Whose outbound calls that wait for a slot are as many as may wait. */
export async function fullOf(
  db: Kysely<Tables>,
  { accountId, carrierId, waitingMax }: Pick<NewPhoneCall, "accountId" | "carrierId" | "waitingMax">,
): Promise<"carrier" | "account" | undefined> {
  if (waitingMax === undefined) return undefined;
  const waiting = await db
    .selectFrom("phone_calls")
    .select("carrier_id")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("carrier_id", "in", db.selectFrom("carriers").select("id").where("account_id", "=", accountId))
    .where("holds_slot", "=", 0)
    .where((calls) => isOpen(calls))
    .groupBy("carrier_id")
    .execute();
  const ofCarrier = waiting.find(({ carrier_id: id }) => id === carrierId)?.count ?? 0;
  if (Number(ofCarrier) >= waitingMax.carrier) return "carrier";
  const ofAccount = waiting.reduce((sum, { count }) => sum + Number(count), 0);
  return ofAccount >= waitingMax.account ? "account" : undefined;
}
