import type { Kysely, QueryCreator, Transaction } from "kysely";
import type { EndReason } from "../../../../core/calls/reasons.ts";
import { type CallId, liveTranscriptionOf } from "../../../../core/ids.ts";
import { KeyedQueue } from "../../../../core/keyed-queue.ts";
import type { CallEnd, CallRedemption } from "../../../calls/call-store.ts";
import type { NodeHolder } from "../../../cluster/node-store.ts";
import type { Transcription } from "../../../transcription-store.ts";
import { isHeld, withHold } from "../../cluster/held-calls.ts";
import { type RowsOfTable, runCombined, withInserts } from "../../combined-writes.ts";
import type { Tables } from "../../tables.ts";
import { insertToolRuns, toolRunRows } from "../../tools/runs.ts";
import { pauseAfterTransaction } from "../../transaction-pacing.ts";
import { isUnwanted } from "../../webhooks/events.ts";
import type { CallsContext } from "../context.ts";
import { deleteTurns, insertTurns, rowBatches } from "../turns.ts";
import { settleWebCalls } from "../web-calls.ts";
import { ENDED_CALL_COLUMNS, type EndedCallRow, type Ending, endingOf, hasRowIn } from "./endings.ts";
import { emitEnd, endLive } from "./every-end.ts";
import { withoutRedactedValues } from "./redaction.ts";

type DatabaseWrite = (db: Kysely<Tables>) => Promise<void>;

/** The end of a call, and who may store it. */
interface LastStep {
  ending: Ending;
  holder: NodeHolder | undefined;
  redemption: CallRedemption | undefined;
}

/** Stores the ends of active calls, of one call one after another. */
export class CallFinishing {
  readonly #context: CallsContext;
  readonly #db: Kysely<Tables>;
  /** Calls whose end may be stored, because its commit was not acknowledged. */
  readonly #uncertainEnds = new Set<CallId>();
  /** A second end of a call waits for the first. */
  readonly #ends = new KeyedQueue<CallId>();

  constructor(context: CallsContext) {
    this.#context = context;
    this.#db = context.database.db;
  }

  /** See `CallStore.finish`. */
  finish(callId: CallId, end: CallEnd, redemption?: CallRedemption): Promise<boolean> {
    return this.#ends.run(callId, () => this.#finish(callId, end, redemption));
  }

