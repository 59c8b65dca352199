import { type Kysely, type QueryCreator, sql, type Transaction } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { EndReason } from "../../../core/calls/reasons.ts";
import { type CallSpec, type ConnectionType, isRedacted } from "../../../core/calls/spec.ts";
import type { TranscriptTurn } from "../../../core/calls/transcript.ts";
import type { Clock } from "../../../core/clock.ts";
import { addMs, elapsedMs } from "../../../core/clocks.ts";
import { unavailable } from "../../../core/errors.ts";
import {
  type AccountId,
  type AgentId,
  type ApiKeyId,
  asWorkerId,
  type CallId,
  type CarrierCallId,
  liveTranscriptionOf,
  type NodeName,
  type WorkerId,
} from "../../../core/ids.ts";
import { KeyedQueue } from "../../../core/keyed-queue.ts";
import { TRANSACTION_ROWS_MAX } from "../../../core/limits/storage/storage.ts";
import { type Act, BY_SERVICE } from "../../accounts/audit-store.ts";
import type {
  ActiveCall,
  CallEnd,
  CallEvent,
  CallPage,
  CallQuery,
  CallRecord,
  CallRedemption,
  CallStore,
  Cancellation,
  Creation,
  NewCall,
  RecordingInfo,
  Repetition,
  RestoredCall,
  WaitingCall,
} from "../../calls/call-store.ts";
import type { HolderOf, NodeHolder } from "../../cluster/node-store.ts";
import type { TranscriptionEnd } from "../../transcription-store.ts";
import type { SqlAudit } from "../accounts/audit.ts";
import { isHeld, isOwnMatter, withHold } from "../cluster/held-calls.ts";
import { lockHolder } from "../cluster/nodes.ts";
import { type RowsOfTable, runCombined, withInserts } from "../combined-writes.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlJobs } from "../jobs.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import { insertToolRuns, toolRunRows } from "../tools/runs.ts";
import { pauseAfterTransaction } from "../transaction-pacing.ts";
import { LIVE_EXPIRED, liveTranscription, restartLive } from "../transcriptions/live.ts";
import type { SqlTranscriptions } from "../transcriptions/transcriptions.ts";
import { deleteEventsOf } from "../webhooks/deliveries.ts";
import { isUnwanted, type SqlEvents } from "../webhooks/events.ts";
import { callLimitReached, isLimited } from "./call-limits.ts";
import { giveBackCreation } from "./creation-rate.ts";
import { ENDED_CALL_COLUMNS, type EndedCallRow, type Ending, endingOf, hasRowIn } from "./endings.ts";
import { callData } from "./event-data.ts";
import { deleteExpiredRequests, findRequest, insertRequest, isExpired } from "./idempotent-requests.ts";
import { listCalls } from "./list.ts";
import { metadataRows } from "./metadata.ts";
import { created, insertNewCall, insertNewCallIf, type NewCallRows, newCallRows } from "./new-calls.ts";
import { forgetRedactedValues, withoutRedactedValues } from "./redaction.ts";
import {
  createdRecordOf,
  currentRecordOf,
  EXPIRED,
  hasValidToken,
  lastExpiry,
  RECORD_COLUMNS,
  recordOf,
  settingsColumns,
  storageColumns,
  turnOf,
} from "./rows.ts";
import { insertTurns, rowBatches, trimTranscript } from "./turns.ts";
import { admitWebCall, dayOf, deleteOldWebCallCosts, insertWebCall, settleWebCalls } from "./web-calls.ts";

/** What a request with the same idempotency key created before, and its call while that waits for its stream. */
interface FoundRequest {
  repetition: Repetition;
  waitingId?: CallId;
}

type DatabaseWrite = (db: Kysely<Tables>) => Promise<void>;

const DAY_MS = 24 * 3_600_000;
/** Of a call that is over, and has no record. */
const BY_NO_WORKER: CallRedemption = { workerId: asWorkerId("restored"), workerConnection: 0, epoch: 0 };
const CANCELLED = { status: "ended", endReason: "api_hangup" } as const;

