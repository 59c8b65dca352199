import type { Kysely, Transaction } from "kysely";
import type { AgeClock } from "../../../../core/age-clock.ts";
import type { AccountId, ApiKeyId, CarrierId, PhoneNumberId } from "../../../../core/ids.ts";
import type { LimitReached, NewCall } from "../../../calls/call-store.ts";
import type { SqlDatabase } from "../../database.ts";
import type { Tables } from "../../tables.ts";
import { hasValidToken } from "../rows.ts";
import { giveBackCreation, takeCreation } from "./creation-rate.ts";

/** Whether the calls of the account or the API key, or those that the account creates, are counted before a new one is stored. */
export const isLimited = ({ apiKeyId, callsMax }: Pick<NewCall, "apiKeyId" | "callsMax">): boolean =>
  callsMax?.perAccount !== undefined ||
  callsMax?.creationsPerMinute !== undefined ||
  (callsMax?.perApiKey !== undefined && apiKeyId !== undefined);

/** Whose calls are counted. */
export type CountedId = AccountId | ApiKeyId | CarrierId | PhoneNumberId;

/**
 * The limit that a new call would exceed; undefined for none, and then it counts as created. Runs in the transaction that stores the call.
 * No other transaction counts the calls of the same account or API key before that has ended. A call that ends meanwhile is counted.
 */
export async function callLimitReached(
  tx: Transaction<Tables>,
  { accountId, apiKeyId, callsMax }: Pick<NewCall, "accountId" | "apiKeyId" | "callsMax">,
  { age, database: { nowMs } }: { age: AgeClock; database: Pick<SqlDatabase, "nowMs"> },
): Promise<LimitReached | undefined> {
  const { perApiKey, perAccount, creationsPerMinute: perMinute } = callsMax ?? {};
  if (perApiKey !== undefined && apiKeyId !== undefined) {
    await countAlone(tx, apiKeyId);
    if ((await countLiveCalls(tx, { accountId, apiKeyId }, age)) >= perApiKey) return reached("api_key_calls");
  }
  if (perMinute !== undefined) {
    const waitMs = await takeCreation(tx, { accountId, perMinute, nowMs });
    if (waitMs > 0) return { ...reached("account_creations"), waitMs };
  }
  if (perAccount !== undefined) {
    if (perMinute === undefined) await countAlone(tx, accountId);
    if ((await countLiveCalls(tx, { accountId }, age)) >= perAccount) {
      if (perMinute !== undefined) await giveBackCreation(tx, accountId);
      return reached("account_calls");
    }
  }
  return undefined;
}

const reached = (reason: LimitReached["reason"]): LimitReached => ({ kind: "limit-reached", reason });

/**
 * Other transactions that count for this owner wait. A lock alone would not do: a transaction that sees the state of its beginning would
 * not see the call of one that had the lock before, and only a change of the row ends it, to be run again.
 */
export async function countAlone(tx: Transaction<Tables>, owner: CountedId): Promise<void> {
  await tx
    .insertInto("call_counts")
    .values({ owner, counted: 1 })
    .onConflict((conflict) =>
      conflict.column("owner").doUpdateSet((counts) => ({ counted: counts("call_counts.counted", "+", 1) })),
    )
    .execute();
}

/** How many calls there are that have or may get a stream. */
export async function countLiveCalls(
  tx: Kysely<Tables>,
  { accountId, apiKeyId }: { accountId: AccountId; apiKeyId?: ApiKeyId },
  age: AgeClock,
): Promise<number> {
  let live = tx
    .selectFrom("calls")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .where("ended_at", "is", null)
    .where((calls) =>
      calls.or([
        calls("status", "in", ["active", "ringing"]),
        calls.and([calls("status", "=", "created"), hasValidToken(calls, age)]),
        calls.exists(
          calls
            .selectFrom("phone_calls")
            .select("phone_calls.call_id")
            .whereRef("phone_calls.call_id", "=", "calls.id")
            .where("phone_calls.holds_slot", "=", 1),
        ),
      ]),
    );
  if (apiKeyId !== undefined) live = live.where("api_key_id", "=", apiKeyId);
  return Number((await live.executeTakeFirstOrThrow()).count);
}
