import type { ExpressionBuilder, Kysely } from "kysely";
import { isRedacted } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, CallId } from "../../core/ids.ts";
import type { DueCall, DueQuery, KeptCall, RetentionStore } from "../calls/retention-store.ts";
import { headerRows } from "./calls/metadata.ts";
import { trimTranscript } from "./calls/turns.ts";
import type { SqlDatabase } from "./database.ts";
import type { SideEffects } from "./side-effects.ts";
import type { Tables } from "./tables.ts";

const ENDED_STATUSES = ["ended", "failed", "expired"] as const;

/** See `RetentionStore`. */
export class SqlRetention implements RetentionStore {
  readonly #database: SqlDatabase;
  readonly #changeLog: SideEffects["changeLog"];
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, clock: Clock, { changeLog }: Pick<SideEffects, "changeLog">) {
    this.#database = database;
    this.#changeLog = changeLog;
    this.#db = database.db;
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

  async listKept(callIds: readonly CallId[]): Promise<ReadonlyMap<CallId, KeptCall>> {
    if (callIds.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom("calls")
      .select(["id", "status", "ended_at", "settings", "recording_deleted_at", "transcript_deleted_at"])
      .where("id", "in", callIds)
      .execute();
    return new Map(
      rows.map((row) => [
        row.id,
        {
          endedAtMs: isOver(row.status) ? (row.ended_at ?? undefined) : undefined,
          isExpired: row.status === "expired",
          keepsRecording: row.recording_deleted_at === null,
          keepsJournal: row.recording_deleted_at === null && row.transcript_deleted_at === null,
          isRedacted: isRedacted(JSON.parse(row.settings)),
        },
      ]),
    );
  }

  async deleteMediaKey(callId: CallId): Promise<void> {
    await this.#db.deleteFrom("media_keys").where("call_id", "=", callId).execute();
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
    await this.#database.transaction(async (tx) => {
      await deleteHeaderPairs(tx, callId);
      const call = await tx
        .updateTable("calls")
        .set({
          words: null,
          variables: null,
          parameters: null,
          phone_headers: null,
          analysis: null,
          transcript_deleted_at: this.#clock.epochMs(),
        })
        .where("id", "=", callId)
        .where("status", "in", ENDED_STATUSES)
        .returning("id")
        .executeTakeFirst();
      if (call === undefined) return;
      await tx.deleteFrom("turns").where("call_id", "=", callId).execute();
      await tx.updateTable("tool_runs").set({ words: null }).where("call_id", "=", callId).execute();
      // An endpoint may have answered with what it was sent.
      const events = tx.selectFrom("webhook_events").select("id").where("call_id", "=", callId);
      await tx
        .updateTable("webhook_deliveries")
        .set({ answer: null, failed_attempts: null })
        .where("event_id", "in", events)
        .execute();
    });
  }

  compact(): Promise<boolean> {
    return this.#database.compact();
  }

  async purgeChangeLog(): Promise<void> {
    this.#changeLog.markPending();
    await this.#changeLog.retry();
  }
}

const isOver = (status: string): boolean => (ENDED_STATUSES as readonly string[]).includes(status);

const isAfter = (calls: ExpressionBuilder<Tables, "calls">, { id, endedAtMs }: DueCall) =>
  calls.or([calls("ended_at", ">", endedAtMs), calls.and([calls("ended_at", "=", endedAtMs), calls("id", ">", id)])]);

/** The call is no longer found by its headers. */
async function deleteHeaderPairs(tx: Kysely<Tables>, callId: CallId): Promise<void> {
  const call = await tx
    .selectFrom("calls")
    .select(["account_id", "phone_headers"])
    .where("id", "=", callId)
    .where("status", "in", ENDED_STATUSES)
    .executeTakeFirst();
  if (call === undefined || call.phone_headers === null) return;
  const hashes = headerRows({ callId, accountId: call.account_id }, JSON.parse(call.phone_headers)).map(
    ({ pair_hash: hash }) => hash,
  );
  if (hashes.length === 0) return;
  await tx
    .deleteFrom("call_metadata")
    .where("account_id", "=", call.account_id)
    .where("call_id", "=", callId)
    .where("pair_hash", "in", hashes)
    .execute();
}
