import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import { addMs, type EpochMs, elapsedMs } from "../../../core/clocks.ts";
import type { AccountId, EventId } from "../../../core/ids.ts";
import { EVENTS_KEPT_MS } from "../../../core/limits/control-api/events.ts";
import { TRANSACTION_ROWS_MAX } from "../../../core/limits/storage/storage.ts";
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from "../../../core/webhook-events.ts";
import type { EventStreamStore, StreamEvent, StreamPosition } from "../../webhooks/event-stream-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { eventOf } from "./rows.ts";

/** See `EventStreamStore`. */
export class SqlEventStreams implements EventStreamStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, clock: Clock) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
  }

  open(accountId: AccountId): Promise<StreamPosition> {
    const nowMs = this.#clock.epochMs();
    const kept_until = addMs(nowMs, EVENTS_KEPT_MS);
    return this.#database.readCommitted(async (tx) => {
      await tx
        .insertInto("event_streams")
        .values({ account_id: accountId, kept_until, last_sequence: 0, lost_through: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const stream = await this.#locked(tx, accountId);
      let { last, lostThrough } = positionOf(stream);
      if (stream.kept_until <= nowMs) {
        // A number for all that was not kept.
        last += 1;
        lostThrough = last;
      }
      await tx
        .updateTable("event_streams")
        .set({ kept_until, last_sequence: last, lost_through: lostThrough })
        .where("account_id", "=", accountId)
        .execute();
      return { last, lostThrough };
    });
  }

  async number(): Promise<void> {
    for (;;) {
      // Most of the time there is none, which needs no write.
      const found = await this.#unnumbered(this.#db).execute();
      if (found.length === 0) return;
      for (const accountId of new Set(found.map((row) => row.account_id))) {
        await this.#database.readCommitted((tx) => this.#numberOf(tx, accountId));
      }
    }
  }

  /** Another process may have given some of the numbers before this one got the lock. */
  async #numberOf(tx: Transaction<Tables>, accountId: AccountId): Promise<void> {
    let { last } = positionOf(await this.#locked(tx, accountId));
    const events = await this.#unnumbered(tx).where("account_id", "=", accountId).execute();
    for (const { id } of events.toSorted(inOrder)) {
      last += 1;
      await tx.updateTable("stream_events").set({ sequence: last }).where("id", "=", id).execute();
    }
    await tx.updateTable("event_streams").set({ last_sequence: last }).where("account_id", "=", accountId).execute();
  }

  #unnumbered(db: Kysely<Tables>) {
    return db
      .selectFrom("stream_events")
      .select(["id", "account_id", "type", "created_at"])
      .where("sequence", "is", null)
      .orderBy("created_at")
      .limit(TRANSACTION_ROWS_MAX);
  }

  #locked(tx: Transaction<Tables>, accountId: AccountId) {
    return tx
      .selectFrom("event_streams")
      .selectAll()
      .where("account_id", "=", accountId)
      .$if(this.#database.locksRows, (query) => query.forUpdate())
      .executeTakeFirstOrThrow();
  }

  async lastNumbers(accountIds: readonly AccountId[]): Promise<ReadonlyMap<AccountId, number>> {
    const rows = await this.#db
      .selectFrom("event_streams")
      .select(["account_id", "last_sequence"])
      .where("account_id", "in", accountIds)
      .execute();
    return new Map(rows.map((row) => [row.account_id, row.last_sequence]));
  }

  async read(accountId: AccountId, after: number, limit: number): Promise<readonly StreamEvent[]> {
    const rows = await this.#db
      .selectFrom("stream_events")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("sequence", ">", after)
      .orderBy("sequence")
      .limit(limit)
      .execute();
    return rows.map(streamEventOf);
  }

  async deleteOld(createdBeforeMs: EpochMs): Promise<number> {
    // While no stream is open, events get no number, by which the position can say that they are missing.
    await this.number();
    const old = await this.#db
      .selectFrom("stream_events")
      .select("id")
      .where("created_at", "<", createdBeforeMs)
      .where("sequence", "is not", null)
      .limit(TRANSACTION_ROWS_MAX)
      .execute();
    if (old.length === 0) return 0;
    return await this.#database.readCommitted(async (tx) => {
      const ids = old.map(({ id }) => id);
      const deleted = await tx
        .deleteFrom("stream_events")
        .where("id", "in", ids)
        .returning(["account_id", "sequence"])
        .execute();
      for (const [accountId, events] of [...byAccount(deleted)].sort(byAccountId)) {
        const through = Math.max(...events.map(({ sequence }) => sequence ?? 0));
        await tx
          .updateTable("event_streams")
          .set({ lost_through: through })
          .where("account_id", "=", accountId)
          .where("lost_through", "<", through)
          .execute();
      }
      return deleted.length;
    });
  }
}

/** Whether events of this account are kept at present. */
export const keepsEvents = (accountId: AccountId | RawBuilder<AccountId>, nowMs: EpochMs): RawBuilder<boolean> =>
  sql`exists (select 1 from event_streams where account_id = ${accountId} and kept_until > ${nowMs})`;

function byAccount<Row extends { account_id: AccountId }>(rows: readonly Row[]): ReadonlyMap<AccountId, Row[]> {
  const found = new Map<AccountId, Row[]>();
  for (const row of rows) found.set(row.account_id, [...(found.get(row.account_id) ?? []), row]);
  return found;
}

const byAccountId = ([one]: [AccountId, unknown], [other]: [AccountId, unknown]): number => (one < other ? -1 : 1);

const positionOf = (stream: Selectable<Tables["event_streams"]>): StreamPosition => ({
  last: stream.last_sequence,
  lostThrough: stream.lost_through,
});

type Unnumbered = { id: EventId; type: string; created_at: EpochMs };

/** By time; of one millisecond in the order in which they can happen to a call. */
const inOrder = (one: Unnumbered, other: Unnumbered): number =>
  elapsedMs(other.created_at, one.created_at) || rankOf(one) - rankOf(other);

const rankOf = ({ type }: Unnumbered): number => WEBHOOK_EVENT_TYPES.indexOf(type as WebhookEventType);

const streamEventOf = ({ sequence, ...row }: Selectable<Tables["stream_events"]>): StreamEvent => ({
  ...eventOf(row),
  sequence: sequence ?? 0,
});
