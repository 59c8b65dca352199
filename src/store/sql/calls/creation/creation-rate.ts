import { type RawBuilder, sql, type Transaction } from "kysely";
import type { EpochMs } from "../../../../core/clocks.ts";
import type { AccountId } from "../../../../core/ids.ts";
import { CREATION_RATE_WINDOW_MS } from "../../../../core/limits/accounts/accounts.ts";
import type { Tables } from "../../tables.ts";

/** Sums of fractions come out a little wrong. */
const ROUNDING = 1e-6;

interface Rate {
  accountId: AccountId;
  perMinute: number;
  /** By the database's own clock. */
  nowMs: RawBuilder<EpochMs>;
}

/**
 * Counts a call that the account creates now in the token bucket that all nodes share, as `CreationRates` does for one service; in the
 * transaction that stores the call. Returns in how many ms the account may create another call where it may not now; then it is not
 * counted. It changes the account's row, as `countAlone` does.
 */
export async function takeCreation(tx: Transaction<Tables>, rate: Rate): Promise<number> {
  const { accountId, perMinute, nowMs } = rate;
  const used = usedNow(rate);
  const taken = await tx
    .insertInto("call_counts")
    .values({ owner: accountId, counted: 1, creations: 1, creations_at: nowMs })
    .onConflict((conflict) =>
      conflict
        .column("owner")
        .doUpdateSet((counts) => ({
          counted: counts("call_counts.counted", "+", 1),
          creations: sql<number>`${used} + 1`,
          creations_at: nowMs,
        }))
        .where(sql<boolean>`${used} + 1 <= ${perMinute + ROUNDING}`),
    )
    .returning("owner")
    .executeTakeFirst();
  if (taken !== undefined) return 0;
  const { over } = await tx
    .selectFrom("call_counts")
    .select(sql<number>`${used} + 1 - ${perMinute}`.as("over"))
    .where("owner", "=", accountId)
    .executeTakeFirstOrThrow();
  return Math.max(1, (Number(over) * CREATION_RATE_WINDOW_MS) / perMinute);
}

/** Takes back what `takeCreation` has counted in this transaction, of a call that is not created. */
export async function giveBackCreation(tx: Transaction<Tables>, accountId: AccountId): Promise<void> {
  await tx
    .updateTable("call_counts")
    .set((counts) => ({ creations: counts("creations", "-", 1) }))
    .where("owner", "=", accountId)
    .execute();
}

/** How many creations were counted and have not run out yet. A clock that was set back lets none run out meanwhile. */
function usedNow({ perMinute, nowMs }: Rate): RawBuilder<number> {
  const [counted, atMs] = [sql.ref("call_counts.creations"), sql.ref("call_counts.creations_at")];
  const perMs = sql.lit(perMinute / CREATION_RATE_WINDOW_MS);
  const left = sql`(${counted} - (${nowMs} - ${atMs}) * ${perMs})`;
  return sql<number>`(CASE WHEN ${counted} IS NULL THEN 0 WHEN ${atMs} > ${nowMs} THEN ${counted} WHEN ${left} < 0 THEN 0 ELSE ${left} END)`;
}
