import { randomBytes } from "node:crypto";
import type { Kysely, Selectable, Transaction } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import { Batcher } from "../../../core/batcher.ts";
import type { Clock } from "../../../core/clock.ts";
import { addMs, type EpochMs } from "../../../core/clocks.ts";
import { TrunklineError } from "../../../core/errors.ts";
import { type AccountId, asWebhookId, type DeliveryId, type EventId, type WebhookId } from "../../../core/ids.ts";
import {
  ATTEMPT_GATHER_MS,
  DELIVERIES_PER_QUERY_MAX,
  DUE_GATHER_MS,
  FAILING_DAYS_MAX,
  WEBHOOK_SECRET_BYTES,
  WEBHOOKS_MAX,
} from "../../../core/limits/control-api/webhooks.ts";
import { newId } from "../../../core/new-id.ts";
import { type Act, type AuditDetails, BY_SERVICE, changedIn } from "../../accounts/audit-store.ts";
import type { Resealed, ResealPage } from "../../sealing/reseal.ts";
import { type Keyring, valueOrUnsealable } from "../../sealing/seal.ts";
import type {
  AttemptResult,
  Delivery,
  DeliveryQuery,
  DisabledReason,
  DueDelivery,
  Webhook,
  WebhookChanges,
  WebhookEvent,
  WebhookSettings,
  WebhookStore,
} from "../../webhooks/webhook-store.ts";
import type { SqlAudit } from "../accounts/audit.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlJobs } from "../job-queue/jobs.ts";
import { forgetUnusedKeys, noteKey } from "../sealing-keys.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import { Deliveries, type DeliveryAttempt, failDelivery } from "./deliveries.ts";
import type { SqlEvents } from "./events.ts";
import { eventOf, webhookOf } from "./rows.ts";

const DAY_MS = 86_400_000;

type SealedRow = Pick<Selectable<Tables["webhooks"]>, "id" | "secret" | "previous_secret" | "previous_secret_until">;

