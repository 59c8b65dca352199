import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { CallId, DeliveryId, DocumentId, TranscriptionId, WebhookId } from "../../../core/ids.ts";
import { FAILED_ATTEMPTS_CHARS_MAX, REPLAY_ROWS_PER_QUERY } from "../../../core/limits/control-api/webhooks.ts";
import { DELIVERY_JOB } from "../../job-kinds.ts";
import type {
  AttemptResult,
  Delivery,
  DeliveryQuery,
  DeliveryStatus,
  FailedAttempt,
} from "../../webhooks/webhook-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlJobs } from "../job-queue/jobs.ts";
import type { Tables } from "../tables.ts";
import { deliveryOf } from "./rows.ts";

/** The result of an attempt at a delivery. */
export interface DeliveryAttempt {
  id: DeliveryId;
  result: AttemptResult;
}

interface AttemptColumns {
  status: DeliveryStatus;
  answer: string | RawBuilder<string>;
  next_attempt_at: EpochMs | null;
  failed_attempts?: RawBuilder<string>;
}

/** The failed attempts of a delivery with one more. */
const withAttempt = (attempt: FailedAttempt): RawBuilder<string> => {
  const earlier = sql.ref("failed_attempts");
  return sql<string>`case when length(${earlier}) < ${FAILED_ATTEMPTS_CHARS_MAX} then ${earlier} || ',' else '' end || ${JSON.stringify(attempt)}`;
};

/** The answer of each delivery, for one statement about all of them. */
const answersOf = (attempts: readonly DeliveryAttempt[]): RawBuilder<string> => {
  const cases = attempts.map(({ id, result }) => sql`when ${id} then ${JSON.stringify(result.answer)}`);
  return sql<string>`case id ${sql.join(cases, sql` `)} end`;
};

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

  /** Those of the deliveries that are still to be sent. */
  async pending(ids: readonly DeliveryId[]): Promise<readonly Delivery[]> {
    const rows = await this.#withEvents(this.#db)
      .where("delivery.id", "in", ids)
      .where("delivery.status", "=", "pending")
      .execute();
    return rows.map(deliveryOf);
  }

  /** Returns the webhooks of the deliveries; one that is no longer to be sent has none. */
  async recordAttempts(
    tx: Transaction<Tables>,
    attempts: readonly DeliveryAttempt[],
  ): Promise<ReadonlyMap<DeliveryId, WebhookId>> {
    const delivered = attempts.filter(({ result }) => result.kind === "delivered");
    const webhooks = new Map<DeliveryId, WebhookId>();
    const nowMs = this.#clock.epochMs();
    const record = async (ids: readonly DeliveryId[], columns: AttemptColumns): Promise<void> => {
      const rows = await tx
        .updateTable("webhook_deliveries")
        .set((delivery) => ({
          ...columns,
          attempts: delivery("attempts", "+", 1),
          last_attempt_at: nowMs,
        }))
        .where("id", "in", ids)
        .where("status", "=", "pending")
        .returning(["id", "webhook_id"])
        .execute();
      for (const { id, webhook_id } of rows) webhooks.set(id, webhook_id);
    };
    if (delivered.length > 0) {
      const ids = delivered.map(({ id }) => id);
      await record(ids, { status: "delivered", answer: answersOf(delivered), next_attempt_at: null });
    }
    for (const { id, result } of attempts) {
      if (result.kind === "delivered") continue;
      const { nextAttemptAtMs = null } = result;
      const status = nextAttemptAtMs === null ? "failed" : "pending";
      await record([id], {
        status,
        answer: JSON.stringify(result.answer),
        next_attempt_at: nextAttemptAtMs,
        failed_attempts: withAttempt({ atMs: nowMs, ...result.answer }),
      });
    }
    return webhooks;
  }

  /** Deletes deliveries of a webhook, a limited number. Returns how many. */
  async deleteOf(webhookId: WebhookId): Promise<number> {
    const some = this.#db
      .selectFrom("webhook_deliveries")
      .select("id")
      .where("webhook_id", "=", webhookId)
      .limit(REPLAY_ROWS_PER_QUERY);
    const { numDeletedRows } = await this.#db
      .deleteFrom("webhook_deliveries")
      .where("id", "in", some)
      .executeTakeFirst();
    return Number(numDeletedRows);
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
    const ofEvents = await this.#db.deleteFrom("webhook_events").where("id", "in", events).executeTakeFirst();
    return Number(numDeletedRows + ofEvents.numDeletedRows);
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

/** It is not attempted any more, but can be replayed. */
export async function failDelivery(db: Kysely<Tables>, id: DeliveryId): Promise<void> {
  await db
    .updateTable("webhook_deliveries")
    .set({ status: "failed", next_attempt_at: null })
    .where("id", "=", id)
    .where("status", "=", "pending")
    .execute();
}

/** Its job is attempted again. */
export async function resumeDelivery(db: Kysely<Tables>, id: DeliveryId): Promise<void> {
  await db
    .updateTable("webhook_deliveries")
    .set({ status: "pending" })
    .where("id", "=", id)
    .where("status", "=", "failed")
    .execute();
}

/** Deletes the events of a call, whose data may quote it, with their deliveries. */
export async function deleteEventsOf(tx: Transaction<Tables>, callId: CallId): Promise<void> {
  const events = tx.selectFrom("webhook_events").select("id").where("call_id", "=", callId);
  await tx.deleteFrom("webhook_deliveries").where("event_id", "in", events).execute();
  await tx.deleteFrom("webhook_events").where("call_id", "=", callId).execute();
  await tx.deleteFrom("stream_events").where("call_id", "=", callId).execute();
}

/** As `deleteEventsOf`, of a transcription. */
export async function deleteEventsOfTranscription(tx: Transaction<Tables>, id: TranscriptionId): Promise<void> {
  const events = tx.selectFrom("webhook_events").select("id").where("transcription_id", "=", id);
  await tx.deleteFrom("webhook_deliveries").where("event_id", "in", events).execute();
  await tx.deleteFrom("webhook_events").where("transcription_id", "=", id).execute();
  await tx.deleteFrom("stream_events").where("transcription_id", "=", id).execute();
}

/** As `deleteEventsOf`, of a document. */
export async function deleteEventsOfDocument(tx: Transaction<Tables>, id: DocumentId): Promise<void> {
  const events = tx.selectFrom("webhook_events").select("id").where("document_id", "=", id);
  await tx.deleteFrom("webhook_deliveries").where("event_id", "in", events).execute();
  await tx.deleteFrom("webhook_events").where("document_id", "=", id).execute();
  await tx.deleteFrom("stream_events").where("document_id", "=", id).execute();
}
