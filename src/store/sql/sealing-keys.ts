import type { Insertable, Kysely } from "kysely";
import type { Clock } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { Keyring } from "../sealing/seal.ts";
import type { Tables } from "./tables.ts";

/** Notes in the transaction of a sealed text that its key is used, so that a start without it is refused. */
export async function noteKey(tx: Kysely<Tables>, keys: Keyring, clock: Clock): Promise<void> {
  await insertSealingKey(tx, sealingKeyRow(keys, clock.epochMs()));
}

/** As `noteKey`, with the row that `sealingKeyRow` has made. */
export async function insertSealingKey(tx: Kysely<Tables>, row: Insertable<Tables["sealing_keys"]>): Promise<void> {
  await tx
    .insertInto("sealing_keys")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** The row that notes the key with which texts are sealed. */
export const sealingKeyRow = ({ current }: Keyring, nowMs: EpochMs): Insertable<Tables["sealing_keys"]> => ({
  id: current.id,
  created_at: nowMs,
});

/** Whether another key than the current one is noted, with which something may be sealed. */
export async function hasOtherKeys(db: Kysely<Tables>, { current }: Keyring): Promise<boolean> {
  const other = await db.selectFrom("sealing_keys").select("id").where("id", "!=", current.id).executeTakeFirst();
  return other !== undefined;
}

/** Keys that seal nothing any more may be removed from the file: they are no longer noted. */
export async function forgetUnusedKeys(db: Kysely<Tables>, { current }: Keyring): Promise<void> {
  const others = await db.selectFrom("sealing_keys").select("id").where("id", "!=", current.id).execute();
  for (const { id } of others) {
    if (!(await seals(db, `v1.${id}.%`))) await db.deleteFrom("sealing_keys").where("id", "=", id).execute();
  }
}

/** Whether there is a sealed text that begins like this. */
async function seals(db: Kysely<Tables>, pattern: string): Promise<boolean> {
  const webhook = await db
    .selectFrom("webhooks")
    .select("id")
    .where((row) => row.or([row("secret", "like", pattern), row("previous_secret", "like", pattern)]))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (webhook !== undefined) return true;
  const secret = await db
    .selectFrom("account_secrets")
    .select("id")
    .where("sealed_secret", "like", pattern)
    .executeTakeFirst();
  if (secret !== undefined) return true;
  const carrier = await db
    .selectFrom("carriers")
    .select("id")
    .where("sealed_credentials", "like", pattern)
    .executeTakeFirst();
  if (carrier !== undefined) return true;
  const inbound = await db
    .selectFrom("phone_numbers")
    .select("id")
    .where("inbound_webhook_secret", "like", pattern)
    .executeTakeFirst();
  if (inbound !== undefined) return true;
  const key = await db
    .selectFrom("media_keys")
    .select("call_id")
    .where("sealed_key", "like", pattern)
    .executeTakeFirst();
  return key !== undefined;
}
