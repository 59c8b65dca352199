import type { Expression, ExpressionBuilder, Kysely, SqlBool } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { Clock } from "../../../core/clock.ts";
import { addMs } from "../../../core/clocks.ts";
import type { AccountId, DocumentId } from "../../../core/ids.ts";
import { IDEMPOTENCY_MS } from "../../../core/limits/control-api/api.ts";
import { TRANSACTION_ROWS_MAX } from "../../../core/limits/storage/storage.ts";
import type { IdempotentDocument } from "../../corpora/document-store.ts";
import type { Tables } from "../tables.ts";

interface RequestClocks {
  clock: Clock;
  age: AgeClock;
}

/** By the age clock where the boot is that of the request, otherwise by the wall clock. */
function isExpired(
  requests: ExpressionBuilder<Tables, "document_requests">,
  { clock, age }: RequestClocks,
): Expression<SqlBool> {
  const isOfThisBoot = requests("boot_id", "=", age.bootId);
  return requests.or([
    requests.and([isOfThisBoot, requests("created_age_ms", "<=", addMs(age.nowMs(), -IDEMPOTENCY_MS))]),
    requests.and([requests.not(isOfThisBoot), requests("created_at", "<=", addMs(clock.epochMs(), -IDEMPOTENCY_MS))]),
  ]);
}

/** The request of the account with this key; undefined for none, and for one that has expired. */
export const findRequest = (
  db: Kysely<Tables>,
  accountId: AccountId,
  keyHash: string,
  clocks: RequestClocks,
): Promise<{ fingerprint: string; document_id: DocumentId } | undefined> =>
  db
    .selectFrom("document_requests")
    .select(["fingerprint", "document_id"])
    .where("account_id", "=", accountId)
    .where("key_hash", "=", keyHash)
    .where((requests) => requests.not(isExpired(requests, clocks)))
    .executeTakeFirst();

/** Stores the request of a new document. */
export async function insertRequest(
  db: Kysely<Tables>,
  of: { accountId: AccountId; id: DocumentId },
  { keyHash, fingerprint }: IdempotentDocument,
  { clock, age }: RequestClocks,
): Promise<void> {
  const request = {
    account_id: of.accountId,
    key_hash: keyHash,
    document_id: of.id,
    fingerprint,
    created_at: clock.epochMs(),
    boot_id: age.bootId,
    created_age_ms: age.nowMs(),
  };
  // An expired idempotency key may still be stored.
  await db
    .insertInto("document_requests")
    .values(request)
    .onConflict((conflict) => conflict.columns(["account_id", "key_hash"]).doUpdateSet(request))
    .execute();
}

/** Deletes some of the requests that have expired: more than one request adds. */
export async function deleteExpiredRequests(db: Kysely<Tables>, clocks: RequestClocks): Promise<void> {
  const expired = await db
    .selectFrom("document_requests")
    .select(["account_id", "key_hash"])
    // A range of the index; one that expires early by the age clock stays until then.
    .where("created_at", "<=", addMs(clocks.clock.epochMs(), -IDEMPOTENCY_MS))
    .where((requests) => isExpired(requests, clocks))
    .orderBy("created_at")
    .limit(TRANSACTION_ROWS_MAX)
    .execute();
  for (const { account_id, key_hash } of expired) {
    await db
      .deleteFrom("document_requests")
      .where("account_id", "=", account_id)
      .where("key_hash", "=", key_hash)
      .where((requests) => isExpired(requests, clocks))
      .execute();
  }
}
