import type { Kysely } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import { type ConnectionType, isRedacted } from "../../../core/calls/spec.ts";
import type { TranscriptTurn } from "../../../core/calls/transcript.ts";
import type { Clock } from "../../../core/clock.ts";
import { elapsedMs } from "../../../core/clocks.ts";
import type { AccountId, AgentId, ApiKeyId, CallId, CarrierCallId, NodeName, WorkerId } from "../../../core/ids.ts";
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
import type { HolderOf } from "../../cluster/node-store.ts";
import { isHeld } from "../cluster/held-calls.ts";
import type { SqlDatabase } from "../database.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import type { SqlTranscriptions } from "../transcriptions/transcriptions.ts";
import type { CallsContext } from "./context.ts";
import { createCall } from "./creation/creation.ts";
import { findRepeated, repeatedAgentVersion } from "./creation/repetition.ts";
import { restoreCall } from "./creation/restoration.ts";
import { cancelCall } from "./ends/cancellation.ts";
import { expireCalls } from "./ends/expiry.ts";
import { CallFinishing } from "./ends/finishing.ts";
import { listCalls } from "./list.ts";
import { findRecord } from "./record.ts";
import { awaitsRecording, markRecordingFailed, setRecording } from "./recordings.ts";
import { removeCall } from "./removal.ts";
import { turnOf } from "./rows.ts";

/** See `CallStore`. Has the listeners and the reads; what changes calls is in `creation/`, `ends/`, `recordings.ts` and `removal.ts`. */
export class SqlCalls implements CallStore {
  readonly #context: CallsContext;
  readonly #db: Kysely<Tables>;
  readonly #age: AgeClock;
  readonly #holderOf: HolderOf;
  readonly #finishing: CallFinishing;
  readonly #listeners: ((event: CallEvent) => void)[] = [];

  constructor(
    database: SqlDatabase,
    clock: Clock,
    age: AgeClock,
    sideEffects: SideEffects,
    transcriptions: SqlTranscriptions,
    holderOf: HolderOf = () => undefined,
  ) {
    const emit = (event: CallEvent): void => this.emit(event);
    this.#context = { database, clock, age, ...sideEffects, transcriptions, holderOf, emit };
    this.#db = database.db;
    this.#age = age;
    this.#holderOf = holderOf;
    this.#finishing = new CallFinishing(this.#context);
  }

  subscribe(listener: (event: CallEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** Reports a change of a call, also one by another store of this process. */
  emit(event: CallEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  findRepeated(call: NewCall): Promise<Repetition | undefined> {
    return findRepeated(this.#context, call);
  }

  repeatedAgentVersion(accountId: AccountId, agentId: AgentId, keyHash: string): Promise<number | undefined> {
    return repeatedAgentVersion(this.#context, { accountId, agentId, keyHash });
  }

  create(call: NewCall): Promise<Creation> {
    return createCall(this.#context, call);
  }

  restore(call: RestoredCall): Promise<void> {
    return restoreCall(this.#context, call);
  }

  finish(callId: CallId, end: CallEnd, redemption?: CallRedemption): Promise<boolean> {
    return this.#finishing.finish(callId, end, redemption);
  }

  cancel(accountId: AccountId, callId: CallId): Promise<Cancellation | undefined> {
    return cancelCall(this.#context, accountId, callId);
  }

  expire(): Promise<readonly CallId[]> {
    return expireCalls(this.#context);
  }

  remove(accountId: AccountId, callId: CallId, act: Act = BY_SERVICE): Promise<boolean | undefined> {
    return removeCall(this.#context, { accountId, callId, act });
  }

  awaitsRecording(callId: CallId): Promise<boolean> {
    return awaitsRecording(this.#db, callId);
  }

  setRecording(callId: CallId, recording: RecordingInfo): Promise<boolean> {
    return setRecording(this.#context, callId, recording);
  }

  recordingFailed(callId: CallId): Promise<void> {
    return this.#context.database.transaction((tx) => markRecordingFailed(tx, callId));
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

  get(accountId: AccountId, callId: CallId): Promise<CallRecord | undefined> {
    return findRecord(this.#db, accountId, callId, this.#age);
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

  list(accountId: AccountId, query: CallQuery): Promise<CallPage> {
    return listCalls(this.#context.database, accountId, query, this.#age);
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
}

const apiKeyIdOf = ({ api_key_id: apiKeyId }: { api_key_id: ApiKeyId | null }): { apiKeyId?: ApiKeyId } =>
  apiKeyId === null ? {} : { apiKeyId };