/** See `WebhookStore`. Secrets are sealed, each bound to its row and column. */
export class SqlWebhooks implements WebhookStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #keys: Keyring;
  readonly #jobs: SqlJobs;
  readonly #events: SqlEvents;
  readonly #audit: SqlAudit;
  readonly #deliveries: Deliveries;
  readonly #dueBatches = new Batcher<DeliveryId, DueDelivery | TrunklineError | undefined>({
    work: (ids) => this.#due(ids),
    itemsMax: DELIVERIES_PER_QUERY_MAX,
    gatherMs: DUE_GATHER_MS,
  });
  readonly #attemptBatches = new Batcher<DeliveryAttempt, DisabledReason | undefined>({
    work: (attempts) => this.#recordAttempts(attempts),
    itemsMax: DELIVERIES_PER_QUERY_MAX,
    gatherMs: ATTEMPT_GATHER_MS,
  });

  constructor(database: SqlDatabase, clock: Clock, keys: Keyring, { jobs, events, audit }: SideEffects) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#keys = keys;
    this.#jobs = jobs;
    this.#events = events;
    this.#audit = audit;
    this.#deliveries = new Deliveries(database, clock, jobs);
  }

  async create(
    accountId: AccountId,
    { url, description, eventTypes, enabled }: WebhookSettings,
    act: Act = BY_SERVICE,
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
      is_full: 0,
      deleted_at: null,
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
        .where("deleted_at", "is", null)
        .executeTakeFirstOrThrow();
      if (Number(webhooks) >= WEBHOOKS_MAX) return undefined;
      await noteKey(tx, this.#keys, this.#clock);
      await tx.insertInto("webhooks").values(row).execute();
      await this.#record(tx, row, act, "webhook.created", { eventTypes, enabled });
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
      .where("deleted_at", "is", null)
      .orderBy("id")
      .execute();
    return rows.map((row) => webhookOf(row, this.#clock.epochMs()));
  }

  async update(
    accountId: AccountId,
    id: WebhookId,
    changes: WebhookChanges,
    act: Act = BY_SERVICE,
  ): Promise<Webhook | undefined> {
    const { url, description, eventTypes, enabled } = changes;
    const nowMs = this.#clock.epochMs();
    return await this.#database.readCommitted(async (tx) => {
      const row = await tx
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
        .where("deleted_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const details = {
        changed: changedIn(changes),
        ...(eventTypes !== undefined && { eventTypes }),
        ...(enabled !== undefined && { enabled }),
      };
      await this.#record(tx, row, act, "webhook.updated", details);
      return webhookOf(row, nowMs);
    });
  }

  async remove(accountId: AccountId, id: WebhookId, act: Act = BY_SERVICE): Promise<boolean> {
    return await this.#database.readCommitted(async (tx) => {
      // It may have more deliveries than one statement should delete: `deleteRemoved` deletes them, and then the row.
      const row = await tx
        .updateTable("webhooks")
        .set({ deleted_at: this.#clock.epochMs(), disabled_reason: "client", secret: "", previous_secret: null })
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .where("deleted_at", "is", null)
        .returning(["id", "account_id"])
        .executeTakeFirst();
      if (row !== undefined) await this.#record(tx, row, act, "webhook.deleted");
      return row !== undefined;
    });
  }

  async rotateSecret(
    accountId: AccountId,
    id: WebhookId,
    overlapMs: number,
    act: Act = BY_SERVICE,
  ): Promise<{ webhook: Webhook; secret: string } | undefined> {
    const secret = newSecret();
    return await this.#database.transaction(async (tx) => {
      const found = await this.#row(tx, accountId, id);
      if (found === undefined) return undefined;
      const nowMs = this.#clock.epochMs();
      await noteKey(tx, this.#keys, this.#clock);
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
      await this.#record(tx, row, act, "webhook.secret_rotated", { overlapSeconds: overlapMs / 1_000 });
      return { webhook: webhookOf(row, nowMs), secret };
    });
  }

  /** Appends an act on a webhook to the audit log. */
  async #record(
    tx: Transaction<Tables>,
    { id, account_id: accountId }: Pick<Tables["webhooks"], "id" | "account_id">,
    act: Act,
    action: AuditAction,
    details: AuditDetails = {},
  ): Promise<void> {
    await this.#audit.insert(tx, { ...act, accountId, action, target: { kind: "webhook", id }, details });
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

  async getEvent(accountId: AccountId, id: EventId): Promise<WebhookEvent | undefined> {
    const row = await this.#db
      .selectFrom("webhook_events")
      .selectAll()
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return row && eventOf(row);
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
    const found = await this.#dueBatches.run(id);
    if (found instanceof TrunklineError) throw found;
    return found;
  }

  /** A secret that cannot be opened is an error of its webhook's deliveries alone. */
  async #due(ids: readonly DeliveryId[]): Promise<readonly (DueDelivery | TrunklineError | undefined)[]> {
    const deliveries = await this.#deliveries.pending(ids);
    if (deliveries.length === 0) return ids.map(() => undefined);
    const webhookIds = new Set(deliveries.map(({ webhookId }) => webhookId));
    const eventIds = new Set(deliveries.map(({ eventId }) => eventId));
    const [webhookRows, eventRows] = await Promise.all([
      this.#db
        .selectFrom("webhooks")
        .selectAll()
        .where("id", "in", [...webhookIds])
        .execute(),
      this.#db
        .selectFrom("webhook_events")
        .selectAll()
        .where("id", "in", [...eventIds])
        .execute(),
    ]);
    const enabled = webhookRows.filter((row) => row.disabled_reason === null);
    const webhooks = new Map(enabled.map((row) => [row.id, this.#signing(row)]));
    const events = new Map(eventRows.map((row) => [row.id, eventOf(row)]));
    const due = new Map<DeliveryId, DueDelivery | TrunklineError>();
    for (const delivery of deliveries) {
      const [webhook, event] = [webhooks.get(delivery.webhookId), events.get(delivery.eventId)];
      if (webhook === undefined || event === undefined) continue;
      due.set(delivery.id, webhook instanceof TrunklineError ? webhook : { delivery, event, ...webhook });
    }
    return ids.map((id) => due.get(id));
  }

  #signing(row: Selectable<Tables["webhooks"]>): Pick<DueDelivery, "webhook" | "secrets"> | TrunklineError {
    const webhook = webhookOf(row, this.#clock.epochMs());
    const secret = valueOrUnsealable(() => this.#open(row.secret, row.id, "secret"));
    if (secret instanceof TrunklineError) return secret;
    const sealed = webhook.previousSecretUntilMs === undefined ? null : row.previous_secret;
    const previous = sealed && valueOrUnsealable(() => this.#open(sealed, row.id, "previous_secret"));
    return { webhook, secrets: typeof previous === "string" ? [secret, previous] : [secret] };
  }

  abandon(id: DeliveryId): Promise<void> {
    return failDelivery(this.#db, id);
  }

  async noteFull(deliveriesMax: number): Promise<readonly WebhookId[]> {
    const crowded = (await this.#jobs.crowdedLanes(deliveriesMax)).map(asWebhookId);
    const isCrowded = crowded.length === 0 ? undefined : crowded;
    await this.#db
      .updateTable("webhooks")
      .set({ is_full: 0 })
      .where("is_full", "=", 1)
      .$if(isCrowded !== undefined, (webhooks) => webhooks.where("id", "not in", crowded))
      .execute();
    if (isCrowded === undefined) return [];
    const rows = await this.#db
      .updateTable("webhooks")
      .set({ is_full: 1 })
      .where("is_full", "=", 0)
      .where("id", "in", crowded)
      .returning("id")
      .execute();
    return rows.map(({ id }) => id);
  }

  recordAttempt(id: DeliveryId, result: AttemptResult): Promise<DisabledReason | undefined> {
    return this.#attemptBatches.run({ id, result });
  }

  async #recordAttempts(attempts: readonly DeliveryAttempt[]): Promise<readonly (DisabledReason | undefined)[]> {
    // A result that a power failure undoes is another attempt, with the same id.
    const reasons = await this.#database.readCommittedWithoutSync(async (tx) => {
      const webhookIds = await this.#deliveries.recordAttempts(tx, attempts);
      const ids = [...new Set(webhookIds.values())];
      const rows = ids.length === 0 ? [] : await tx.selectFrom("webhooks").selectAll().where("id", "in", ids).execute();
      const webhooks = new Map(rows.map((row) => [row.id, row]));
      const found: (DisabledReason | undefined)[] = [];
      for (const attempt of attempts) {
        const webhook = webhooks.get(webhookIds.get(attempt.id) ?? asWebhookId(""));
        found.push(webhook && (await this.#recordHealth(tx, webhook, attempt)));
      }
      return found;
    });
    this.#events.notify();
    return reasons;
  }

  /**
   * Most attempts change nothing here: a success of a webhook that does not fail, a failure of one that does. What changes
   * is changed in `webhook`, too.
   */
  async #recordHealth(
    tx: Transaction<Tables>,
    webhook: Selectable<Tables["webhooks"]>,
    { id, result }: DeliveryAttempt,
  ): Promise<DisabledReason | undefined> {
    const nowMs = this.#clock.epochMs();
    const set = async (columns: {
      failing_since?: EpochMs | null;
      disabled_reason?: DisabledReason;
    }): Promise<void> => {
      Object.assign(webhook, columns);
      await tx.updateTable("webhooks").set(columns).where("id", "=", webhook.id).execute();
    };
    if (result.kind === "delivered") {
      if (webhook.failing_since !== null) await set({ failing_since: null });
      return undefined;
    }
    const { failing_since: failingSince } = webhook;
    if (failingSince === null) await set({ failing_since: nowMs });
    if (webhook.disabled_reason !== null) return undefined;
    // The last attempt of a schedule: one failure after days without an event says nothing.
    const isOver =
      result.nextAttemptAtMs === undefined &&
      failingSince !== null &&
      addMs(failingSince, FAILING_DAYS_MAX * DAY_MS) <= nowMs;
    if (!result.isGone && !isOver) return undefined;
    const reason = result.isGone ? "gone" : "failing";
    const disabled = await tx
      .updateTable("webhooks")
      .set({ disabled_reason: reason })
      .where("id", "=", webhook.id)
      .where("disabled_reason", "is", null)
      .returning("id")
      .executeTakeFirst();
    webhook.disabled_reason = reason;
    // Another attempt was the reason.
    if (disabled === undefined) return undefined;
    // Those that wait fail when their jobs find the webhook disabled.
    await failDelivery(tx, id);
    const data = { webhook: { id: webhook.id, url: webhook.url, reason } };
    const name = `${webhook.id} ${nowMs}`;
    await this.#events.insert(tx, { accountId: webhook.account_id, type: "webhook.disabled", name, data });
    return reason;
  }

  async reseal({ limit, afterId }: ResealPage): Promise<Resealed> {
    const current = this.#keys.current.id;
    const rows = await this.#db
      .selectFrom("webhooks")
      .select(["id", "secret", "previous_secret", "previous_secret_until"])
      .where("deleted_at", "is", null)
      .where((webhook) =>
        webhook.or([
          webhook("secret", "not like", `v1.${current}.%`),
          webhook("previous_secret", "not like", `v1.${current}.%`),
        ]),
      )
      .$if(afterId !== undefined, (webhooks) => webhooks.where("id", ">", asWebhookId(afterId ?? "")))
      .orderBy("id")
      .limit(limit)
      .execute();
    const unsealable: WebhookId[] = [];
    for (const row of rows) {
      if (!(await this.#resealRow(row))) unsealable.push(row.id);
    }
    const lastId = rows.at(-1)?.id;
    if (lastId === undefined) await forgetUnusedKeys(this.#db, this.#keys);
    return { resealed: rows.length - unsealable.length, unsealable, ...(lastId !== undefined && { lastId }) };
  }

  /** Returns false where a secret cannot be opened, which then stays as it is. A previous one that is over is forgotten. */
  async #resealRow(row: SealedRow): Promise<boolean> {
    const { id, secret, previous_secret: previous, previous_secret_until: untilMs } = row;
    const isOver = untilMs === null || untilMs <= this.#clock.epochMs();
    const again = (text: string, column: string): string | TrunklineError =>
      valueOrUnsealable(() => this.#seal(this.#open(text, id, column), id, column));
    const resealed = again(secret, "secret");
    const resealedPrevious = previous === null || isOver ? null : again(previous, "previous_secret");
    const sealed = {
      ...(typeof resealed === "string" && { secret: resealed }),
      ...(!(resealedPrevious instanceof TrunklineError) && { previous_secret: resealedPrevious }),
    };
    if (Object.keys(sealed).length === 0) return false;
    await this.#database.transaction(async (tx) => {
      await noteKey(tx, this.#keys, this.#clock);
      await tx
        .updateTable("webhooks")
        .set(sealed)
        .where("id", "=", id)
        // Another rotation of the secret meanwhile has sealed it with the current key.
        .where("secret", "=", secret)
        .execute();
    });
    return typeof resealed === "string" && !(resealedPrevious instanceof TrunklineError);
  }

  async deleteRemoved(): Promise<number> {
    const webhook = await this.#db
      .selectFrom("webhooks")
      .select("id")
      .where("deleted_at", "is not", null)
      .limit(1)
      .executeTakeFirst();
    if (webhook === undefined) return 0;
    const deleted = await this.#deliveries.deleteOf(webhook.id);
    if (deleted > 0) return deleted;
    const { numDeletedRows } = await this.#db.deleteFrom("webhooks").where("id", "=", webhook.id).executeTakeFirst();
    return Number(numDeletedRows);
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
      .where("deleted_at", "is", null)
      .executeTakeFirst();
  }

  #seal(text: string, rowId: WebhookId, column: string): string {
    return this.#keys.seal(text, { table: "webhooks", rowId, column });
  }

  #open(sealed: string, rowId: WebhookId, column: string): string {
    return this.#keys.open(sealed, { table: "webhooks", rowId, column });
  }
}

/** As Standard Webhooks writes secrets. */
export const newSecret = (): string => `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString("base64")}`;
