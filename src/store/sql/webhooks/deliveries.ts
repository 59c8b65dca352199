import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { CallId, DeliveryId, WebhookId } from "../../../core/ids.ts";
import { REPLAY_ROWS_PER_QUERY } from "../../../core/limits/webhooks.ts";
import { DELIVERY_JOB } from "../../job-kinds.ts";
import type { AttemptResult, Delivery, DeliveryQuery } from "../../webhook-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlJobs } from "../jobs.ts";
import type { Tables } from "../tables.ts";
import { deliveryOf } from "./rows.ts";

/** The rows of deliveries. */
export class Deliveries {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #jobs: SqlJobs;

  constructor(database: SqlDatabase, clock: Clock, jobs: SqlJobs) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#jobs = jobs;
  }

  async list(webhookId: WebhookId, query: DeliveryQuery): Promise<{ deliveries: readonly Delivery[]; more: boolean }> {
    // One row more than requested shows whether others follow.
    const rows = await this.#matching(this.#db, webhookId, query)
      .limit(query.limit + 1)
      .execute();
    return { deliveries: rows.slice(0, query.limit).map(deliveryOf), more: rows.length > query.limit };
  }

  async get(webhookId: WebhookId, id: DeliveryId): Promise<Delivery | undefined> {
    const row = await this.#matching(this.#db, webhookId, { limit: 1 })
      .where("delivery.id", "=", id)
      .executeTakeFirst();
    return row && deliveryOf(row);
  }

  async replay(
    webhookId: WebhookId,
    which: { ids: readonly DeliveryId[] } | { query: DeliveryQuery },
  ): Promise<{ replayed: number; last?: DeliveryId; more: boolean }> {
    const query = "query" in which ? which.query : { limit: which.ids.length };
    const limit = Math.min(query.limit, REPLAY_ROWS_PER_QUERY);
    const found = await this.#database.transaction(async (tx) => {
      let due = this.#matching(tx, webhookId, query).where("delivery.status", "!=", "pending");
      if ("ids" in which) due = due.where("delivery.id", "in", which.ids);
      const rows = await due.limit(limit + 1).execute();
      const replayed = rows.slice(0, limit);
      for (const { id, account_id: accountId } of replayed) {
        await tx
          .updateTable("webhook_deliveries")
          .set({ status: "pending", next_attempt_at: this.#clock.epochMs() })
          .where("id", "=", id)
          .execute();
        await this.#jobs.insert(tx, {
          kind: DELIVERY_JOB,
          payload: { deliveryId: id },
          key: id,
          accountId,
          lane: webhookId,
        });
      }
      return { replayed, more: rows.length > limit };
    });
    this.#jobs.notify();
    const last = found.replayed.at(-1)?.id;
    return { replayed: found.replayed.length, more: found.more, ...(last !== undefined && { last }) };
  }

  /** A delivery that is still to be sent. */
  async pending(id: DeliveryId): Promise<Delivery | undefined> {
    const row = await this.#withEvents(this.#db)
      .where("delivery.id", "=", id)
      .where("delivery.status", "=", "pending")
      .executeTakeFirst();
    return row && deliveryOf(row);
  }

  /** The webhook of the delivery; undefined when it is no longer to be sent. */
  async recordAttempt(tx: Transaction<Tables>, id: DeliveryId, result: AttemptResult): Promise<WebhookId | undefined> {
    const isFinal = result.kind === "failed" && result.nextAttemptAtMs === undefined;
    const row = await tx
      .updateTable("webhook_deliveries")
      .set((delivery) => ({
        status: result.kind === "delivered" ? "delivered" : isFinal ? "failed" : "pending",
        attempts: delivery("attempts", "+", 1),
        answer: JSON.stringify(result.answer),
        last_attempt_at: this.#clock.epochMs(),
        next_attempt_at: result.kind === "failed" ? (result.nextAttemptAtMs ?? null) : null,
      }))
      .where("id", "=", id)
      .where("status", "=", "pending")
      .returning("webhook_id")
      .executeTakeFirst();
    return row?.webhook_id;
  }

  /** What waits for a webhook that was disabled can be replayed later. Its jobs find nothing to send. */
  async failWaiting(tx: Transaction<Tables>, webhookId: WebhookId): Promise<void> {
    await tx
      .updateTable("webhook_deliveries")
      .set({ status: "failed", next_attempt_at: null })
      .where("webhook_id", "=", webhookId)
      .where("status", "=", "pending")
      .execute();
  }

  async deleteOld(createdBeforeMs: EpochMs): Promise<number> {
    const old = this.#db
      .selectFrom("webhook_deliveries")
      .select("id")
      .where("status", "in", ["delivered", "failed"])
      .where("created_at", "<", createdBeforeMs)
      .limit(REPLAY_ROWS_PER_QUERY);
    const { numDeletedRows } = await this.#db
      .deleteFrom("webhook_deliveries")
      .where("id", "in", old)
      .executeTakeFirst();
    const events = this.#db
      .selectFrom("webhook_events as event")
      .select("event.id")
      .where("event.created_at", "<", createdBeforeMs)
      .where((event) =>
        event.not(
          event.exists(
            event
              .selectFrom("webhook_deliveries as delivery")
              .select("delivery.id")
              .whereRef("delivery.event_id", "=", "event.id"),
          ),
        ),
      )
      .limit(REPLAY_ROWS_PER_QUERY);
    await this.#db.deleteFrom("webhook_events").where("id", "in", events).execute();
    return Number(numDeletedRows);
  }

  #matching(db: Kysely<Tables>, webhookId: WebhookId, query: DeliveryQuery) {
    const { status, eventType, callId, createdFromMs, createdBeforeMs, afterDeliveryId } = query;
    let rows = this.#withEvents(db).where("delivery.webhook_id", "=", webhookId).orderBy("delivery.id", "desc");
    if (status !== undefined) rows = rows.where("delivery.status", "=", status);
    if (eventType !== undefined) rows = rows.where("event.type", "=", eventType);
    if (callId !== undefined) rows = rows.where("event.call_id", "=", callId);
    if (createdFromMs !== undefined) rows = rows.where("delivery.created_at", ">=", createdFromMs);
    if (createdBeforeMs !== undefined) rows = rows.where("delivery.created_at", "<", createdBeforeMs);
    if (afterDeliveryId !== undefined) rows = rows.where("delivery.id", "<", afterDeliveryId);
    return rows;
  }

  #withEvents(db: Kysely<Tables>) {
    return db
      .selectFrom("webhook_deliveries as delivery")
      .innerJoin("webhook_events as event", "event.id", "delivery.event_id")
      .selectAll("delivery")
      .select(["event.type", "event.call_id"]);
  }
}

/** Deletes the events of a call, whose data may quote it, with their deliveries. */
export async function deleteEventsOf(tx: Transaction<Tables>, callId: CallId): Promise<void> {
  const events = tx.selectFrom("webhook_events").select("id").where("call_id", "=", callId);
  await tx.deleteFrom("webhook_deliveries").where("event_id", "in", events).execute();
  await tx.deleteFrom("webhook_events").where("call_id", "=", callId).execute();
}
