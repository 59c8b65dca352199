import type { ExpressionBuilder, Kysely, Transaction } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { CallCost } from "../../../core/billing/prices.ts";
import type { CallSpec } from "../../../core/calls/spec.ts";
import { isoTime } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { CallId, PublishableKeyId } from "../../../core/ids.ts";
import { MAX_COST_MIN } from "../../../core/limits/accounts/spend.ts";
import type { NewCall, WebCallRefusal, WebCallStart } from "../../calls/call-store.ts";
import { limitsOf } from "../accounts/publishable-keys.ts";
import type { Tables } from "../tables.ts";
import { hasValidToken } from "./rows.ts";

/** The `address_hash` of the cost of all addresses together. */
const ALL_ADDRESSES = "";

/** The day of a time in UTC, as in `2026-11-21`. */
export const dayOf = (atMs: EpochMs): string => isoTime(atMs).slice(0, 10);

/** A call of a publishable key that is admitted: what it may cost, and what is reserved of the day's limit for it. */
interface AdmittedWebCall {
  spec: CallSpec;
  reservedCost: number;
}

/**
 * Whether a publishable key may start this call now, by the limits that are stored. Runs in the transaction that stores
 * the call, and locks the publishable key, so that no other start counts the same calls. The call may cost what is left of
 * the day's limits; what the agent's own `maxCost` leaves to a call is reserved while that is live.
 */
export async function admitWebCall(
  tx: Transaction<Tables>,
  { spec, web }: { spec: CallSpec; web: WebCallStart },
  { age, nowMs, locksRows }: { age: AgeClock; nowMs: EpochMs; locksRows: boolean },
): Promise<AdmittedWebCall | WebCallRefusal> {
  const { publishableKeyId, addressHash } = web;
  const key = await tx
    .selectFrom("publishable_keys")
    .select("limits")
    .where("id", "=", publishableKeyId)
    .where("revoked_at", "is", null)
    .$if(locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  if (key === undefined) return "revoked";
  const limits = limitsOf(key);
  // Before the costs: a call that ends meanwhile is counted twice, and not left out.
  const live = await liveCalls(tx, publishableKeyId, age);
  const fromAddress = live.filter((call) => call.address_hash === addressHash);
  if (live.length >= limits.concurrentCalls) return "concurrent_calls";
  if (fromAddress.length >= limits.concurrentCallsPerAddress) return "concurrent_calls_of_address";
  const day = dayOf(nowMs);
  const reservedIn = (calls: typeof live): number =>
    calls.reduce((sum, call) => sum + (call.day === day ? call.reserved_cost : 0), 0);
  const spent = await costsOf(tx, publishableKeyId, day, addressHash);
  const left = (limit: number | null, cost: number): number =>
    limit === null ? Number.POSITIVE_INFINITY : limit - cost;
  const ofKey = left(limits.maxCostPerDay, spent.ofKey + reservedIn(live));
  const ofAddress = left(limits.maxCostPerDayPerAddress, spent.ofAddress + reservedIn(fromAddress));
  if (ofKey < MAX_COST_MIN) return "cost";
  if (ofAddress < MAX_COST_MIN) return "cost_of_address";
  const costMax = Math.min(ofKey, ofAddress, spec.maxCost ?? Number.POSITIVE_INFINITY);
  return {
    spec: Number.isFinite(costMax) ? { ...spec, maxCost: costMax } : spec,
    reservedCost: spec.maxCost === undefined ? 0 : costMax,
  };
}

/** The calls of a publishable key that are not over. */
const liveCalls = (tx: Transaction<Tables>, publishableKeyId: PublishableKeyId, age: AgeClock) =>
  tx
    .selectFrom("web_calls as web")
    .innerJoin("calls", "calls.id", "web.call_id")
    .select(["web.address_hash", "web.day", "web.reserved_cost"])
    .where("web.publishable_key_id", "=", publishableKeyId)
    .where((joined) => {
      const calls = joined as unknown as ExpressionBuilder<Tables, "calls">;
      return calls.or([
        calls("calls.status", "=", "active"),
        calls.and([calls("calls.status", "=", "created"), hasValidToken(calls, age)]),
      ]);
    })
    .execute();

async function costsOf(
  tx: Transaction<Tables>,
  publishableKeyId: PublishableKeyId,
  day: string,
  addressHash: string,
): Promise<{ ofKey: number; ofAddress: number }> {
  const rows = await tx
    .selectFrom("web_call_costs")
    .select(["address_hash", "cost"])
    .where("publishable_key_id", "=", publishableKeyId)
    .where("day", "=", day)
    .where("address_hash", "in", [ALL_ADDRESSES, addressHash])
    .execute();
  const costOf = (hash: string): number => rows.find(({ address_hash }) => address_hash === hash)?.cost ?? 0;
  return { ofKey: costOf(ALL_ADDRESSES), ofAddress: costOf(addressHash) };
}

/** Notes a call that `admitWebCall` has admitted, in the same transaction. */
export async function insertWebCall(
  tx: Transaction<Tables>,
  callId: CallId,
  { accountId, web }: Pick<NewCall, "accountId" | "web">,
  { reservedCost, nowMs }: { reservedCost: number; nowMs: EpochMs },
): Promise<void> {
  if (web === undefined) return;
  await tx
    .insertInto("web_calls")
    .values({
      call_id: callId,
      account_id: accountId,
      publishable_key_id: web.publishableKeyId,
      address_hash: web.addressHash,
      day: dayOf(nowMs),
      reserved_cost: reservedCost,
    })
    .execute();
}

/** In the transaction of the end of these calls: what they have cost counts for their publishable keys, once. */
export async function settleWebCalls(
  tx: Transaction<Tables>,
  callIds: readonly CallId[],
  cost?: CallCost,
): Promise<void> {
  if (callIds.length === 0) return;
  const ended = await tx.deleteFrom("web_calls").where("call_id", "in", callIds).returningAll().execute();
  if (cost === undefined || cost.total === 0) return;
  for (const web of ended) {
    for (const addressHash of [ALL_ADDRESSES, web.address_hash]) {
      await tx
        .insertInto("web_call_costs")
        .values({
          publishable_key_id: web.publishable_key_id,
          day: web.day,
          address_hash: addressHash,
          account_id: web.account_id,
          cost: cost.total,
        })
        .onConflict((conflict) =>
          conflict
            .columns(["publishable_key_id", "day", "address_hash"])
            .doUpdateSet((row) => ({ cost: row("web_call_costs.cost", "+", row.ref("excluded.cost")) })),
        )
        .execute();
    }
  }
}

/** Costs of days before yesterday: no limit counts them, and they name addresses. */
export async function deleteOldWebCallCosts(db: Kysely<Tables>, yesterday: string): Promise<void> {
  // Most of the time there is none, which needs no write.
  const old = await db
    .selectFrom("web_call_costs")
    .select("day")
    .where("day", "<", yesterday)
    .limit(1)
    .executeTakeFirst();
  if (old !== undefined) await db.deleteFrom("web_call_costs").where("day", "<", yesterday).execute();
}
