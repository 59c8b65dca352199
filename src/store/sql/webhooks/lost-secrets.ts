import type { Kysely, Selectable } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import { codeOf } from "../../../core/errors.ts";
import type { WebhookId } from "../../../core/ids.ts";
import { type Keyring, keyIdOf, type SealedPlace } from "../../sealing/seal.ts";
import type { ForgottenSecrets } from "../../stores.ts";
import type { DisabledReason } from "../../webhooks/webhook-store.ts";
import { placeOf } from "../accounts/account-secrets.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { carrierPlace, FORGOTTEN } from "../telephony/carriers.ts";
import { inboundWebhookPlace } from "../telephony/inbound-webhooks.ts";
import type { SqlEvents } from "./events.ts";
import { newSecret } from "./webhooks.ts";

interface Means {
  keys: Keyring;
  dryRun: boolean;
  clock: Clock;
  events: SqlEvents;
}

type SealedSecrets = Pick<
  Selectable<Tables["webhooks"]>,
  "id" | "account_id" | "url" | "deleted_at" | "secret" | "previous_secret"
>;

const SECRET_LOST: DisabledReason = "secret_lost";

/**
 * See `Stores`. Media keys that a lost key sealed stay as they are: the media are unreadable until that key is back.
 */
export async function forgetLostSecrets(database: SqlDatabase, means: Means): Promise<ForgottenSecrets> {
  const { keys, dryRun, events } = means;
  const forgotten = await database.transaction(async (tx) => {
    const rows: readonly SealedSecrets[] = await tx
      .selectFrom("webhooks")
      .select(["id", "account_id", "url", "deleted_at", "secret", "previous_secret"])
      .orderBy("id")
      .execute();
    const lost = rows.filter((row) => !opens(keys, row.secret, webhookPlace(row.id, "secret")));
    const withoutPrevious = rows.filter(
      (row) =>
        !lost.includes(row) &&
        row.previous_secret !== null &&
        !opens(keys, row.previous_secret, webhookPlace(row.id, "previous_secret")),
    );
    const ofAccounts = await tx.selectFrom("account_secrets").selectAll().orderBy("id").execute();
    const deleted = ofAccounts.filter(({ id, sealed_secret: sealed }) => !opens(keys, sealed, placeOf(id)));
    const carriers = await tx
      .selectFrom("carriers")
      .select(["id", "account_id", "name", "sealed_credentials"])
      .where("sealed_credentials", "!=", FORGOTTEN)
      .orderBy("id")
      .execute();
    const withoutCredentials = carriers.filter(
      ({ id, sealed_credentials: sealed }) => !opens(keys, sealed, carrierPlace(id)),
    );
    const ofNumbers = await tx
      .selectFrom("phone_numbers")
      .select(["id", "account_id", "inbound_webhook_secret"])
      .where("inbound_webhook_secret", "is not", null)
      .$narrowType<{ inbound_webhook_secret: string }>()
      .orderBy("id")
      .execute();
    const withoutInboundWebhook = ofNumbers.filter(
      ({ id, inbound_webhook_secret: sealed }) => !opens(keys, sealed, inboundWebhookPlace(id)),
    );
    const kept = [
      ...ofAccounts.filter((secret) => !deleted.includes(secret)).map(({ sealed_secret: sealed }) => sealed),
      ...carriers
        .filter((carrier) => !withoutCredentials.includes(carrier))
        .map((carrier) => carrier.sealed_credentials),
      ...ofNumbers
        .filter((number) => !withoutInboundWebhook.includes(number))
        .map((number) => number.inbound_webhook_secret),
    ];
    const keyIds = await lostKeys(tx, rows, [...lost, ...withoutPrevious], kept, keys);
    if (!dryRun) {
      for (const { id } of deleted) await tx.deleteFrom("account_secrets").where("id", "=", id).execute();
      for (const { id } of withoutCredentials) {
        await tx.updateTable("carriers").set({ sealed_credentials: FORGOTTEN }).where("id", "=", id).execute();
      }
      for (const { id } of withoutInboundWebhook) {
        const none = { inbound_webhook_url: null, inbound_webhook_secret: null };
        await tx.updateTable("phone_numbers").set(none).where("id", "=", id).execute();
      }
      await replace(tx, lost, means);
      await deletePrevious(tx, withoutPrevious);
      if (keyIds.length > 0) await tx.deleteFrom("sealing_keys").where("id", "in", keyIds).execute();
    }
    return {
      disabled: lost.filter(isShown).map(({ id, account_id: accountId, url }) => ({ id, accountId, url })),
      withoutPrevious: withoutPrevious.map(({ id }) => id),
      deleted: deleted.map(({ id, account_id: accountId, kind, name }) => ({ id, accountId, kind, name })),
      withoutCredentials: withoutCredentials.map(({ id, account_id: accountId, name }) => ({ id, accountId, name })),
      withoutInboundWebhook: withoutInboundWebhook.map(({ id, account_id: accountId }) => ({ id, accountId })),
      keyIds,
    };
  });
  events.notify();
  return forgotten;
}

/** The keys that are not there, and that seal nothing which is kept. */
async function lostKeys(
  tx: Kysely<Tables>,
  rows: readonly SealedSecrets[],
  mended: readonly SealedSecrets[],
  keptElsewhere: readonly string[],
  keys: Keyring,
): Promise<readonly string[]> {
  const kept = rows.flatMap((row) => (mended.includes(row) ? [] : [row.secret, row.previous_secret ?? row.secret]));
  const used = new Set([...kept, ...keptElsewhere].map(keyIdOf));
  const known = await tx.selectFrom("sealing_keys").select("id").orderBy("id").execute();
  return known.map(({ id }) => id).filter((id) => !keys.has(id) && !used.has(id));
}

/** All are disabled before the first event is stored, so that none of them is to deliver it. */
async function replace(tx: Kysely<Tables>, lost: readonly SealedSecrets[], { keys, clock, events }: Means) {
  if (lost.length === 0) return;
  const nowMs = clock.epochMs();
  await tx
    .insertInto("sealing_keys")
    .values({ id: keys.current.id, created_at: nowMs })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  for (const { id } of lost) {
    await tx
      .updateTable("webhooks")
      .set({
        secret: keys.seal(newSecret(), { table: "webhooks", rowId: id, column: "secret" }),
        previous_secret: null,
        previous_secret_until: null,
        disabled_reason: SECRET_LOST,
        updated_at: nowMs,
      })
      .where("id", "=", id)
      .execute();
  }
  for (const { id, url, account_id: accountId } of lost.filter(isShown)) {
    const data = { webhook: { id, url, reason: SECRET_LOST } };
    await events.insert(tx, { accountId, type: "webhook.disabled", name: `${id} ${nowMs}`, data });
  }
}

async function deletePrevious(tx: Kysely<Tables>, webhooks: readonly SealedSecrets[]): Promise<void> {
  for (const { id } of webhooks) {
    await tx
      .updateTable("webhooks")
      .set({ previous_secret: null, previous_secret_until: null })
      .where("id", "=", id)
      .execute();
  }
}

/** A removed webhook exists until its deliveries are deleted, and is not reported. */
const isShown = ({ deleted_at: deletedAt }: SealedSecrets): boolean => deletedAt === null;

const webhookPlace = (rowId: WebhookId, column: string): SealedPlace => ({ table: "webhooks", rowId, column });

function opens(keys: Keyring, sealed: string, place: SealedPlace): boolean {
  try {
    keys.open(sealed, place);
    return true;
  } catch (error) {
    if (codeOf(error) !== "unsealable") throw error;
    return false;
  }
}
