import type { Kysely, Transaction } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { Clock } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId, JobId, TranscriptionId } from "../../../core/ids.ts";
import { KeyedQueue } from "../../../core/keyed-queue.ts";
import type { PartKey, PartOutcome } from "../../../core/transcriptions/part.ts";
import type { TranscriptionResult } from "../../../core/transcriptions/result.ts";
import { type Act, BY_SERVICE } from "../../accounts/audit-store.ts";
import { TRANSCRIPTION_JOB } from "../../job-kinds.ts";
import type {
  DueTranscription,
  DueTranscriptionQuery,
  IdempotentTranscription,
  NewTranscription,
  StoredPart,
  Transcription,
  TranscriptionCreation,
  TranscriptionEnd,
  TranscriptionQuery,
  TranscriptionStore,
} from "../../transcription-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { JobFollower } from "../job-queue/jobs.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import { deleteEventsOfTranscription } from "../webhooks/deliveries.ts";
import { deleteExpiredRequests, findRequest, insertRequest } from "./idempotent-requests.ts";
import { dueTranscriptions, listTranscriptions } from "./list.ts";
import { insertResult, readResult, trimResult, type WriteResult } from "./results.ts";
import {
  newColumnsOf,
  OPEN_STATUSES,
  partOf,
  providerColumn,
  transcriptionOf,
  usageColumn,
  usageOfPart,
} from "./rows.ts";

const isRedacted = (of: Pick<Transcription, "options"> | undefined): boolean => (of?.options.redact?.length ?? 0) > 0;

type Db = Kysely<Tables> | Transaction<Tables>;

/** What its end changes in the row of a transcription, besides the time. */
type EndColumns = Pick<Tables["transcriptions"], "status"> &
  Partial<Pick<Tables["transcriptions"], "has_result" | "duration_ms" | "done_ms" | "usage" | "failure">>;

/** The failure of one whose job was given up: what the job could not do is in the log and in the job. */
const ABANDONED = {
  code: "abandoned",
  message: "the transcription could not be finished after several attempts: the operator's log says why",
};

