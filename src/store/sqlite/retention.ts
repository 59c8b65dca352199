import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import type { Database } from "libsql";
import type { Clock } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, CallId } from "../../core/ids.ts";
import type { DueCall, DueQuery, RetentionStore } from "../retention-store.ts";
import { trimTranscript } from "./calls/turns.ts";
import { execute } from "./database/dialect.ts";
import type { Tables } from "./database/tables.ts";
import { truncateWal } from "./database/wal-truncation.ts";

/** Pages of 4 KiB that one step returns, in one transaction: about a millisecond and one forced write. */
const PAGES_PER_STEP = 64;

const ENDED_STATUSES = ["ended", "failed", "expired"] as const;

/** See `RetentionStore`. */
export class SqliteRetention implements RetentionStore {
  readonly #db: Kysely<Tables>;
  readonly #file: Database;
  readonly #clock: Clock;

  /** `file` is the open database of `db`. */
  constructor(db: Kysely<Tables>, file: Database, clock: Clock) {
    this.#db = db;
    this.#file = file;
    this.#clock = clock;
  }

  async listDue(accountId: AccountId, { part, endedBeforeMs, after, limit }: DueQuery): Promise<readonly DueCall[]> {
    let due = this.#db
      .selectFrom("calls")
      .select(["id", "ended_at"])
      .$narrowType<{ ended_at: EpochMs }>()
      .where("account_id", "=", accountId)
      .where("status", "in", ENDED_STATUSES)
      .where("ended_at", "<", endedBeforeMs)
      .orderBy("ended_at")
      .orderBy("id")
      .limit(limit);
    if (part === "recording") due = due.where("recording_deleted_at", "is", null);
    if (part === "transcript") due = due.where("transcript_deleted_at", "is", null);
    if (after !== undefined) due = due.where((calls) => isAfter(calls, after));
    return (await due.execute()).map((row) => ({ id: row.id, endedAtMs: row.ended_at }));
  }

  async markRecordingDeleted(callId: CallId): Promise<void> {
    await this.#db
      .updateTable("calls")
      .set({ recording: null, recording_deleted_at: this.#clock.epochMs() })
      .where("id", "=", callId)
      .where("status", "in", ENDED_STATUSES)
      .execute();
  }

  async deleteTranscript(callId: CallId): Promise<void> {
    const over = this.#db
      .selectFrom("calls")
      .select("id")
      .where("id", "=", callId)
      .where("status", "in", ENDED_STATUSES);
    if ((await over.executeTakeFirst()) === undefined) return;
    await trimTranscript(this.#db, callId);
    await this.#db.transaction().execute(async (tx) => {
      const call = await tx
        .updateTable("calls")
        .set({ words: null, transcript_deleted_at: this.#clock.epochMs() })
        .where("id", "=", callId)
        .where("status", "in", ENDED_STATUSES)
        .returning("id")
        .executeTakeFirst();
      if (call !== undefined) await tx.deleteFrom("turns").where("call_id", "=", callId).execute();
    });
  }

  async compact(): Promise<boolean> {
    // A prepared statement of this would stay in progress (libsql 0.5.29) and lock the file against the checkpoint.
    execute(this.#file, `PRAGMA incremental_vacuum(${PAGES_PER_STEP})`);
    return (await this.#freePages()) > 0 && (await this.#isIncremental());
  }

  async purgeChangeLog(): Promise<void> {
    await truncateWal(this.#db);
  }

  async #freePages(): Promise<number> {
    const { rows } = await sql<{ freelist_count: number }>`PRAGMA freelist_count`.execute(this.#db);
    return rows[0]?.freelist_count ?? 0;
  }

  /** A database of an earlier version keeps the freed space and reuses it. */
  async #isIncremental(): Promise<boolean> {
    const { rows } = await sql<{ auto_vacuum: number }>`PRAGMA auto_vacuum`.execute(this.#db);
    return rows[0]?.auto_vacuum === 2;
  }
}

const isAfter = (calls: ExpressionBuilder<Tables, "calls">, { id, endedAtMs }: DueCall) =>
  calls.or([calls("ended_at", ">", endedAtMs), calls.and([calls("ended_at", "=", endedAtMs), calls("id", ">", id)])]);