  /** Writes a long transcript in short transactions, and the end with the last of them. No turn is visible before that. */
  async #finish(callId: CallId, end: CallEnd, redemption: CallRedemption | undefined): Promise<boolean> {
    const { database, holderOf, transcriptions, jobs, events, changeLog, emit } = this.#context;
    const holder = holderOf();
    const active = await this.#activeCall(callId, holder, redemption);
    if (active === undefined) return await this.#wasStored(callId);
    // A process that died during this may have left turns.
    if (active.has_turns && !(await this.#whileHeld(callId, holder, (db) => deleteTurns(db, callId)))) return false;
    const withText = (active.transcript_enabled ?? active.recording_enabled) === 1;
    const parts = rowBatches(end.turns, { callId, accountId: active.account_id, withText });
    for (const part of parts.slice(0, -1)) {
      const begunMs = performance.now();
      if (!(await this.#whileHeld(callId, holder, (db) => insertTurns(db, part)))) return false;
      await pauseAfterTransaction(performance.now() - begunMs);
    }
    const live = liveTranscriptionOf(callId);
    if (live !== undefined && end.transcription !== undefined) {
      const ofLive = { id: live, accountId: active.account_id };
      const whileHeld = holder && ((write: DatabaseWrite) => this.#whileHeld(callId, holder, write));
      const isStored = await transcriptions.storeLiveResult(ofLive, end.transcription, whileHeld);
      if (!isStored) return false;
    }
    // The connection may be lost after the commit and before its acknowledgement: then the next attempt finds the end.
    this.#uncertainEnds.add(callId);
    const ending = endingOf(callId, active, end, { lastTurns: parts.at(-1) ?? [], withText });
    const last = { ending, holder, redemption };
    const ended = (await this.#endAtOnce(last))
      ? { transcription: undefined }
      : await database.readCommitted((tx) => this.#endInTransaction(tx, last));
    this.#uncertainEnds.delete(callId);
    if (ending.jobs.length > 0) jobs.notify();
    events.notify();
    if (ended !== undefined) {
      if (withoutRedactedValues(active.settings) !== undefined) changeLog.markPending();
      emitEnd(this.#context, { callId, status: end.status, endReason: end.endReason }, ended.transcription);
      return true;
    }
    // Another node has taken the call, and its turns with it.
    if (holder !== undefined && (await this.#isOthers(callId, holder))) return false;
    // Its redemption was returned meanwhile; it waits for its stream again.
    await deleteTurns(this.#db, callId);
    // A call that was redeemed again is active and may be returned again.
    if (redemption === undefined) emit({ kind: "end-not-stored", callId });
    return false;
  }

  /** What its end depends on; undefined where this process may not end the call. */
  async #activeCall(
    callId: CallId,
    holder: NodeHolder | undefined,
    redemption: CallRedemption | undefined,
  ): Promise<EndedCallRow | undefined> {
    return await this.#db
      .selectFrom("calls")
      .select(ENDED_CALL_COLUMNS)
      .select((calls) => [
        calls.exists(hasRowIn(calls, "turns")).as("has_turns"),
        calls.exists(hasRowIn(calls, "web_calls")).as("is_web"),
      ])
      .where("id", "=", callId)
      .where("status", "=", "active")
      .where((calls) => isHeld(calls, holder))
      .where((calls) => calls.and(redemptionColumns(redemption)))
      .executeTakeFirst();
  }

  /** The call, if this process may end it, with its end. */
  #endedCall(query: QueryCreator<Tables>, { ending, holder, redemption }: LastStep) {
    return query
      .updateTable("calls")
      .set(ending.columns)
      .where("id", "=", ending.callId)
      .where("status", "=", "active")
      .where((calls) => isHeld(calls, holder))
      .where((calls) => calls.and(redemptionColumns(redemption)))
      .returning("id");
  }

  /** In one statement, where the database can and no webhook or stream wants the event. False where it is to be done in a transaction. */
  async #endAtOnce(last: LastStep): Promise<boolean> {
    const { callId, accountId, isWeb, lastTurns, toolRuns, jobs, eventTypes } = last.ending;
    const { database, clock } = this.#context;
    if (!database.combinesWrites || isWeb || liveTranscriptionOf(callId) !== undefined) return false;
    const isEventless = isUnwanted(eventTypes, accountId, clock.epochMs());
    const ended = this.#db.with("ended", (part) => this.#endedCall(part, last).where(isEventless));
    const inserts: RowsOfTable[] = [
      { table: "turns", rows: lastTurns },
      { table: "tool_runs", rows: toolRunRows(toolRuns.call, toolRuns.runs) },
      { table: "jobs", rows: this.#context.jobs.rowsOf(jobs), skipsTaken: true },
    ];
    return await runCombined(withInserts(ended, "ended", inserts), "ended");
  }

  /** Undefined where this process may not end the call any more. */
  async #endInTransaction(
    tx: Transaction<Tables>,
    last: LastStep,
  ): Promise<{ transcription: Transcription | undefined } | undefined> {
    const { callId, accountId, isWeb, lastTurns, toolRuns, jobs, eventTypes, end } = last.ending;
    const { events } = this.#context;
    if ((await this.#endedCall(tx, last).executeTakeFirst()) === undefined) return undefined;
    await insertTurns(tx, lastTurns);
    if (isWeb) await settleWebCalls(tx, [callId], end.cost);
    const transcription = await endLive(tx, callId, end.transcription, this.#context);
    await insertToolRuns(tx, toolRuns.call, toolRuns.runs, events);
    if (eventTypes.includes("call.ended")) await events.insert(tx, { accountId, type: "call.ended", callId });
    await this.#context.jobs.insertAll(tx, jobs);
    return { transcription };
  }

  /** Whether an earlier attempt of this process has stored the end without knowing it. */
  async #wasStored(callId: CallId): Promise<boolean> {
    if (!this.#uncertainEnds.has(callId)) return false;
    const call = await this.#db
      .selectFrom("calls")
      .select(["status", "end_reason"])
      .where("id", "=", callId)
      .where("status", "in", ["ended", "failed"])
      // Where this process had not stored it, another node may have taken the call and stored its own end.
      .where((calls) => isHeld(calls, this.#context.holderOf()))
      .$narrowType<{ status: "ended" | "failed"; end_reason: EndReason }>()
      .executeTakeFirst();
    const live = liveTranscriptionOf(callId);
    const transcription = call && live && (await this.#context.transcriptions.find(live));
    // Only now: where the database was away again, the next attempt asks it again.
    this.#uncertainEnds.delete(callId);
    if (call !== undefined) {
      this.#context.jobs.notify();
      this.#context.events.notify();
      // Whether it had redacted values is no longer known.
      this.#context.changeLog.markPending();
      emitEnd(this.#context, { callId, status: call.status, endReason: call.end_reason }, transcription);
    }
    return call !== undefined;
  }

  /**
   * Writes what only the holder of an active call may write. In a cluster no other node takes the call meanwhile; false, and nothing is
   * written, where one has.
   */
  async #whileHeld(callId: CallId, holder: NodeHolder | undefined, work: DatabaseWrite): Promise<boolean> {
    const { database } = this.#context;
    if (holder === undefined) {
      await work(this.#db);
      return true;
    }
    return await database.readCommitted(async (tx) => {
      const call = tx.selectFrom("calls").select("id").where("id", "=", callId).where("status", "=", "active");
      const held = withHold(
        call.where((calls) => isHeld(calls, holder)),
        database,
      );
      if ((await held.executeTakeFirst()) === undefined) return false;
      await work(tx);
      return true;
    });
  }

  /** Whether another node holds the call, or has ended it. */
  async #isOthers(callId: CallId, { incarnation }: NodeHolder): Promise<boolean> {
    const call = await this.#db
      .selectFrom("calls")
      .select("id")
      .where("id", "=", callId)
      .where("node_incarnation", "!=", incarnation)
      .executeTakeFirst();
    return call !== undefined;
  }
}

const redemptionColumns = (redemption: CallRedemption | undefined) =>
  redemption === undefined
    ? {}
    : { worker_id: redemption.workerId, worker_connection: redemption.workerConnection, epoch: redemption.epoch };
