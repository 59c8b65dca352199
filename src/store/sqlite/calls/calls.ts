import type { Kysely, Transaction } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { TranscriptTurn } from "../../../core/calls/transcript.ts";
import type { Clock } from "../../../core/clock.ts";
import { addMs, elapsedMs } from "../../../core/clocks.ts";
import type { AccountId, ApiKeyId, CallId, CarrierCallId, WorkerId } from "../../../core/ids.ts";
import { newId } from "../../../core/new-id.ts";
import type {
  ActiveCall,
  AdmissionRefusal,
  CallEnd,
  CallQuery,
  CallRecord,
  CallRedemption,
  CallStore,
  Cancellation,
  Creation,
  IdempotentRequest,
  ListedCall,
  NewCall,
  WaitingCall,
} from "../../call-store.ts";
import type { UnpersistedPrompts } from "../../redemptions.ts";
import type { Tables } from "../database/tables.ts";
import { pauseAfterTransaction } from "../database/transaction-pacing.ts";
import { truncateWal } from "../database/wal-truncation.ts";
import { deleteExpiredRequests, isExpired } from "./idempotent-requests.ts";
import { listCalls } from "./list.ts";
import {
  createdRecordOf,
  currentRecordOf,
  EXPIRED,
  hasValidToken,
  lastExpiry,
  RECORD_COLUMNS,
  splitSpec,
  turnOf,
} from "./rows.ts";
import { insertTurns, rowBatches, trimTranscript } from "./turns.ts";

