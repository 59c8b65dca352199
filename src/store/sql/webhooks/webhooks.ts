import { randomBytes } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import { addMs, type EpochMs } from "../../../core/clocks.ts";
import type { AccountId, DeliveryId, WebhookId } from "../../../core/ids.ts";
import { FAILING_DAYS_MAX, WEBHOOK_SECRET_BYTES, WEBHOOKS_MAX } from "../../../core/limits/webhooks.ts";
import { newId } from "../../../core/new-id.ts";
import { type Keyring, keyIdOf } from "../../sealing/seal.ts";
import type {
  AttemptResult,
  Delivery,
  DeliveryQuery,
  DisabledReason,
  DueDelivery,
  Webhook,
  WebhookChanges,
  WebhookSettings,
  WebhookStore,
} from "../../webhook-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlJobs } from "../jobs.ts";
import type { Tables } from "../tables.ts";
import { Deliveries } from "./deliveries.ts";
import type { SqlEvents } from "./events.ts";
import { eventOf, webhookOf } from "./rows.ts";

const DAY_MS = 86_400_000;

/** See `WebhookStore`. Secrets are sealed, each bound to its row and column. */
export class SqlWebhooks implements WebhookStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #keys: Keyring;
  readonly #events: SqlEvents;
  readonly #deliveries: Deliveries;

  constructor(database: SqlDatabase, clock: Clock, keys: Keyring, jobs: SqlJobs, events: SqlEvents) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#keys = keys;
    this.#events = events;
    this.#deliveries = new Deliveries(database, clock, jobs);
  }

  async create(
    accountId: AccountId,
    { url, description, eventTypes, enabled }: WebhookSettings,
  ): Promise<{ webhook: Webhook; secret: string } | undefined> {
    const nowMs = this.#clock.epochMs();
    const id = newId("webhook");
    const secret = newSecret();
    const row = {
      id,
      account_id: accountId,
      url,
      description: JSON.stringify(description),
      event_types: JSON.stringify(eventTypes),
      disabled_reason: enabled ? null : "client",
      failing_since: null,
      secret: this.#seal(secret, id, "secret"),
      previous_secret: null,
      previous_secret_until: null,
      created_at: nowMs,
      updated_at: nowMs,
    };
    return await this.#database.transaction(async (tx) => {
      const { webhooks } = await tx
        .selectFrom("webhooks")
        .select(({ fn }) => fn.countAll<number>().as("webhooks"))
        .where("account_id", "=", accountId)
        .executeTakeFirstOrThrow();
      if (Number(webhooks) >= WEBHOOKS_MAX) return undefined;
      await this.#noteKey(tx);
      await tx.insertInto("webhooks").values(row).execute();
      return { webhook: webhookOf(row, nowMs), secret };
    });
  }

  async get(accountId: AccountId, id: WebhookId): Promise<Webhook | undefined> {
    const row = await this.#row(this.#db, accountId, id);
    return row && webhookOf(row, this.#clock.epochMs());
  }

  async list(accountId: AccountId): Promise<readonly Webhook[]> {
    const rows = await this.#db
      .selectFrom("webhooks")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("id")
      .execute();
    return rows.map((row) => webhookOf(row, this.#clock.epochMs()));
  }

  async update(accountId: AccountId, id: WebhookId, changes: WebhookChanges): Promise<Webhook | undefined> {
    const { url, description, eventTypes, enabled } = changes;
    const nowMs = this.#clock.epochMs();
    const row = await this.#db
      .updateTable("webhooks")
      .set({
        updated_at: nowMs,
        ...(url !== undefined && { url }),
        ...(description !== undefined && { description: JSON.stringify(description) }),
        ...(eventTypes !== undefined && { event_types: JSON.stringify(eventTypes) }),
        ...(enabled === true && { disabled_reason: null, failing_since: null }),
        ...(enabled === false && { disabled_reason: "client" }),
      })
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .returningAll()
      .executeTakeFirst();
    return row && webhookOf(row, nowMs);
  }

  async remove(accountId: AccountId, id: WebhookId): Promise<boolean> {
    return await this.#database.transaction(async (tx) => {
      if ((await this.#row(tx, accountId, id)) === undefined) return false;
      await tx.deleteFrom("webhook_deliveries").where("webhook_id", "=", id).execute();
      await tx.deleteFrom("webhooks").where("id", "=", id).execute();
      return true;
    });
  }

  async rotateSecret(
    accountId: AccountId,
    id: WebhookId,
    overlapMs: number,
  ): Promise<{ webhook: Webhook; secret: string } | undefined> {
    const secret = newSecret();
    return await this.#database.transaction(async (tx) => {
      const found = await this.#row(tx, accountId, id);
      if (found === undefined) return undefined;
      const nowMs = this.#clock.epochMs();
      await this.#noteKey(tx);
      const row = await tx
        .updateTable("webhooks")
        .set({
          secret: this.#seal(secret, id, "secret"),
          previous_secret: this.#seal(this.#open(found.secret, id, "secret"), id, "previous_secret"),
          previous_secret_until: addMs(nowMs, overlapMs),
          updated_at: nowMs,
        })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return { webhook: webhookOf(row, nowMs), secret };
    });
  }

  async listDeliveries(
    accountId: AccountId,
    id: WebhookId,
    query: DeliveryQuery,
  ): Promise<{ deliveries: readonly Delivery[]; more: boolean } | undefined> {
    if ((await this.#row(this.#db, accountId, id)) === undefined) return undefined;
    return await this.#deliveries.list(id, query);
  }

  async getDelivery(accountId: AccountId, id: WebhookId, deliveryId: DeliveryId): Promise<Delivery | undefined> {
    if ((await this.#row(this.#db, accountId, id)) === undefined) return undefined;
    return await this.#deliveries.get(id, deliveryId);
  }

  async replay(
    accountId: AccountId,
    id: WebhookId,
    which: { ids: readonly DeliveryId[] } | { query: DeliveryQuery },
  ): Promise<{ replayed: number; last?: DeliveryId; more: boolean } | undefined> {
    if ((await this.#row(this.#db, accountId, id)) === undefined) return undefined;
    return await this.#deliveries.replay(id, which);
  }

  async due(id: DeliveryId): Promise<DueDelivery | undefined> {
    const delivery = await this.#deliveries.pending(id);
    if (delivery === undefined) return undefined;
    const [webhook, event] = await Promise.all([
      this.#db.selectFrom("webhooks").selectAll().where("id", "=", delivery.webhookId).executeTakeFirst(),
      this.#db.selectFrom("webhook_events").selectAll().where("id", "=", delivery.eventId).executeTakeFirst(),
    ]);
    if (webhook === undefined || event === undefined || webhook.disabled_reason !== null) return undefined;
    const nowMs = this.#clock.epochMs();
    const shown = webhookOf(webhook, nowMs);
    const secrets = [this.#open(webhook.secret, webhook.id, "secret")];
    if (webhook.previous_secret !== null && shown.previousSecretUntilMs !== undefined) {
      secrets.push(this.#open(webhook.previous_secret, webhook.id, "previous_secret"));
    }
    return { delivery, webhook: shown, event: eventOf(event), secrets };
  }

  async recordAttempt(id: DeliveryId, result: AttemptResult): Promise<DisabledReason | undefined> {
    const reason = await this.#database.transaction(async (tx) => {
      const webhookId = await this.#deliveries.recordAttempt(tx, id, result);
      return webhookId === undefined ? undefined : await this.#recordHealth(tx, webhookId, result);
    });
    this.#events.notify();
    return reason;
  }

  /** Most attempts change nothing here: a success of a webhook that does not fail, a failure of one that does. */
  async #recordHealth(
    tx: Transaction<Tables>,
    webhookId: WebhookId,
    result: AttemptResult,
  ): Promise<DisabledReason | undefined> {
    const webhook = await tx.selectFrom("webhooks").selectAll().where("id", "=", webhookId).executeTakeFirst();
    if (webhook === undefined) return undefined;
    const nowMs = this.#clock.epochMs();
    const set = (columns: { failing_since?: EpochMs | null; disabled_reason?: DisabledReason }) =>
      tx.updateTable("webhooks").set(columns).where("id", "=", webhookId).execute();
    if (result.kind === "delivered") {
      if (webhook.failing_since !== null) await set({ failing_since: null });
      return undefined;
    }
    if (webhook.failing_since === null) await set({ failing_since: nowMs });
    if (webhook.disabled_reason !== null) return undefined;
    const isOver = webhook.failing_since !== null && addMs(webhook.failing_since, FAILING_DAYS_MAX * DAY_MS) <= nowMs;
    if (!result.isGone && !isOver) return undefined;
    const reason = result.isGone ? "gone" : "failing";
    await set({ disabled_reason: reason });
    await this.#deliveries.failWaiting(tx, webhookId);
    const data = { webhook: { id: webhookId, url: webhook.url, reason } };
    const name = `${webhookId} ${nowMs}`;
    await this.#events.insert(tx, { accountId: webhook.account_id, type: "webhook.disabled", name, data });
    return reason;
  }

  async reseal(limit: number): Promise<number> {
    const current = this.#keys.current.id;
    const rows = await this.#db
      .selectFrom("webhooks")
      .select(["id", "secret", "previous_secret"])
      .where((webhook) =>
        webhook.or([
          webhook("secret", "not like", `v1.${current}.%`),
          webhook("previous_secret", "not like", `v1.${current}.%`),
        ]),
      )
      .limit(limit)
      .execute();
    for (const { id, secret, previous_secret: previous } of rows) {
      await this.#database.transaction(async (tx) => {
        await this.#noteKey(tx);
        await tx
          .updateTable("webhooks")
          .set({
            secret: this.#seal(this.#open(secret, id, "secret"), id, "secret"),
            ...(previous !== null && {
              previous_secret: this.#seal(this.#open(previous, id, "previous_secret"), id, "previous_secret"),
            }),
          })
          .where("id", "=", id)
          // Another rotation of the secret meanwhile has sealed it with the current key.
          .where("secret", "=", secret)
          .execute();
      });
    }
    if (rows.length === 0) await this.#forgetUnusedKeys();
    return rows.length;
  }

  /** Keys that seal nothing any more may be removed from the file. */
  async #forgetUnusedKeys(): Promise<void> {
    const used = await this.#db.selectFrom("webhooks").select(["secret", "previous_secret"]).execute();
    const ids = new Set(used.flatMap((row) => [row.secret, row.previous_secret ?? row.secret]).map(keyIdOf));
    await this.#db
      .deleteFrom("sealing_keys")
      .where("id", "not in", [this.#keys.current.id, ...ids])
      .execute();
  }

  deleteOld(createdBeforeMs: EpochMs): Promise<number> {
    return this.#deliveries.deleteOld(createdBeforeMs);
  }

  #row(db: Kysely<Tables>, accountId: AccountId, id: WebhookId) {
    return db
      .selectFrom("webhooks")
      .selectAll()
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
  }

  /** So that a start without this key is refused as long as it is needed. */
  async #noteKey(tx: Transaction<Tables>): Promise<void> {
    await tx
      .insertInto("sealing_keys")
      .values({ id: this.#keys.current.id, created_at: this.#clock.epochMs() })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  }

  #seal(text: string, rowId: WebhookId, column: string): string {
    return this.#keys.seal(text, { table: "webhooks", rowId, column });
  }

  #open(sealed: string, rowId: WebhookId, column: string): string {
    return this.#keys.open(sealed, { table: "webhooks", rowId, column });
  }
}

/** As Standard Webhooks writes secrets. */
const newSecret = (): string => `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString("base64")}`;