/** See `CallStore`. */
export class SqlCalls implements CallStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #age: AgeClock;
  readonly #jobs: SqlJobs;
  readonly #events: SqlEvents;
  readonly #audit: SqlAudit;
  /** For live ones. */
  readonly #transcriptions: SqlTranscriptions;
  readonly #holderOf: HolderOf;
  readonly #listeners: ((event: CallEvent) => void)[] = [];
  /** Text of something removed may still be in the change log; an earlier process may have removed it. */
  #purgePending = true;
  /** Calls whose end may be stored, because its commit was not acknowledged. */
  readonly #uncertainEnds = new Set<CallId>();
  /** A second end of a call waits for the first. */
  readonly #ends = new KeyedQueue<CallId>();

  constructor(
    database: SqlDatabase,
    clock: Clock,
    age: AgeClock,
    { jobs, events, audit }: SideEffects,
    transcriptions: SqlTranscriptions,
    holderOf: HolderOf = () => undefined,
  ) {
    this.#holderOf = holderOf;
    this.#database = database;
    this.#transcriptions = transcriptions;
    this.#jobs = jobs;
    this.#events = events;
    this.#audit = audit;
    this.#db = database.db;
    this.#clock = clock;
    this.#age = age;
  }

  subscribe(listener: (event: CallEvent) => void): void {
    this.#listeners.push(listener);
  }

  async restore({ id, accountId, spec, startedAtMs, redemption = BY_NO_WORKER }: RestoredCall): Promise<void> {
    const holder = this.#holderOf();
    const active = {
      status: "active",
      started_at: startedAtMs,
      worker_id: redemption.workerId,
      worker_connection: redemption.workerConnection,
      epoch: redemption.epoch,
      node: holder?.name ?? null,
      node_incarnation: holder?.incarnation ?? null,
    };
    await this.#database.transaction(async (tx) => {
      // Otherwise no node would take the call: they have looked for this one's before.
      if (holder !== undefined && !(await lockHolder(tx, holder, this.#database)))
        throw unavailable("other nodes have taken the calls of this one");
      const known = await tx
        .updateTable("calls")
        .set({ ...active, end_reason: null, ended_at: null })
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .where("status", "in", ["created", "queued", "ringing", "expired"])
        .returning("id")
        .executeTakeFirst();
      const live = liveTranscriptionOf(id);
      if (known !== undefined && live !== undefined) await restartLive(tx, live, startedAtMs);
      if (known !== undefined || spec === undefined) return;
      const call = await tx
        .insertInto("calls")
        .values({
          id,
          account_id: accountId,
          ...active,
          ...settingsColumns(spec),
          ...storageColumns(spec),
          created_at: startedAtMs,
        })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .returning("id")
        .executeTakeFirst();
      if (call === undefined) return;
      const metadata = metadataRows({ callId: id, accountId }, spec.metadata);
      if (metadata.length > 0) await tx.insertInto("call_metadata").values(metadata).execute();
      if (live !== undefined)
        await this.#transcriptions.insertLive(tx, liveTranscription({ id: live, accountId }, spec), startedAtMs);
    });
  }

  async awaitsRecording(callId: CallId): Promise<boolean> {
    const call = await this.#db
      .selectFrom("calls")
      .select("id")
      .where("id", "=", callId)
      .where("ended_at", "is not", null)
      .where("recording", "is", null)
      .where("recording_deleted_at", "is", null)
      .executeTakeFirst();
    return call !== undefined;
  }

  async setRecording(callId: CallId, recording: RecordingInfo): Promise<boolean> {
    const isEventless = isUnwanted(["recording.ready"], sql.ref<AccountId>("calls.account_id"), this.#clock.epochMs());
    const stored = await this.#recorded(this.#db, callId, recording).where(isEventless).executeTakeFirst();
    if (stored !== undefined) return true;
    const isStored = await this.#database.readCommitted(async (tx) => {
      const call = await this.#recorded(tx, callId, recording).returning(RECORD_COLUMNS).executeTakeFirst();
      if (call === undefined) return false;
      const data = { ...callData(recordOf(call)), recording };
      await this.#events.insert(tx, { accountId: call.account_id, type: "recording.ready", callId, data });
      return true;
    });
    this.#events.notify();
    return isStored;
  }

  #recorded(db: Kysely<Tables>, callId: CallId, recording: RecordingInfo) {
    return db
      .updateTable("calls")
      .set({ recording: JSON.stringify(recording) })
      .where("id", "=", callId)
      .where("ended_at", "is not", null)
      .where("recording_deleted_at", "is", null)
      .returning("id");
  }

  recordingFailed(callId: CallId): Promise<void> {
    return this.#database.transaction((tx) => markRecordingFailed(tx, callId));
  }

  /** Reports a change of a call by another store of this process. */
  emit(event: CallEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  async findRepeated(call: NewCall): Promise<Repetition | undefined> {
    const found = await this.#findRepeated(this.#db, call);
    if (found?.waitingId === undefined) return found?.repetition;
    return await this.#database.transaction((tx) => this.#repeat(tx, call));
  }

  async repeatedAgentVersion(accountId: AccountId, agentId: AgentId, keyHash: string): Promise<number | undefined> {
    const before = await this.#db
      .selectFrom("idempotent_requests as request")
      .innerJoin("calls", "calls.id", "request.call_id")
      .select("calls.agent_version")
      .where("request.account_id", "=", accountId)
      .where("request.key_hash", "=", keyHash)
      .where("calls.agent_id", "=", agentId)
      .where((requests) => requests.not(isExpired(requests, { clock: this.#clock, age: this.#age })))
      .executeTakeFirst();
    return before?.agent_version ?? undefined;
  }

  async create(call: NewCall): Promise<Creation> {
    const creation = (await this.#createAtOnce(call)) ?? (await this.#createInTransaction(call));
    if (creation.kind === "created") this.emit({ kind: "created", callId: creation.call.id, call });
    this.#events.notify();
    return creation;
  }

  /** In one statement, where the database can, nothing is to be decided first and no webhook or stream wants the event. */
  async #createAtOnce(call: NewCall): Promise<Creation | undefined> {
    const { accountId, idempotency, web, spec } = call;
    const decidesFirst = idempotency !== undefined || web !== undefined || isLimited(call);
    if (!this.#database.combinesWrites || decidesFirst || spec.mode !== undefined) return undefined;
    const rows = this.#rowsOf(call, spec);
    const condition = isUnwanted(["call.created"], accountId, rows.call.created_at);
    return (await insertNewCallIf(this.#db, rows, condition)) ? created(rows) : undefined;
  }

  #createInTransaction(call: NewCall): Promise<Creation> {
    if (call.idempotency === undefined) return this.#database.readCommitted((tx) => this.#insert(tx, call));
    return this.#database.transaction(
      // Another request with this idempotency key may have stored its call since `findRepeated`.
      async (tx): Promise<Creation> => (await this.#repeat(tx, call)) ?? (await this.#insert(tx, call)),
    );
  }

  /** Reports the repetition within the transaction, in which the waiting call can neither be redeemed nor end. */
  async #repeat(tx: Transaction<Tables>, call: NewCall): Promise<Repetition | undefined> {
    const found = await this.#findRepeated(tx, call, this.#database.locksRows);
    if (found?.waitingId !== undefined) this.emit({ kind: "repeated", callId: found.waitingId, spec: call.spec });
    return found?.repetition;
  }

  async #findRepeated(
    db: Kysely<Tables>,
    { accountId, idempotency }: NewCall,
    locksCall = false,
  ): Promise<FoundRequest | undefined> {
    if (idempotency === undefined) return undefined;
    const { keyHash } = idempotency;
    const before = await findRequest(db, { accountId, keyHash }, { clock: this.#clock, age: this.#age }, locksCall);
    if (before === undefined) return undefined;
    if (before.fingerprint !== idempotency.fingerprint) return { repetition: { kind: "mismatch" } };
    return {
      repetition: {
        kind: "replayed",
        call: createdRecordOf(before),
        sealedToken: before.sealed_token,
        ...(before.node !== null && { node: before.node }),
      },
      ...(before.status === "created" && { waitingId: before.id }),
    };
  }

  async #insert(tx: Transaction<Tables>, call: NewCall): Promise<Creation> {
    const { accountId, web, idempotency } = call;
    const nowMs = this.#clock.epochMs();
    const limitReached = await callLimitReached(tx, call, { age: this.#age, database: this.#database });
    if (limitReached !== undefined) return limitReached;
    const admitted =
      web === undefined
        ? { spec: call.spec, reservedCost: 0 }
        : await admitWebCall(
            tx,
            { spec: call.spec, web },
            { age: this.#age, nowMs, locksRows: this.#database.locksRows },
          );
    if (typeof admitted === "string") {
      if (call.callsMax?.creationsPerMinute !== undefined) await giveBackCreation(tx, accountId);
      return { kind: "web-call-refused", reason: admitted };
    }
    const { spec, reservedCost } = admitted;
    const rows = this.#rowsOf(call, spec);
    const { id } = rows.call;
    await insertNewCall(tx, rows, this.#database);
    const live = liveTranscriptionOf(id);
    if (live !== undefined)
      await this.#transcriptions.insertLive(tx, liveTranscription({ id: live, accountId }, spec), nowMs);
    await insertWebCall(tx, id, call, { reservedCost, nowMs });
    if (idempotency !== undefined) {
      await insertRequest(tx, { accountId, id }, idempotency, { clock: this.#clock, age: this.#age });
    }
    const creation = created(rows);
    await this.#events.insert(tx, { accountId, type: "call.created", callId: id, data: callData(creation.call) });
    return creation;
  }

  #rowsOf(call: NewCall, spec: CallSpec): NewCallRows {
    const node = call.node ?? this.#holderOf()?.name ?? null;
    return newCallRows(call, spec, { nowMs: this.#clock.epochMs(), age: this.#age, node });
  }

  get(accountId: AccountId, callId: CallId): Promise<CallRecord | undefined> {
    return this.#get(this.#db, accountId, callId);
  }

  async isRedacted(callId: CallId): Promise<boolean | undefined> {
    const call = await this.#db
      .selectFrom("calls")
      .select("settings")
      .where("id", "=", callId)
      .where("recording_deleted_at", "is", null)
      .where("transcript_deleted_at", "is", null)
      .executeTakeFirst();
    return call && isRedacted(JSON.parse(call.settings));
  }

  async #get(db: Kysely<Tables>, accountId: AccountId, callId: CallId): Promise<CallRecord | undefined> {
    const row = await db
      .selectFrom("calls")
      .select(RECORD_COLUMNS)
      .select((calls) => [lastExpiry(calls).as("expires_at"), hasValidToken(calls, this.#age).as("has_valid_token")])
      .where("id", "=", callId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return row && currentRecordOf(row);
  }

  list(accountId: AccountId, query: CallQuery): Promise<CallPage> {
    return listCalls(this.#database, accountId, query, this.#age);
  }

  async transcript(
    accountId: AccountId,
    callId: CallId,
    range?: { from: number; limit: number },
  ): Promise<readonly TranscriptTurn[] | undefined> {
    const call = await this.get(accountId, callId);
    if (call === undefined) return undefined;
    // Turns are written before the call's end is.
    if (call.endedAtMs === undefined) return [];
    let turns = this.#db.selectFrom("turns").selectAll().where("call_id", "=", callId).orderBy("position");
    // Positions are counted from 0, without gaps.
    if (range !== undefined) turns = turns.where("position", ">=", range.from).limit(range.limit);
    return (await turns.execute()).map(turnOf);
  }

  async listWaiting(): Promise<readonly WaitingCall[]> {
    const ageMs = this.#age.nowMs();
    const holder = this.#holderOf();
    const rows = await this.#db
      .selectFrom("calls")
      .innerJoin("stream_tokens as token", "token.call_id", "calls.id")
      .select(["calls.id", "calls.account_id", "calls.api_key_id", "calls.connection_type"])
      .select(({ fn }) => fn.max("token.expires_age_ms").as("expires_age_ms"))
      .where("calls.status", "=", "created")
      .where("calls.node", holder === undefined ? "is" : "=", holder?.name ?? null)
      .where("token.boot_id", "=", this.#age.bootId)
      .where("token.expires_age_ms", ">", ageMs)
      .groupBy("calls.id")
      .execute();
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      ...apiKeyIdOf(row),
      connectionType: row.connection_type as ConnectionType,
      remainingMs: elapsedMs(ageMs, row.expires_age_ms),
    }));
  }

  async listActive(workerId?: WorkerId): Promise<readonly ActiveCall[]> {
    let query = this.#db
      .selectFrom("calls")
      .select(["id", "account_id", "api_key_id", "worker_id", "worker_connection", "epoch", "recording_enabled"])
      .where("status", "=", "active")
      .where((calls) => isHeld(calls, this.#holderOf()))
      .$narrowType<{ worker_id: WorkerId }>();
    if (workerId !== undefined) query = query.where("worker_id", "=", workerId);
    const rows = await query.orderBy("id").execute();
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      ...apiKeyIdOf(row),
      workerId: row.worker_id,
      workerConnection: row.worker_connection,
      epoch: row.epoch,
      recordingEnabled: row.recording_enabled === 1,
    }));
  }

  async nodeOf(callId: CallId): Promise<NodeName | undefined> {
    const row = await this.#db.selectFrom("calls").select("node").where("id", "=", callId).executeTakeFirst();
    return row?.node ?? undefined;
  }

  async workerOf(accountId: AccountId, callId: CallId): Promise<WorkerId | undefined> {
    const row = await this.#db
      .selectFrom("calls")
      .select("worker_id")
      .where("id", "=", callId)
      .where("account_id", "=", accountId)
      .where("status", "=", "active")
      .$narrowType<{ worker_id: WorkerId }>()
      .executeTakeFirst();
    return row?.worker_id;
  }

  async cancel(accountId: AccountId, callId: CallId): Promise<Cancellation | undefined> {
    const found = await this.#database.readCommitted(async (tx): Promise<Cancellation | undefined> => {
      const nowMs = this.#clock.epochMs();
      const { numUpdatedRows } = await tx
        .updateTable("calls")
        .set({ status: CANCELLED.status, end_reason: CANCELLED.endReason, ended_at: nowMs })
        .where("id", "=", callId)
        .where("account_id", "=", accountId)
        .where("status", "=", "created")
        .where((calls) => hasValidToken(calls, this.#age))
        .executeTakeFirst();
      const call = await this.#get(tx, accountId, callId);
      if (call === undefined) return undefined;
      const cancelled = numUpdatedRows > 0n;
      if (cancelled) {
        await forgetRedactedValues(tx, call);
        await settleWebCalls(tx, [callId]);
        await this.#events.insert(tx, { accountId, type: "call.ended", callId });
        await this.#endLive(tx, callId, { status: "cancelled" });
      }
      if (call.status !== "active") return { call, cancelled };
      const { worker_id: workerId } = await tx
        .selectFrom("calls")
        .select("worker_id")
        .$narrowType<{ worker_id: WorkerId }>()
        .where("id", "=", callId)
        .executeTakeFirstOrThrow();
      return { call, workerId, cancelled };
    });
    if (found?.cancelled) await this.#emitEnd({ callId, ...CANCELLED });
    this.#events.notify();
    return found;
  }

  /** Ends the transcription of a call that is a live one. */
  async #endLive(
    tx: Transaction<Tables>,
    callId: CallId,
    end: TranscriptionEnd | { status: "cancelled" } | undefined,
  ): Promise<void> {
    const live = liveTranscriptionOf(callId);
    if (live !== undefined && end !== undefined) await this.#transcriptions.endLive(tx, live, end);
  }

  /** The end of a call is committed. */
  async #emitEnd(end: Omit<Extract<CallEvent, { kind: "ended" }>, "kind">): Promise<void> {
    this.emit({ kind: "ended", ...end });
    const live = liveTranscriptionOf(end.callId);
    if (live !== undefined) await this.#transcriptions.liveEnded(live);
  }

  async remove(accountId: AccountId, callId: CallId, act: Act = BY_SERVICE): Promise<boolean | undefined> {
    const found = await this.get(accountId, callId);
    // A call that is over cannot start.
    if (found?.endedAtMs !== undefined) await trimTranscript(this.#db, callId);
    const removed = await this.#database.transaction(async (tx) => {
      const call = await this.#get(tx, accountId, callId);
      if (call === undefined) return undefined;
      if (call.status === "active" || call.status === "queued" || call.status === "ringing") return false;
      await deleteEventsOf(tx, callId);
      for (const table of [
        "turns",
        "stream_tokens",
        "idempotent_requests",
        "call_metadata",
        "media_keys",
        "web_calls",
        "phone_call_events",
        "phone_calls",
        "tool_runs",
      ] as const) {
        await tx.deleteFrom(table).where("call_id", "=", callId).execute();
      }
      await tx.deleteFrom("calls").where("id", "=", callId).execute();
      const target = { kind: "call", id: callId } as const;
      // Otherwise the removal of the transcription is recorded.
      if (liveTranscriptionOf(callId) === undefined)
        await this.#audit.insert(tx, { ...act, accountId, action: "call.deleted", target });
      return true;
    });
    if (!removed) return removed;
    this.emit({ kind: "removed", callId });
    this.#purgePending = true;
    // `expire` retries if this fails.
    await this.#purgeChangeLog();
    return true;
  }

  async #purgeChangeLog(): Promise<void> {
    this.#purgePending = !(await this.#database.purgeChangeLog());
  }

  async setCarrierCallId(callId: CallId, carrierCallId: CarrierCallId): Promise<void> {
    await this.#db
      .updateTable("calls")
      .set({ carrier_call_id: JSON.stringify(carrierCallId) })
      .where("id", "=", callId)
      .where("status", "=", "active")
      .where((calls) => isHeld(calls, this.#holderOf()))
      .execute();
  }

  finish(callId: CallId, end: CallEnd, redemption?: CallRedemption): Promise<boolean> {
    return this.#ends.run(callId, () => this.#finish(callId, end, redemption));
  }

  /**
   * Writes a long transcript in short transactions, and the end with the last of them. No turn is visible before that.
   */
  async #finish(callId: CallId, end: CallEnd, redemption: CallRedemption | undefined): Promise<boolean> {
    const holder = this.#holderOf();
    const active = await this.#activeCall(callId, holder, redemption);
    if (active === undefined) return await this.#wasStored(callId);
    // A process that died during this may have left turns.
    if (active.has_turns && !(await this.#whileHeld(callId, holder, (db) => this.#deleteTurns(db, callId))))
      return false;
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
      const isStored = await this.#transcriptions.storeLiveResult(ofLive, end.transcription, whileHeld);
      if (!isStored) return false;
    }
    // The connection may be lost after the commit and before its acknowledgement: then the next attempt finds the end.
    this.#uncertainEnds.add(callId);
    const ending = endingOf(callId, active, end, { lastTurns: parts.at(-1) ?? [], withText });
    const last = { ending, holder, redemption };
    const first =
      (await this.#endAtOnce(last)) || (await this.#database.readCommitted((tx) => this.#endInTransaction(tx, last)));
    this.#uncertainEnds.delete(callId);
    if (ending.jobs.length > 0) this.#jobs.notify();
    this.#events.notify();
    if (first && withoutRedactedValues(active.settings) !== undefined) await this.#purgeChangeLog();
    if (first) {
      await this.#emitEnd({ callId, status: end.status, endReason: end.endReason });
      return true;
    }
    // Another node has taken the call, and its turns with it.
    if (holder !== undefined && (await this.#isOthers(callId, holder))) return false;
    // Its redemption was returned meanwhile; it waits for its stream again.
    await this.#deleteTurns(this.#db, callId);
    // A call that was redeemed again is active and may be returned again.
    if (redemption === undefined) this.emit({ kind: "end-not-stored", callId });
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
    if (!this.#database.combinesWrites || isWeb || liveTranscriptionOf(callId) !== undefined) return false;
    const isEventless = isUnwanted(eventTypes, accountId, this.#clock.epochMs());
    const ended = this.#db.with("ended", (part) => this.#endedCall(part, last).where(isEventless));
    const inserts: RowsOfTable[] = [
      { table: "turns", rows: lastTurns },
      { table: "tool_runs", rows: toolRunRows(toolRuns.call, toolRuns.runs) },
      { table: "jobs", rows: this.#jobs.rowsOf(jobs), skipsTaken: true },
    ];
    return await runCombined(withInserts(ended, "ended", inserts), "ended");
  }

  async #endInTransaction(tx: Transaction<Tables>, last: LastStep): Promise<boolean> {
    const { callId, accountId, isWeb, lastTurns, toolRuns, jobs, eventTypes, end } = last.ending;
    if ((await this.#endedCall(tx, last).executeTakeFirst()) === undefined) return false;
    await insertTurns(tx, lastTurns);
    if (isWeb) await settleWebCalls(tx, [callId], end.cost);
    await this.#endLive(tx, callId, end.transcription);
    await insertToolRuns(tx, toolRuns.call, toolRuns.runs, this.#events);
    if (eventTypes.includes("call.ended")) await this.#events.insert(tx, { accountId, type: "call.ended", callId });
    await this.#jobs.insertAll(tx, jobs);
    return true;
  }

  /** Whether an earlier attempt of this process has stored the end without knowing it. */
  async #wasStored(callId: CallId): Promise<boolean> {
    if (!this.#uncertainEnds.delete(callId)) return false;
    const call = await this.#db
      .selectFrom("calls")
      .select(["status", "end_reason"])
      .where("id", "=", callId)
      .where("status", "in", ["ended", "failed"])
      // Where this process had not stored it, another node may have taken the call and stored its own end.
      .where((calls) => isHeld(calls, this.#holderOf()))
      .$narrowType<{ status: "ended" | "failed"; end_reason: EndReason }>()
      .executeTakeFirst();
    if (call === undefined) return false;
    this.#events.notify();
    await this.#emitEnd({ callId, status: call.status, endReason: call.end_reason });
    return true;
  }

  /**
   * Writes what only the holder of an active call may write. In a cluster no other node takes the call meanwhile; false, and nothing is
   * written, where one has.
   */
  async #whileHeld(callId: CallId, holder: NodeHolder | undefined, work: DatabaseWrite): Promise<boolean> {
    if (holder === undefined) {
      await work(this.#db);
      return true;
    }
    return await this.#database.readCommitted(async (tx) => {
      const call = tx.selectFrom("calls").select("id").where("id", "=", callId).where("status", "=", "active");
      const held = withHold(
        call.where((calls) => isHeld(calls, holder)),
        this.#database,
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

  async #deleteTurns(db: Kysely<Tables>, callId: CallId): Promise<void> {
    await trimTranscript(db, callId);
    const left = db.selectFrom("turns").select("position").where("call_id", "=", callId).limit(1);
    if ((await left.executeTakeFirst()) === undefined) return;
    await db.deleteFrom("turns").where("call_id", "=", callId).execute();
  }

  async expire(): Promise<readonly CallId[]> {
    const ids: CallId[] = [];
    for (;;) {
      const expired = await this.#expireBatch();
      ids.push(...expired);
      if (expired.length < TRANSACTION_ROWS_MAX) break;
    }
    for (const callId of ids) await this.#emitEnd({ callId, status: EXPIRED.status, endReason: EXPIRED.end_reason });
    await deleteOldWebCallCosts(this.#db, dayOf(addMs(this.#clock.epochMs(), -DAY_MS)));
    await deleteExpiredRequests(this.#db, { clock: this.#clock, age: this.#age });
    if (this.#purgePending) await this.#purgeChangeLog();
    return ids;
  }

  async #expireBatch(): Promise<readonly CallId[]> {
    const due = this.#db
      .selectFrom("calls")
      .select("id")
      .where("status", "=", "created")
      .where((calls) => isOwnMatter(calls, this.#holderOf(), this.#database))
      .where((calls) => calls.not(hasValidToken(calls, this.#age)))
      .limit(TRANSACTION_ROWS_MAX);
    // Most of the time there is none, which needs no write.
    const found = await due.execute();
    if (found.length === 0) return [];
    const ids = found.map(({ id }) => id);
    const rows = await this.#database.readCommitted(async (tx) => {
      const expired = await tx
        .updateTable("calls")
        .set((calls) => ({ ...EXPIRED, ended_at: lastExpiry(calls) }))
        .where("id", "in", ids)
        .where("status", "=", "created")
        .where((calls) => calls.not(hasValidToken(calls, this.#age)))
        .returning(RECORD_COLUMNS)
        .execute();
      await settleWebCalls(
        tx,
        expired.map(({ id }) => id),
      );
      for (const row of expired) {
        const record = recordOf(row);
        const { accountId, id: callId } = record;
        await forgetRedactedValues(tx, record);
        await this.#events.insert(tx, { accountId, type: "call.expired", callId, data: callData(record) });
        await this.#endLive(tx, callId, LIVE_EXPIRED);
      }
      return expired;
    });
    this.#events.notify();
    return rows.map(({ id }) => id);
  }
}

/** The end of a call, and who may store it. */
interface LastStep {
  ending: Ending;
  holder: NodeHolder | undefined;
  redemption: CallRedemption | undefined;
}

const apiKeyIdOf = ({ api_key_id: apiKeyId }: { api_key_id: ApiKeyId | null }): { apiKeyId?: ApiKeyId } =>
  apiKeyId === null ? {} : { apiKeyId };

const redemptionColumns = (redemption: CallRedemption | undefined) =>
  redemption === undefined
    ? {}
    : { worker_id: redemption.workerId, worker_connection: redemption.workerConnection, epoch: redemption.epoch };

/** The call has no recording, and its counters say so. */
export async function markRecordingFailed(tx: Kysely<Tables>, callId: CallId): Promise<void> {
  const call = await tx.selectFrom("calls").select("counters").where("id", "=", callId).executeTakeFirst();
  if (call === undefined) return;
  const counters = JSON.stringify({ ...JSON.parse(call.counters ?? "{}"), recordingFailures: 1 });
  await tx.updateTable("calls").set({ counters }).where("id", "=", callId).execute();
}

/** The recording of a call is rendered again. */
export async function clearRecordingFailure(db: Kysely<Tables>, callId: CallId): Promise<void> {
  const call = await db.selectFrom("calls").select("counters").where("id", "=", callId).executeTakeFirst();
  if (call === undefined) return;
  const { recordingFailures: _, ...counters } = JSON.parse(call.counters ?? "{}");
  await db
    .updateTable("calls")
    .set({ counters: JSON.stringify(counters) })
    .where("id", "=", callId)
    .execute();
}