/** See `CallStore`. */
export class SqliteCalls implements CallStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #age: AgeClock;
  readonly #unpersisted: Pick<UnpersistedPrompts, "set" | "delete">;
  /** Text of something removed may still be in the write-ahead log; an earlier process may have removed it. */
  #purgePending = true;
  /** Calls whose ends are being written: a second end of one waits for the first. */
  readonly #finishing = new Map<CallId, Promise<boolean>>();

  constructor(
    db: Kysely<Tables>,
    clock: Clock,
    age: AgeClock,
    unpersisted: Pick<UnpersistedPrompts, "set" | "delete">,
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#age = age;
    this.#unpersisted = unpersisted;
  }

  async create(call: NewCall, admit?: () => AdmissionRefusal | undefined): Promise<Creation> {
    const { idempotency } = call;
    // Without an idempotency key nothing is repeated, so a flood of such requests is refused without a database access.
    const reason = idempotency === undefined ? admit?.() : undefined;
    if (reason !== undefined) return { kind: "refused", reason };
    const creation = await this.#db.transaction().execute(async (tx): Promise<Creation> => {
      if (idempotency === undefined) return await this.#insert(tx, call);
      const before = await this.#findReplayed(tx, call, idempotency);
      if (before !== undefined) return before;
      const reason = admit?.();
      return reason === undefined ? await this.#insert(tx, call) : { kind: "refused", reason };
    });
    if (creation.kind === "created" && !call.spec.recordingEnabled) {
      this.#unpersisted.set(creation.call.id, splitSpec(call.spec).words);
    }
    return creation;
  }

  /** The call of an earlier request with this idempotency key; undefined when there was none, or its time is over. */
  async #findReplayed(
    tx: Transaction<Tables>,
    { accountId, spec }: NewCall,
    request: IdempotentRequest,
  ): Promise<Creation | undefined> {
    const before = await tx
      .selectFrom("idempotent_requests as request")
      .innerJoin("calls", "calls.id", "request.call_id")
      .select(["request.fingerprint", "request.sealed_token", ...RECORD_COLUMNS])
      .where("request.account_id", "=", accountId)
      .where("request.key_hash", "=", request.keyHash)
      .where((requests) => requests.not(isExpired(requests, { clock: this.#clock, age: this.#age })))
      .executeTakeFirst();
    if (before === undefined) return undefined;
    if (before.fingerprint !== request.fingerprint) return { kind: "mismatch" };
    // The repeated request restores what a restart lost of a waiting call.
    if (before.status === "created" && !spec.recordingEnabled) this.#unpersisted.set(before.id, splitSpec(spec).words);
    return { kind: "replayed", call: createdRecordOf(before), sealedToken: before.sealed_token };
  }

  async #insert(tx: Transaction<Tables>, call: NewCall): Promise<Creation> {
    const { accountId, agentId, apiKeyId, spec, tokenHash, tokenTtlMs, idempotency } = call;
    const { words, settings } = splitSpec(spec);
    const nowMs = this.#clock.epochMs();
    const { bootId: boot_id } = this.#age;
    const ageMs = this.#age.nowMs();
    const row = {
      id: newId("call"),
      account_id: accountId,
      agent_id: agentId ?? null,
      api_key_id: apiKeyId ?? null,
      status: "created",
      settings: JSON.stringify(settings),
      words: spec.recordingEnabled ? JSON.stringify(words) : null,
      recording_enabled: spec.recordingEnabled ? 1 : 0,
      created_at: nowMs,
      worker_connection: 0,
      epoch: 0,
    };
    const ofCall = { account_id: accountId, call_id: row.id };
    const expiry = { expires_at: addMs(nowMs, tokenTtlMs), boot_id, expires_age_ms: addMs(ageMs, tokenTtlMs) };
    const token = { ...ofCall, token_hash: tokenHash, ...expiry };
    await tx.insertInto("calls").values(row).execute();
    await tx.insertInto("stream_tokens").values(token).execute();
    if (idempotency !== undefined) {
      const { keyHash, fingerprint, sealedToken } = idempotency;
      const created = { created_at: nowMs, boot_id, created_age_ms: ageMs };
      const request = { ...ofCall, key_hash: keyHash, fingerprint, sealed_token: sealedToken, ...created };
      // An expired idempotency key may still be stored.
      await tx
        .insertInto("idempotent_requests")
        .values(request)
        .onConflict((conflict) => conflict.columns(["account_id", "key_hash"]).doUpdateSet(request))
        .execute();
    }
    return { kind: "created", call: createdRecordOf(row) };
  }

  get(accountId: AccountId, callId: CallId): Promise<CallRecord | undefined> {
    return this.#get(this.#db, accountId, callId);
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

  list(accountId: AccountId, query: CallQuery): Promise<{ calls: readonly ListedCall[]; more: boolean }> {
    return listCalls(this.#db, accountId, query, this.#age);
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
    const rows = await this.#db
      .selectFrom("calls")
      .innerJoin("stream_tokens as token", "token.call_id", "calls.id")
      .select(["calls.id", "calls.api_key_id"])
      .select(({ fn }) => fn.max("token.expires_age_ms").as("expires_age_ms"))
      .where("calls.status", "=", "created")
      .where("token.boot_id", "=", this.#age.bootId)
      .where("token.expires_age_ms", ">", ageMs)
      .groupBy("calls.id")
      .execute();
    return rows.map((row) => ({ id: row.id, ...apiKeyIdOf(row), remainingMs: elapsedMs(ageMs, row.expires_age_ms) }));
  }

  async listActive(workerId?: WorkerId): Promise<readonly ActiveCall[]> {
    let query = this.#db
      .selectFrom("calls")
      .select(["id", "account_id", "api_key_id", "worker_id", "worker_connection", "epoch", "recording_enabled"])
      .where("status", "=", "active")
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

  async cancel(accountId: AccountId, callId: CallId): Promise<Cancellation | undefined> {
    const found = await this.#db.transaction().execute(async (tx): Promise<Cancellation | undefined> => {
      const nowMs = this.#clock.epochMs();
      const { numUpdatedRows } = await tx
        .updateTable("calls")
        .set({ status: "ended", end_reason: "api_hangup", ended_at: nowMs })
        .where("id", "=", callId)
        .where("account_id", "=", accountId)
        .where("status", "=", "created")
        .where((calls) => hasValidToken(calls, this.#age))
        .executeTakeFirst();
      const call = await this.#get(tx, accountId, callId);
      if (call === undefined) return undefined;
      const cancelled = numUpdatedRows > 0n;
      if (call.status !== "active") return { call, cancelled };
      const { worker_id: workerId } = await tx
        .selectFrom("calls")
        .select("worker_id")
        .$narrowType<{ worker_id: WorkerId }>()
        .where("id", "=", callId)
        .executeTakeFirstOrThrow();
      return { call, workerId, cancelled };
    });
    if (found?.cancelled) this.#unpersisted.delete(callId);
    return found;
  }

  async remove(accountId: AccountId, callId: CallId): Promise<boolean | undefined> {
    const found = await this.get(accountId, callId);
    // A call that is over cannot start.
    if (found?.endedAtMs !== undefined) await trimTranscript(this.#db, callId);
    const removed = await this.#db.transaction().execute(async (tx) => {
      const call = await this.#get(tx, accountId, callId);
      if (call === undefined) return undefined;
      if (call.status === "active") return false;
      for (const table of ["turns", "stream_tokens", "idempotent_requests"] as const) {
        await tx.deleteFrom(table).where("call_id", "=", callId).execute();
      }
      await tx.deleteFrom("calls").where("id", "=", callId).execute();
      return true;
    });
    if (!removed) return removed;
    this.#unpersisted.delete(callId);
    this.#purgePending = true;
    // `expire` retries if this fails.
    await this.#purgeChangeLog();
    return true;
  }

  async #purgeChangeLog(): Promise<void> {
    this.#purgePending = !(await truncateWal(this.#db));
  }

  async setCarrierCallId(callId: CallId, carrierCallId: CarrierCallId): Promise<void> {
    await this.#db
      .updateTable("calls")
      .set({ carrier_call_id: JSON.stringify(carrierCallId) })
      .where("id", "=", callId)
      .where("status", "=", "active")
      .execute();
  }

  async finish(callId: CallId, end: CallEnd, redemption?: CallRedemption): Promise<boolean> {
    const before = this.#finishing.get(callId)?.catch(() => false);
    const finishing = (async () => {
      await before;
      return await this.#finish(callId, end, redemption);
    })();
    this.#finishing.set(callId, finishing);
    try {
      return await finishing;
    } finally {
      if (this.#finishing.get(callId) === finishing) this.#finishing.delete(callId);
    }
  }

  /**
   * Writes a long transcript in short transactions, and the end with the last of them. No turn is visible before that.
   */
  async #finish(callId: CallId, end: CallEnd, redemption: CallRedemption | undefined): Promise<boolean> {
    const active = await this.#db
      .selectFrom("calls")
      .select(["account_id", "recording_enabled"])
      .where("id", "=", callId)
      .where("status", "=", "active")
      .where((calls) => calls.and(redemptionColumns(redemption)))
      .executeTakeFirst();
    if (active === undefined) return false;
    // A process that died during this may have left turns.
    await this.#deleteTurns(callId);
    const of = { callId, accountId: active.account_id, withText: active.recording_enabled === 1 };
    const parts = rowBatches(end.turns, of);
    for (const part of parts.slice(0, -1)) {
      const begunMs = performance.now();
      await insertTurns(this.#db, part);
      await pauseAfterTransaction(performance.now() - begunMs);
    }
    const first = await this.#db.transaction().execute(async (tx) => {
      const call = await tx
        .updateTable("calls")
        .set({
          status: end.status,
          end_reason: end.endReason,
          ended_at: end.endedAtMs,
          duration_ms: end.durationMs,
          ...(end.carrierCallId !== undefined && { carrier_call_id: JSON.stringify(end.carrierCallId) }),
          transcript_complete: end.transcriptComplete === undefined ? null : Number(end.transcriptComplete),
          recording: jsonOf(end.recording),
          counters: jsonOf(end.counters),
          latency: jsonOf(end.latency),
          usage: jsonOf(end.usage),
          cost: jsonOf(end.cost),
        })
        .where("id", "=", callId)
        .where("status", "=", "active")
        .where((calls) => calls.and(redemptionColumns(redemption)))
        .returning("id")
        .executeTakeFirst();
      if (call === undefined) return false;
      await insertTurns(tx, parts.at(-1) ?? []);
      return true;
    });
    // Its redemption was returned meanwhile; it waits for its stream again.
    if (!first) await this.#deleteTurns(callId);
    // A call that was redeemed again is active and may be returned again.
    if (first || redemption === undefined) this.#unpersisted.delete(callId);
    return first;
  }

  async #deleteTurns(callId: CallId): Promise<void> {
    await trimTranscript(this.#db, callId);
    const left = this.#db.selectFrom("turns").select("position").where("call_id", "=", callId).limit(1);
    if ((await left.executeTakeFirst()) === undefined) return;
    await this.#db.deleteFrom("turns").where("call_id", "=", callId).execute();
  }

  async expire(): Promise<readonly CallId[]> {
    const rows = await this.#db
      .updateTable("calls")
      .set((calls) => ({ ...EXPIRED, ended_at: lastExpiry(calls) }))
      .where("status", "=", "created")
      .where((calls) => calls.not(hasValidToken(calls, this.#age)))
      .returning("id")
      .execute();
    const ids = rows.map((row) => row.id);
    for (const id of ids) this.#unpersisted.delete(id);
    await deleteExpiredRequests(this.#db, { clock: this.#clock, age: this.#age });
    if (this.#purgePending) await this.#purgeChangeLog();
    return ids;
  }
}

const apiKeyIdOf = ({ api_key_id: apiKeyId }: { api_key_id: ApiKeyId | null }): { apiKeyId?: ApiKeyId } =>
  apiKeyId === null ? {} : { apiKeyId };

const redemptionColumns = (redemption: CallRedemption | undefined) =>
  redemption === undefined
    ? {}
    : { worker_id: redemption.workerId, worker_connection: redemption.workerConnection, epoch: redemption.epoch };

const jsonOf = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value));
