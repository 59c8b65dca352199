import type { Kysely, Transaction } from "kysely";
import type { ConnectionType, TranscriptTurn } from "../../core/call-spec.ts";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { IDEMPOTENCY_MS } from "../../core/limits.ts";
import type {
  ActiveCall,
  CallEnd,
  CallQuery,
  CallRecord,
  CallStore,
  CallWords,
  Cancellation,
  Creation,
  IdempotentRequest,
  ListedCall,
  NewCall,
  NoPlace,
  WaitingCall,
} from "../call-store.ts";
import type { RedeemedCall } from "../hand-off.ts";
import { listCalls } from "./call-list.ts";
import {
  createdRecordOf,
  EXPIRED,
  lastExpiry,
  RECORD_COLUMNS,
  recordAt,
  split,
  turnOf,
  turnRowOf,
} from "./call-rows.ts";
import { removeDeletedTraces } from "./deleted-traces.ts";
import type { Tables } from "./tables.ts";

/** Turns put in by one statement; SQLite takes 32,766 parameters at most. */
const TURNS_PER_INSERT = 500;

export class SqliteCalls implements CallStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  /** Prompts and greetings of calls that are not recorded, by call id, while a token stands for them. */
  readonly #unwritten = new Map<string, CallWords>();
  /** Something was removed of which the log of changes still has the text; by a process before this one, for all we know. */
  #tracesLeft = true;

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async create(call: NewCall, admit?: () => NoPlace | undefined): Promise<Creation> {
    const { idempotency } = call;
    // What has no name repeats nothing: a flood of such requests is refused without the database.
    const reason = idempotency === undefined ? admit?.() : undefined;
    if (reason !== undefined) return { kind: "refused", reason };
    const creation = await this.#db.transaction().execute(async (tx): Promise<Creation> => {
      if (idempotency === undefined) return await this.#insert(tx, call);
      const before = await this.#repeat(tx, call, idempotency);
      if (before !== undefined) return before;
      const reason = admit?.();
      return reason === undefined ? await this.#insert(tx, call) : { kind: "refused", reason };
    });
    if (creation.kind === "created" && !call.spec.recordingEnabled) {
      this.#unwritten.set(creation.call.id, split(call.spec).words);
    }
    return creation;
  }

  /** What a request of this name came to before; undefined when there was none, or its time is over. */
  async #repeat(
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
      .where("request.created_at", ">", this.#clock.epochMs() - IDEMPOTENCY_MS)
      .executeTakeFirst();
    if (before === undefined) return undefined;
    if (before.fingerprint !== request.fingerprint) return { kind: "mismatch" };
    // What a restart has lost of a call that still waits, the same request brings back.
    if (before.status === "created" && !spec.recordingEnabled) this.#unwritten.set(before.id, split(spec).words);
    return { kind: "repeated", call: createdRecordOf(before), sealedToken: before.sealed_token };
  }

  async #insert(tx: Transaction<Tables>, call: NewCall): Promise<Creation> {
    const { accountId, agentId, apiKeyId, spec, tokenHash, tokenTtlMs, idempotency } = call;
    const { words, settings } = split(spec);
    const nowMs = this.#clock.epochMs();
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
    };
    const ofCall = { account_id: accountId, call_id: row.id };
    const token = { ...ofCall, token_hash: tokenHash, expires_at: nowMs + tokenTtlMs };
    await tx.insertInto("calls").values(row).execute();
    await tx.insertInto("stream_tokens").values(token).execute();
    if (idempotency !== undefined) {
      const { keyHash, fingerprint, sealedToken } = idempotency;
      const request = { ...ofCall, key_hash: keyHash, fingerprint, sealed_token: sealedToken, created_at: nowMs };
      // One whose day is over may still be there.
      await tx
        .insertInto("idempotent_requests")
        .values(request)
        .onConflict((conflict) => conflict.columns(["account_id", "key_hash"]).doUpdateSet(request))
        .execute();
    }
    return { kind: "created", call: createdRecordOf(row) };
  }

  async redeem(
    tokenHash: string,
    workerId: string,
    only?: readonly ConnectionType[],
  ): Promise<RedeemedCall | undefined> {
    let redeemed: RedeemedCall | undefined;
    try {
      // Strangers come by the thousand: their tokens cost a look, and no transaction. What a call is for never changes.
      if (!(await this.#isGood(tokenHash, only))) return undefined;
      redeemed = await this.#db.transaction().execute((tx) => this.#redeem(tx, tokenHash, workerId));
    } catch (error) {
      throw unavailable("whether the token was redeemed is not known", error);
    }
    if (redeemed !== undefined) this.#unwritten.delete(redeemed.callId);
    return redeemed;
  }

  /** Whether a token could be redeemed just now, for one of these transports. */
  async #isGood(tokenHash: string, only: readonly ConnectionType[] | undefined): Promise<boolean> {
    const token = await this.#db
      .selectFrom("stream_tokens")
      .select("call_id")
      .where("token_hash", "=", tokenHash)
      .where("redeemed_at", "is", null)
      .where("expires_at", ">", this.#clock.epochMs())
      .executeTakeFirst();
    if (token === undefined || only === undefined) return token !== undefined;
    const call = await this.#db
      .selectFrom("calls")
      .select("settings")
      .where("id", "=", token.call_id)
      .executeTakeFirst();
    if (call === undefined) return false;
    const settings: { connectionType: ConnectionType } = JSON.parse(call.settings);
    return only.includes(settings.connectionType);
  }

  async #redeem(tx: Transaction<Tables>, tokenHash: string, workerId: string): Promise<RedeemedCall | undefined> {
    const nowMs = this.#clock.epochMs();
    const token = await tx
      .updateTable("stream_tokens")
      .set({ redeemed_at: nowMs })
      .where("token_hash", "=", tokenHash)
      .where("redeemed_at", "is", null)
      .where("expires_at", ">", nowMs)
      .returning("call_id")
      .executeTakeFirst();
    if (token === undefined) return undefined;
    const call = await tx
      .updateTable("calls")
      .set({ status: "active", started_at: nowMs, worker_id: workerId })
      .where("id", "=", token.call_id)
      .where("status", "=", "created")
      .returning(["id", "account_id", "settings", "words"])
      .executeTakeFirst();
    if (call === undefined) return undefined;
    const words: CallWords | undefined = call.words === null ? this.#unwritten.get(call.id) : JSON.parse(call.words);
    if (words === undefined) {
      // Its words were in the memory of a control process that is gone.
      await tx
        .updateTable("calls")
        .set({ ...EXPIRED, started_at: null, ended_at: nowMs, worker_id: null })
        .where("id", "=", call.id)
        .execute();
      return undefined;
    }
    return { callId: call.id, accountId: call.account_id, spec: { ...JSON.parse(call.settings), ...words } };
  }

  get(accountId: string, callId: string): Promise<CallRecord | undefined> {
    return this.#get(this.#db, accountId, callId);
  }

  async #get(db: Kysely<Tables>, accountId: string, callId: string): Promise<CallRecord | undefined> {
    const row = await db
      .selectFrom("calls")
      .select(RECORD_COLUMNS)
      .select((calls) => lastExpiry(calls).as("expires_at"))
      .where("id", "=", callId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return row && recordAt(this.#clock.epochMs(), row);
  }

  list(accountId: string, query: CallQuery): Promise<{ calls: readonly ListedCall[]; more: boolean }> {
    return listCalls(this.#db, accountId, query, this.#clock.epochMs());
  }

  async transcript(
    accountId: string,
    callId: string,
    range?: { from: number; limit: number },
  ): Promise<readonly TranscriptTurn[] | undefined> {
    if ((await this.get(accountId, callId)) === undefined) return undefined;
    let turns = this.#db.selectFrom("turns").selectAll().where("call_id", "=", callId).orderBy("position");
    // Positions are counted from 0, without gaps.
    if (range !== undefined) turns = turns.where("position", ">=", range.from).limit(range.limit);
    return (await turns.execute()).map(turnOf);
  }

  async listWaiting(): Promise<readonly WaitingCall[]> {
    const rows = await this.#db
      .selectFrom("calls")
      .select(["id", "api_key_id"])
      .select((calls) => lastExpiry(calls).as("expires_at"))
      .where("status", "=", "created")
      .where((calls) => calls(lastExpiry(calls), ">", this.#clock.epochMs()))
      .$narrowType<{ expires_at: number }>()
      .execute();
    return rows.map((row) => ({ id: row.id, ...ofKey(row), expiresAtMs: row.expires_at }));
  }

  async listActive(workerId?: string): Promise<readonly ActiveCall[]> {
    let query = this.#db
      .selectFrom("calls")
      .select(["id", "account_id", "api_key_id", "worker_id", "started_at", "recording_enabled"])
      .where("status", "=", "active")
      .$narrowType<{ worker_id: string; started_at: number }>();
    if (workerId !== undefined) query = query.where("worker_id", "=", workerId);
    const rows = await query.orderBy("id").execute();
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      ...ofKey(row),
      workerId: row.worker_id,
      startedAtMs: row.started_at,
      recordingEnabled: row.recording_enabled === 1,
    }));
  }

  async cancel(accountId: string, callId: string): Promise<Cancellation | undefined> {
    const found = await this.#db.transaction().execute(async (tx): Promise<Cancellation | undefined> => {
      const nowMs = this.#clock.epochMs();
      const { numUpdatedRows } = await tx
        .updateTable("calls")
        .set({ status: "ended", end_reason: "api_hangup", ended_at: nowMs })
        .where("id", "=", callId)
        .where("account_id", "=", accountId)
        .where("status", "=", "created")
        .where((calls) => calls(lastExpiry(calls), ">", nowMs))
        .executeTakeFirst();
      const call = await this.#get(tx, accountId, callId);
      if (call === undefined) return undefined;
      const cancelled = numUpdatedRows > 0n;
      if (call.status !== "active") return { call, cancelled };
      const { worker_id: workerId } = await tx
        .selectFrom("calls")
        .select("worker_id")
        .$narrowType<{ worker_id: string }>()
        .where("id", "=", callId)
        .executeTakeFirstOrThrow();
      return { call, workerId, cancelled };
    });
    if (found?.cancelled) this.#unwritten.delete(callId);
    return found;
  }

  async remove(accountId: string, callId: string): Promise<boolean | undefined> {
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
    this.#unwritten.delete(callId);
    this.#tracesLeft = true;
    // `expire` tries again where it could not be done.
    await this.#removeTraces();
    return true;
  }

  async #removeTraces(): Promise<void> {
    this.#tracesLeft = !(await removeDeletedTraces(this.#db));
  }

  async setCarrierCallId(callId: string, carrierCallId: string): Promise<void> {
    await this.#db
      .updateTable("calls")
      .set({ carrier_call_id: JSON.stringify(carrierCallId) })
      .where("id", "=", callId)
      .where("status", "=", "active")
      .execute();
  }

  async finish(callId: string, end: CallEnd): Promise<boolean> {
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
        .returning(["account_id", "recording_enabled"])
        .executeTakeFirst();
      if (call === undefined) return false;
      const rows = end.turns.map((turn, position) => ({
        ...turnRowOf(turn, call.recording_enabled === 1),
        call_id: callId,
        position,
        account_id: call.account_id,
      }));
      for (let from = 0; from < rows.length; from += TURNS_PER_INSERT) {
        await tx
          .insertInto("turns")
          .values(rows.slice(from, from + TURNS_PER_INSERT))
          .execute();
      }
      return true;
    });
    // Left behind only when the answer to its redemption was lost.
    this.#unwritten.delete(callId);
    return first;
  }

  async expire(): Promise<readonly string[]> {
    const nowMs = this.#clock.epochMs();
    const rows = await this.#db
      .updateTable("calls")
      .set((calls) => ({ ...EXPIRED, ended_at: lastExpiry(calls) }))
      .where("status", "=", "created")
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("stream_tokens")
              .select("token_hash")
              .whereRef("stream_tokens.call_id", "=", "calls.id")
              .where("expires_at", ">", nowMs),
          ),
        ),
      )
      .returning("id")
      .execute();
    const ids = rows.map((row) => row.id);
    for (const id of ids) this.#unwritten.delete(id);
    await this.#db
      .deleteFrom("idempotent_requests")
      .where("created_at", "<=", nowMs - IDEMPOTENCY_MS)
      .execute();
    if (this.#tracesLeft) await this.#removeTraces();
    return ids;
  }
}

const ofKey = ({ api_key_id: apiKeyId }: { api_key_id: string | null }): { apiKeyId?: string } =>
  apiKeyId === null ? {} : { apiKeyId };

const jsonOf = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value));
