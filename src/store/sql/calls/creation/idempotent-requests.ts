import type { Expression, ExpressionBuilder, Kysely, SqlBool } from "kysely";
import type { AgeClock } from "../../../../core/age-clock.ts";
import type { Clock } from "../../../../core/clock.ts";
import { addMs } from "../../../../core/clocks.ts";
import type { AccountId, CallId } from "../../../../core/ids.ts";
import { IDEMPOTENCY_MS } from "../../../../core/limits/control-api/api.ts";
import { TRANSACTION_ROWS_MAX } from "../../../../core/limits/storage/storage.ts";
import type { IdempotentRequest } from "../../../calls/call-store.ts";
import type { Tables } from "../../tables.ts";
import { pauseAfterTransaction } from "../../transaction-pacing.ts";
import { RECORD_COLUMNS } from "../rows.ts";

type Requests = ExpressionBuilder<{ request: Tables["idempotent_requests"] }, "request">;
type Condition = (requests: Requests) => Expression<SqlBool>;

export interface RequestClocks {
  clock: Clock;
  age: AgeClock;
}

/**
 * Whether an idempotency key has expired: by the age clock where the boot is that of its creation, otherwise by the
 * wall clock. These are two conditions with an index each; joined by an OR they would use none.
 */
function expiryConditions({ clock, age }: RequestClocks): readonly [ofThisBoot: Condition, ofOtherBoots: Condition] {
  return [
    (requests) =>
      requests.and([
        requests("request.boot_id", "=", age.bootId),
        requests("request.created_age_ms", "<=", addMs(age.nowMs(), -IDEMPOTENCY_MS)),
      ]),
    (requests) =>
      requests.and([
        requests("request.boot_id", "!=", age.bootId),
        requests("request.created_at", "<=", addMs(clock.epochMs(), -IDEMPOTENCY_MS)),
      ]),
  ];
}

/** For one request that was found by its idempotency key. */
export const isExpired = (requests: Requests, clocks: RequestClocks) =>
  requests.or(expiryConditions(clocks).map((condition) => condition(requests)));

/** The request of an account with this key, and its call; undefined for none, and for one that has expired. */
export async function findRequest(
  db: Kysely<Tables>,
  { accountId, keyHash }: { accountId: AccountId; keyHash: string },
  clocks: RequestClocks,
  locksCall: boolean,
) {
  return await db
    .selectFrom("idempotent_requests as request")
    .innerJoin("calls", "calls.id", "request.call_id")
    .select(["request.fingerprint", "request.sealed_token", "calls.node", ...RECORD_COLUMNS])
    .where("request.account_id", "=", accountId)
    .where("request.key_hash", "=", keyHash)
    .where((requests) => requests.not(isExpired(requests, clocks)))
    .$if(locksCall, (request) => request.forUpdate("calls"))
    .executeTakeFirst();
}

/** Stores the request of a new call. */
export async function insertRequest(
  tx: Kysely<Tables>,
  call: { accountId: AccountId; id: CallId },
  { keyHash, fingerprint, sealedToken }: IdempotentRequest,
  { clock, age }: RequestClocks,
): Promise<void> {
  const created = { created_at: clock.epochMs(), boot_id: age.bootId, created_age_ms: age.nowMs() };
  const ofCall = { account_id: call.accountId, call_id: call.id };
  const request = { ...ofCall, key_hash: keyHash, fingerprint, sealed_token: sealedToken, ...created };
  // An expired idempotency key may still be stored.
  await tx
    .insertInto("idempotent_requests")
    .values(request)
    .onConflict((conflict) => conflict.columns(["account_id", "key_hash"]).doUpdateSet(request))
    .execute();
}

/** Deletes expired idempotency keys: finds them without the write lock, and deletes a few in each transaction. */
export async function deleteExpiredRequests(db: Kysely<Tables>, clocks: RequestClocks): Promise<void> {
  for (const condition of expiryConditions(clocks)) while (await deleteExpiredBatch(db, condition));
}

/** Returns whether there may be more. */
async function deleteExpiredBatch(db: Kysely<Tables>, condition: Condition): Promise<boolean> {
  const due = db
    .selectFrom("idempotent_requests as request")
    .select(["request.account_id", "request.key_hash"])
    .where(condition);
  if ((await due.limit(1).executeTakeFirst()) === undefined) return false;
  const begunMs = performance.now();
  const { numDeletedRows } = await db
    .deleteFrom("idempotent_requests")
    .where((eb) =>
      eb(
        eb.refTuple("account_id", "key_hash"),
        "in",
        due.limit(TRANSACTION_ROWS_MAX).$asTuple("account_id", "key_hash"),
      ),
    )
    .executeTakeFirst();
  if (numDeletedRows < TRANSACTION_ROWS_MAX) return false;
  await pauseAfterTransaction(performance.now() - begunMs);
  return true;
}
