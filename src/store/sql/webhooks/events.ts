import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import type { AccountId, CallId } from "../../../core/ids.ts";
import { newId } from "../../../core/new-id.ts";
import type { WebhookEventType } from "../../../core/webhook-events.ts";
import { DELIVERY_JOB } from "../../job-kinds.ts";
import type { SqlJobs } from "../jobs.ts";
import type { Tables } from "../tables.ts";

/** A fact to deliver. */
export interface Fact {
  accountId: AccountId;
  type: WebhookEventType;
  callId?: CallId | undefined;
  /** Names the fact where it is not the only one of its type about its call. */
  name?: string | undefined;
  /** Absent for `call.ended`. */
  data?: object | undefined;
}

/** Writes events and their deliveries in the transactions of other stores. */
export class SqlEvents {
  readonly #clock: Clock;
  readonly #jobs: SqlJobs;
  /** A delivery was inserted since the last `notify`. */
  #hasInserted = false;

  constructor(clock: Clock, jobs: SqlJobs) {
    this.#clock = clock;
    this.#jobs = jobs;
  }

  /**
   * Stores a fact, once, with a delivery to every webhook of the account that wants it. Call `notify` after the commit.
   * Nothing is stored where no webhook wants it.
   */
  async insert(tx: Kysely<Tables> | Transaction<Tables>, fact: Fact): Promise<void> {
    const { accountId, type, callId, name = callId, data } = fact;
    const webhooks = await tx
      .selectFrom("webhooks")
      .select(["id", "event_types"])
      .where("account_id", "=", accountId)
      .where("disabled_reason", "is", null)
      .execute();
    const wanting = webhooks.filter(({ event_types }) => (JSON.parse(event_types) as string[]).includes(type));
    if (wanting.length === 0) return;
    const nowMs = this.#clock.epochMs();
    const event = await tx
      .insertInto("webhook_events")
      .values({
        id: newId("event"),
        account_id: accountId,
        type,
        call_id: callId ?? null,
        fact: `${type} ${name}`,
        data: data === undefined ? null : JSON.stringify(data),
        created_at: nowMs,
      })
      .onConflict((conflict) => conflict.column("fact").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (event === undefined) return;
    this.#hasInserted = true;
    for (const webhook of wanting) {
      const id = newId("delivery");
      await tx
        .insertInto("webhook_deliveries")
        .values({
          id,
          account_id: accountId,
          webhook_id: webhook.id,
          event_id: event.id,
          status: "pending",
          attempts: 0,
          created_at: nowMs,
          next_attempt_at: nowMs,
        })
        .execute();
      await this.#jobs.insert(tx, { kind: DELIVERY_JOB, payload: { deliveryId: id }, accountId, lane: webhook.id });
    }
  }

  /** Wakes what sends, if there is anything to send. */
  notify(): void {
    if (!this.#hasInserted) return;
    this.#hasInserted = false;
    this.#jobs.notify();
  }
}
