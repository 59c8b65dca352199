import { type Insertable, type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import {
  type AccountId,
  type CallId,
  type DocumentId,
  liveTranscriptionOf,
  type TranscriptionId,
} from "../../../core/ids.ts";
import { DELIVERIES_WAITING_MAX } from "../../../core/limits/control-api/webhooks.ts";
import { eventIdOf, newId } from "../../../core/new-id.ts";
import type { WebhookEventType } from "../../../core/webhook-events.ts";
import { DELIVERY_JOB } from "../../job-kinds.ts";
import type { NewJob } from "../../job-store.ts";
import { insertIf, type RowsOfTable, runCombined, withInserts } from "../combined-writes.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlJobs } from "../job-queue/jobs.ts";
import type { Tables } from "../tables.ts";
import { keepsEvents } from "./event-streams.ts";

/** A fact to deliver. */
export interface Fact {
  accountId: AccountId;
  type: WebhookEventType;
  callId?: CallId | undefined;
  transcriptionId?: TranscriptionId | undefined;
  documentId?: DocumentId | undefined;
  /** With the type it names the fact among all facts there ever are: by default the id of the call or the transcription. */
  name?: string | undefined;
  /** Absent for `call.ended` and for events of transcriptions and documents. */
  data?: object | undefined;
}

const PENDING = { status: "pending", answer: null };
/** It can be replayed when its webhook has caught up. */
const NOT_SENT = {
  status: "failed",
  answer: JSON.stringify({ excerpt: `not sent: ${DELIVERIES_WAITING_MAX} deliveries of the webhook wait`, tookMs: 0 }),
};

/**
 * Holds where nothing waits for facts of these types of an account at present: it has no stream, and no webhook for them. For a statement that
 * writes a fact by itself; where it does not hold, the fact is written in a transaction with `SqlEvents.insert`.
 */
export function isUnwanted(
  types: readonly WebhookEventType[],
  accountId: AccountId | RawBuilder<AccountId>,
  nowMs: EpochMs,
): RawBuilder<boolean> {
  if (types.length === 0) return sql`true`;
  const named = sql.join(
    types.map((type) => sql`event_types like ${`%"${type}"%`}`),
    sql` or `,
  );
  return sql`(not ${keepsEvents(accountId, nowMs)}
    and not exists (select 1 from webhooks where account_id = ${accountId} and disabled_reason is null and (${named})))`;
}

/** Writes events and their deliveries in the transactions of other stores. */
export class SqlEvents {
  readonly #database: Pick<SqlDatabase, "locksRows" | "combinesWrites">;
  readonly #clock: Clock;
  readonly #jobs: SqlJobs;
  /** A delivery was inserted since the last `notify`. */
  #hasInserted = false;

  constructor(database: Pick<SqlDatabase, "locksRows" | "combinesWrites">, clock: Clock, jobs: SqlJobs) {
    this.#database = database;
    this.#clock = clock;
    this.#jobs = jobs;
  }

  /**
   * Stores a fact, once: for the streams of the account, where it has any, and with a delivery to every webhook of the
   * account that wants it. Call `notify` after the commit. A live transcription is a call without events.
   */
  async insert(tx: Kysely<Tables> | Transaction<Tables>, fact: Fact): Promise<void> {
    const { accountId, type, callId, transcriptionId, documentId, name = callId ?? transcriptionId, data } = fact;
    // Only its end is a fact, and that is an event of the transcription.
    if (callId !== undefined && liveTranscriptionOf(callId) !== undefined) return;
    const nowMs = this.#clock.epochMs();
    const uniqueName = `${type} ${name}`;
    const row = {
      id: eventIdOf(uniqueName),
      account_id: accountId,
      type,
      call_id: callId ?? null,
      transcription_id: transcriptionId ?? null,
      document_id: documentId ?? null,
      data: data === undefined ? null : JSON.stringify(data),
      created_at: nowMs,
    };
    const { isKept, webhooks } = await this.#wanting(tx, accountId, type, nowMs);
    if (isKept) {
      await tx
        .insertInto("stream_events")
        .values({ ...row, sequence: null })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    if (webhooks.length === 0) return;
    const deliveries = webhooks.map((webhook) => ({
      id: newId("delivery"),
      account_id: accountId,
      webhook_id: webhook.id,
      event_id: row.id,
      ...(webhook.is_full === 0 ? PENDING : NOT_SENT),
      attempts: 0,
      created_at: nowMs,
      next_attempt_at: webhook.is_full === 0 ? nowMs : null,
    }));
    const jobs = deliveries
      .filter(({ status }) => status === "pending")
      .map(({ id, webhook_id: lane }) => ({ kind: DELIVERY_JOB, payload: { deliveryId: id }, accountId, lane }));
    if (await this.#store(tx, { ...row, fact: uniqueName }, deliveries, jobs)) this.#hasInserted = true;
  }

  /** Stores an event that is not stored yet, with its deliveries; false where it is. */
  async #store(
    tx: Kysely<Tables>,
    event: Insertable<Tables["webhook_events"]>,
    deliveries: readonly Insertable<Tables["webhook_deliveries"]>[],
    jobs: readonly NewJob[],
  ): Promise<boolean> {
    if (this.#database.combinesWrites) {
      const row: RowsOfTable = { table: "webhook_events", rows: [event], skipsTaken: true };
      const stored = tx.with("event", (part) => insertIf(part, row, sql`true`).returning("id"));
      const inserts: RowsOfTable[] = [
        { table: "webhook_deliveries", rows: deliveries },
        { table: "jobs", rows: this.#jobs.rowsOf(jobs), skipsTaken: true },
      ];
      return await runCombined(withInserts(stored, "event", inserts), "event");
    }
    const stored = await tx
      .insertInto("webhook_events")
      .values(event)
      // Of an event that another transaction stores at this moment, its id or its fact may be found first.
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (stored === undefined) return false;
    await tx.insertInto("webhook_deliveries").values(deliveries).execute();
    await this.#jobs.insertAll(tx, jobs);
    return true;
  }

  /** Who wants a fact of this type at present: the streams of the account, and some of its webhooks. */
  async #wanting(tx: Kysely<Tables>, accountId: AccountId, type: WebhookEventType, nowMs: EpochMs) {
    // A webhook that is deleted meanwhile is deleted after this fact.
    const enabled = tx
      .selectFrom("webhooks")
      .$if(this.#database.locksRows, (query) => query.forKeyShare())
      .select(["id", "event_types", "is_full"])
      .where("account_id", "=", accountId)
      .where("disabled_reason", "is", null);
    // One row where there is no webhook.
    const rows = await tx
      .selectFrom(tx.selectNoFrom(sql<number>`1`.as("one")).as("always"))
      .leftJoin(enabled.as("webhook"), (join) => join.onTrue())
      .select(["webhook.id", "webhook.event_types", "webhook.is_full"])
      .select(keepsEvents(accountId, nowMs).as("is_kept"))
      .execute();
    const webhooks = rows.flatMap(({ id, event_types: types, is_full: isFull }) =>
      id !== null && types !== null && (JSON.parse(types) as string[]).includes(type) ? [{ id, is_full: isFull }] : [],
    );
    return { isKept: Boolean(rows[0]?.is_kept), webhooks };
  }

  /** Wakes what sends, if there is anything to send. */
  notify(): void {
    if (!this.#hasInserted) return;
    this.#hasInserted = false;
    this.#jobs.notify();
  }
}