/** See `TranscriptionStore`. */
export class SqlTranscriptions implements TranscriptionStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #age: AgeClock;
  readonly #sideEffects: SideEffects;
  readonly #listeners: Parameters<TranscriptionStore["onOver"]>[0][] = [];
  /** A second end of a transcription waits for the first. */
  readonly #ends = new KeyedQueue<TranscriptionId>();

  constructor(database: SqlDatabase, clock: Clock, age: AgeClock, sideEffects: SideEffects) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#age = age;
    this.#sideEffects = sideEffects;
  }

  onOver(listener: (id: TranscriptionId, transcription: Transcription | undefined) => void): void {
    this.#listeners.push(listener);
  }

  #emitOver(id: TranscriptionId, transcription: Transcription | undefined): void {
    for (const listener of this.#listeners) listener(id, transcription);
  }

  async create(transcription: NewTranscription): Promise<Transcription> {
    const created = await this.#database.readCommitted((tx) => this.#insert(tx, transcription));
    this.#sideEffects.jobs.notify();
    return created;
  }

  async createOnce(transcription: NewTranscription, request: IdempotentTranscription): Promise<TranscriptionCreation> {
    const clocks = { clock: this.#clock, age: this.#age };
    await deleteExpiredRequests(this.#db, clocks);
    const creation = await this.#database.transaction(async (tx): Promise<TranscriptionCreation> => {
      const before = await findRequest(tx, transcription.accountId, request.keyHash, clocks);
      if (before === undefined) {
        const created = await this.#insert(tx, transcription);
        await insertRequest(tx, created, request, clocks);
        return { kind: "created", transcription: created };
      }
      if (before.fingerprint !== request.fingerprint) return { kind: "mismatch" };
      const row = await byId(tx, before.transcription_id).executeTakeFirstOrThrow();
      return { kind: "replayed", transcription: transcriptionOf(row) };
    });
    this.#sideEffects.jobs.notify();
    return creation;
  }

  async #insert(tx: Transaction<Tables>, transcription: NewTranscription): Promise<Transcription> {
    const { id, accountId, source } = transcription;
    const row = await tx
      .insertInto("transcriptions")
      .values({ id, created_at: this.#clock.epochMs(), status: "queued", ...newColumnsOf(transcription) })
      .returningAll()
      .executeTakeFirstOrThrow();
    if (source !== "live") {
      const job = { kind: TRANSCRIPTION_JOB, payload: { transcriptionId: id }, key: id, lane: accountId, accountId };
      await this.#sideEffects.jobs.insert(tx, job);
    }
    return transcriptionOf(row);
  }

  /** Stores a live one in the transaction of its call, unless it is stored already. */
  async insertLive(tx: Db, transcription: NewTranscription, createdAtMs: EpochMs): Promise<void> {
    await tx
      .insertInto("transcriptions")
      .values({ id: transcription.id, created_at: createdAtMs, status: "queued", ...newColumnsOf(transcription) })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  }

  /** Stores the result of a live one, which counts once `endLive` has ended it. False where `write` was. */
  async storeLiveResult(
    { id, accountId }: { id: TranscriptionId; accountId: AccountId },
    { result }: TranscriptionEnd,
    write?: WriteResult,
  ): Promise<boolean> {
    if (result === undefined || (await this.find(id)) === undefined) return true;
    return await insertResult(this.#database, { id, accountId }, result, write);
  }

  /**
   * Ends a live one in the transaction in which its call ends, and resolves with it; undefined where it was over or removed. Call
   * `liveEnded` with it after the commit.
   */
  async endLive(
    tx: Db,
    id: TranscriptionId,
    end: TranscriptionEnd | { status: "cancelled" },
  ): Promise<Transcription | undefined> {
    const columns = end.status === "cancelled" ? end : columnsOf(end);
    if (!(await this.#endRow(tx, id, columns))) return undefined;
    const ended = transcriptionOf(await byId(tx, id).executeTakeFirstOrThrow());
    if (end.status !== "cancelled") {
      const fact = { accountId: ended.accountId, type: `transcription.${end.status}`, transcriptionId: id } as const;
      await this.#sideEffects.events.insert(tx, fact);
    }
    return ended;
  }

  /** The end of a live one is committed. */
  liveEnded(ended: Transcription): void {
    if (ended.endedAtMs !== undefined) this.#over(ended);
  }

  /** The end is committed. Of one that is redacted, the parts that were deleted had what its result must not have. */
  #over(ended: Transcription): void {
    if (isRedacted(ended)) this.#sideEffects.changeLog.markPending();
    this.#emitOver(ended.id, ended);
  }

  async get(accountId: AccountId, id: TranscriptionId): Promise<Transcription | undefined> {
    const row = await byId(this.#db, id).where("account_id", "=", accountId).executeTakeFirst();
    return row && transcriptionOf(row);
  }

  async find(id: TranscriptionId): Promise<Transcription | undefined> {
    const row = await byId(this.#db, id).executeTakeFirst();
    return row && transcriptionOf(row);
  }

  list(query: TranscriptionQuery): Promise<{ transcriptions: readonly Transcription[]; more: boolean }> {
    return listTranscriptions(this.#db, query);
  }

  async result(accountId: AccountId, id: TranscriptionId): Promise<TranscriptionResult | undefined> {
    const row = await byId(this.#db, id).where("account_id", "=", accountId).executeTakeFirst();
    return row?.has_result === 1 ? await readResult(this.#db, id) : undefined;
  }

  async start(id: TranscriptionId, concurrentMax = Number.POSITIVE_INFINITY): Promise<Transcription | undefined> {
    // One that counts the others must not miss one that starts at the same time.
    return await this.#database.transaction(async (tx) => {
      const row = await byId(tx, id).executeTakeFirst();
      if (row?.status !== "queued") return row && transcriptionOf(row);
      const isFull =
        concurrentMax !== Number.POSITIVE_INFINITY && (await countProcessing(tx, row.account_id)) >= concurrentMax;
      if (isFull) return transcriptionOf(row);
      const started = await tx
        .updateTable("transcriptions")
        .set({ status: "processing", started_at: this.#clock.epochMs() })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return transcriptionOf(started);
    });
  }

  async progress(id: TranscriptionId, doneMs: number, durationMs: number | undefined): Promise<void> {
    // Progress that a power failure undoes is reported again.
    await this.#database.withoutSync((db) =>
      db
        .updateTable("transcriptions")
        .set((of) => ({
          // Parts that are transcribed already are passed once more by another attempt.
          done_ms: of.case().when("done_ms", "<", doneMs).then(doneMs).else(of.ref("done_ms")).end(),
          ...(durationMs !== undefined && { duration_ms: durationMs }),
        }))
        .where("id", "=", id)
        .where("status", "in", OPEN_STATUSES)
        .execute(),
    );
  }

  async parts(id: TranscriptionId): Promise<readonly StoredPart[]> {
    const rows = await this.#db
      .selectFrom("transcription_parts")
      .selectAll()
      .where("transcription_id", "=", id)
      .orderBy("channel")
      .orderBy("start_ms")
      .orderBy("end_ms")
      .execute();
    return rows.map(partOf);
  }

  async requesting(id: TranscriptionId, part: PartKey, provider: string): Promise<boolean> {
    const providers = providerColumn(provider);
    return await this.#database.readCommitted(async (tx) => {
      // Its end, which deletes the parts, waits for this lock.
      const row = await byId(tx, id)
        .where("status", "in", OPEN_STATUSES)
        .$if(this.#database.locksRows, (query) => query.forShare())
        .executeTakeFirst();
      if (row === undefined) return false;
      await tx
        .insertInto("transcription_parts")
        .values({
          ...partColumns(id, part),
          account_id: row.account_id,
          requests: 1,
          providers,
          usage: null,
          outcome: null,
        })
        .onConflict((conflict) =>
          conflict.columns(["transcription_id", "channel", "start_ms", "end_ms"]).doUpdateSet((parts) => ({
            requests: parts("transcription_parts.requests", "+", 1),
            providers: parts("transcription_parts.providers", "||", providers),
          })),
        )
        .execute();
      return true;
    });
  }

  async transcribed(id: TranscriptionId, part: PartKey, outcome: PartOutcome): Promise<void> {
    const { transcription_id, channel, start_ms, end_ms } = partColumns(id, part);
    await this.#db
      .updateTable("transcription_parts")
      .set({ usage: JSON.stringify(outcome.usage), outcome: JSON.stringify(outcome) })
      .where("transcription_id", "=", transcription_id)
      .where("channel", "=", channel)
      .where("start_ms", "=", start_ms)
      .where("end_ms", "=", end_ms)
      .where("outcome", "is", null)
      .execute();
  }

  async end(id: TranscriptionId, end: TranscriptionEnd): Promise<boolean> {
    const ended = await this.#ends.run(id, () => this.#end(id, end));
    this.#sideEffects.events.notify();
    if (ended !== undefined) this.#over(ended);
    return ended !== undefined;
  }

  /** Undefined where it was over or removed. */
  async #end(id: TranscriptionId, end: TranscriptionEnd): Promise<Transcription | undefined> {
    const open = await byId(this.#db, id).where("status", "in", OPEN_STATUSES).executeTakeFirst();
    if (open === undefined) return undefined;
    const isComplete = end.status === "completed";
    if (isComplete) await insertResult(this.#database, { id, accountId: open.account_id }, end.result);
    const ended = await this.#database.readCommitted(async (tx) => {
      if (!(await this.#endRow(tx, id, columnsOf(end)))) return undefined;
      const fact = { accountId: open.account_id, type: `transcription.${end.status}`, transcriptionId: id } as const;
      await this.#sideEffects.events.insert(tx, fact);
      return transcriptionOf(await byId(tx, id).executeTakeFirstOrThrow());
    });
    // It was cancelled or removed meanwhile.
    if (ended === undefined && isComplete) await trimResult(this.#database, id, 0);
    return ended;
  }

  /**
   * Ends it if it is not over, and deletes its parts, but for a job that was given up: it may be attempted again. What the requests of
   * the parts used is its usage; that of `columns` where there are none. Of a result that was not finished nothing is left.
   */
  async #endRow(tx: Db, id: TranscriptionId, columns: EndColumns): Promise<boolean> {
    const { numUpdatedRows } = await tx
      .updateTable("transcriptions")
      .set({ ...columns, ended_at: this.#clock.epochMs() })
      .where("id", "=", id)
      .where("status", "in", OPEN_STATUSES)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const parts = await tx
      .selectFrom("transcription_parts")
      .select(["start_ms", "end_ms", "providers", "usage"])
      .where("transcription_id", "=", id)
      .execute();
    // Those of an end with a result have its usage.
    if (columns.usage === undefined) await deleteOf(tx, "transcription_results", id);
    const { options } = await tx
      .selectFrom("transcriptions")
      .select("options")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const keepsParts = columns === ABANDONED_COLUMNS && !isRedacted({ options: JSON.parse(options) });
    if (!keepsParts) await deleteOf(tx, "transcription_parts", id);
    if (parts.length === 0 && columns.usage !== undefined) return true;
    await tx
      .updateTable("transcriptions")
      .set({ usage: usageColumn(parts.flatMap(usageOfPart)) })
      .where("id", "=", id)
      .execute();
    return true;
  }

  async cancel(accountId: AccountId, id: TranscriptionId): Promise<Transcription | undefined> {
    let isFirst = false;
    const latest = await this.#database.readCommitted(async (tx) => {
      const found = await byId(tx, id).where("account_id", "=", accountId).executeTakeFirst();
      if (found === undefined) return undefined;
      isFirst = await this.#endRow(tx, id, { status: "cancelled" });
      if (isFirst) await this.#sideEffects.jobs.remove(tx, TRANSCRIPTION_JOB, id, { transcriptionId: id });
      return transcriptionOf(await byId(tx, id).executeTakeFirstOrThrow());
    });
    if (isFirst && latest !== undefined) this.#over(latest);
    return latest;
  }

  async audioDeleted(id: TranscriptionId): Promise<void> {
    await this.#db.updateTable("transcriptions").set({ has_audio: 0 }).where("id", "=", id).execute();
  }

  async remove(accountId: AccountId, id: TranscriptionId, act: Act = BY_SERVICE): Promise<boolean> {
    const found = await this.get(accountId, id);
    if (found === undefined) return false;
    // One that is in progress may be ending: then nothing of its result is stored after this.
    const isRemoved = await this.#ends.run(id, async () => {
      if (found.endedAtMs !== undefined) await trimResult(this.#database, id, 1);
      return await this.#database.transaction(async (tx) => {
        const row = await byId(tx, id).where("account_id", "=", accountId).executeTakeFirst();
        if (row === undefined) return false;
        await this.#sideEffects.jobs.remove(tx, TRANSCRIPTION_JOB, id, { transcriptionId: id });
        await deleteEventsOfTranscription(tx, id);
        for (const table of ["transcription_parts", "transcription_results", "transcription_requests"] as const) {
          await deleteOf(tx, table, id);
        }
        await tx.deleteFrom("transcriptions").where("id", "=", id).execute();
        await this.#sideEffects.audit.insert(tx, {
          ...act,
          accountId,
          action: "transcription.deleted",
          target: { kind: "transcription", id },
        });
        return true;
      });
    });
    if (isRemoved) {
      this.#emitOver(id, undefined);
      await this.#sideEffects.changeLog.purge();
    }
    return isRemoved;
  }

  async jobOf(id: TranscriptionId): Promise<JobId | undefined> {
    return await this.#sideEffects.jobs.findLive(TRANSCRIPTION_JOB, id);
  }

  listDue(accountId: AccountId, query: DueTranscriptionQuery): Promise<readonly DueTranscription[]> {
    return dueTranscriptions(this.#db, accountId, query);
  }

  async deleteResult(id: TranscriptionId): Promise<void> {
    const row = await byId(this.#db, id).where("ended_at", "is not", null).executeTakeFirst();
    if (row === undefined) return;
    await trimResult(this.#database, id, 1);
    await this.#database.transaction(async (tx) => {
      for (const table of ["transcription_results", "transcription_parts"] as const) await deleteOf(tx, table, id);
      await tx
        .updateTable("transcriptions")
        .set({ has_result: 0, result_deleted_at: this.#clock.epochMs() })
        .where("id", "=", id)
        .execute();
      // An endpoint may have answered with what it was sent.
      const events = tx.selectFrom("webhook_events").select("id").where("transcription_id", "=", id);
      await tx
        .updateTable("webhook_deliveries")
        .set({ answer: null, failed_attempts: null })
        .where("event_id", "in", events)
        .execute();
    });
  }

  /** What the end of its job means for a transcription. */
  get follower(): JobFollower {
    const idOf = (payload: unknown) => (payload as { transcriptionId: TranscriptionId }).transcriptionId;
    return {
      abandoned: async (tx, payload) => {
        const id = idOf(payload);
        if (!(await this.#endRow(tx, id, ABANDONED_COLUMNS))) return undefined;
        const ended = transcriptionOf(await byId(tx, id).executeTakeFirstOrThrow());
        const fact = { accountId: ended.accountId, type: "transcription.failed", transcriptionId: id } as const;
        await this.#sideEffects.events.insert(tx, fact);
        return () => {
          this.#sideEffects.events.notify();
          this.#over(ended);
        };
      },
      replayed: async (tx, payload) => {
        await tx
          .updateTable("transcriptions")
          .set({
            status: "queued",
            failure: null,
            usage: null,
            started_at: null,
            ended_at: null,
            done_ms: 0,
            // Other audio than that of uploads can be fetched again.
            has_audio: 1,
            has_result: 0,
          })
          .where("id", "=", idOf(payload))
          .where("status", "=", "failed")
          .where((of) => of.or([of("has_audio", "=", 1), of("source", "!=", "upload")]))
          .execute();
      },
    };
  }
}

const byId = (db: Db, id: TranscriptionId) => db.selectFrom("transcriptions").selectAll().where("id", "=", id);

async function countProcessing(db: Db, accountId: AccountId): Promise<number> {
  const { processing } = await db
    .selectFrom("transcriptions")
    .select(({ fn }) => fn.countAll<number>().as("processing"))
    .where("account_id", "=", accountId)
    .where("status", "=", "processing")
    .where("source", "!=", "live")
    .executeTakeFirstOrThrow();
  return Number(processing);
}

const partColumns = (id: TranscriptionId, { channel, startMs, endMs }: PartKey) => ({
  transcription_id: id,
  channel,
  start_ms: startMs,
  end_ms: endMs,
});

const columnsOf = (end: TranscriptionEnd): EndColumns =>
  end.status === "completed"
    ? { status: end.status, ...resultColumns(end.result) }
    : { ...failedColumns(end.failure), ...(end.result !== undefined && resultColumns(end.result)) };

const resultColumns = (result: TranscriptionResult): Omit<EndColumns, "status"> => ({
  has_result: 1,
  duration_ms: result.durationMs,
  done_ms: result.durationMs,
  usage: usageColumn(result.parts.flatMap(({ usage }) => usage)),
});

const failedColumns = (failure: Transcription["failure"]): EndColumns => ({
  status: "failed",
  failure: JSON.stringify(failure),
});

/** The words of its parts stay, so retention must find it as it does a result. */
const ABANDONED_COLUMNS: EndColumns = { ...failedColumns(ABANDONED), has_result: 1 };

const deleteOf = async (
  db: Db,
  table: "transcription_parts" | "transcription_results" | "transcription_requests",
  id: TranscriptionId,
): Promise<void> => {
  await db.deleteFrom(table).where("transcription_id", "=", id).execute();
};
