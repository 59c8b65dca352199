import type { ExpressionBuilder, Kysely, Selectable, Transaction } from "kysely";
import type { CallSpec, TranscriptTurn } from "../../core/call-spec.ts";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { ActiveCall, CallEnd, CallRecord, CallStore, CallWords, NewCall } from "../call-store.ts";
import type { RedeemedCall } from "../hand-off.ts";
import type { Tables } from "./tables.ts";

/** Turns put in by one statement; SQLite takes 32,766 parameters at most. */
const TURNS_PER_INSERT = 500;

const EXPIRED = { status: "expired", end_reason: "token_expired" } as const;

export class SqliteCalls implements CallStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  /** Prompts and greetings of calls that are not recorded, by call id, while a token stands for them. */
  readonly #unwritten = new Map<string, CallWords>();

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async create({ accountId, spec, tokenHash, tokenTtlMs }: NewCall): Promise<CallRecord> {
    const { words, settings } = split(spec);
    const nowMs = this.#clock.epochMs();
    const row = {
      id: newId("call"),
      account_id: accountId,
      status: "created",
      settings: JSON.stringify(settings),
      words: spec.recordingEnabled ? JSON.stringify(words) : null,
      recording_enabled: spec.recordingEnabled ? 1 : 0,
      created_at: nowMs,
    };
    const token = { token_hash: tokenHash, account_id: accountId, call_id: row.id, expires_at: nowMs + tokenTtlMs };
    await this.#db.transaction().execute(async (tx) => {
      await tx.insertInto("calls").values(row).execute();
      await tx.insertInto("stream_tokens").values(token).execute();
    });
    if (!spec.recordingEnabled) this.#unwritten.set(row.id, words);
    return { id: row.id, accountId, status: "created", settings, createdAtMs: nowMs };
  }

  async redeem(tokenHash: string, workerId: string): Promise<RedeemedCall | undefined> {
    let redeemed: RedeemedCall | undefined;
    try {
      redeemed = await this.#db.transaction().execute((tx) => this.#redeem(tx, tokenHash, workerId));
    } catch (error) {
      throw unavailable("whether the token was redeemed is not known", error);
    }
    if (redeemed !== undefined) this.#unwritten.delete(redeemed.callId);
    return redeemed;
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

  async get(accountId: string, callId: string): Promise<CallRecord | undefined> {
    const row = await this.#db
      .selectFrom("calls")
      .selectAll()
      .select((calls) => lastExpiry(calls).as("expires_at"))
      .where("id", "=", callId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const isExpired = row.status === "created" && row.expires_at !== null && row.expires_at <= this.#clock.epochMs();
    return recordOf(isExpired ? { ...row, ...EXPIRED, ended_at: row.expires_at } : row);
  }

  async transcript(accountId: string, callId: string): Promise<readonly TranscriptTurn[] | undefined> {
    if ((await this.get(accountId, callId)) === undefined) return undefined;
    const rows = await this.#db
      .selectFrom("turns")
      .selectAll()
      .where("call_id", "=", callId)
      .orderBy("position")
      .execute();
    return rows.map(turnOf);
  }

  async listActive(workerId?: string): Promise<readonly ActiveCall[]> {
    let query = this.#db
      .selectFrom("calls")
      .select(["id", "account_id", "worker_id", "started_at", "recording_enabled"])
      .where("status", "=", "active")
      .$narrowType<{ worker_id: string; started_at: number }>();
    if (workerId !== undefined) query = query.where("worker_id", "=", workerId);
    const rows = await query.orderBy("id").execute();
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      workerId: row.worker_id,
      startedAtMs: row.started_at,
      recordingEnabled: row.recording_enabled === 1,
    }));
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
          recording: end.recording === undefined ? null : JSON.stringify(end.recording),
          counters: end.counters === undefined ? null : JSON.stringify(end.counters),
        })
        .where("id", "=", callId)
        .where("status", "=", "active")
        .returning(["account_id", "recording_enabled"])
        .executeTakeFirst();
      if (call === undefined) return false;
      const rows = end.turns.map((turn, position) => ({
        ...rowOf(turn, call.recording_enabled === 1),
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
    return ids;
  }
}

/** When the last of a call's tokens runs out, or ran out: that, and not when it is noticed, is the end of the call. */
const lastExpiry = (calls: ExpressionBuilder<Tables, "calls">) =>
  calls
    .selectFrom("stream_tokens")
    .select(({ fn }) => fn.max("stream_tokens.expires_at").as("expires_at"))
    .whereRef("stream_tokens.call_id", "=", "calls.id");

function split({ systemPrompt, greeting, ...settings }: CallSpec) {
  const words: CallWords = { systemPrompt, ...(greeting !== undefined && { greeting }) };
  return { words, settings };
}

const recordOf = (row: Selectable<Tables["calls"]>): CallRecord => ({
  id: row.id,
  accountId: row.account_id,
  status: row.status as CallRecord["status"],
  settings: JSON.parse(row.settings),
  createdAtMs: row.created_at,
  ...(row.started_at !== null && { startedAtMs: row.started_at }),
  ...(row.ended_at !== null && { endedAtMs: row.ended_at }),
  ...(row.duration_ms !== null && { durationMs: row.duration_ms }),
  ...(row.end_reason !== null && { endReason: row.end_reason as NonNullable<CallRecord["endReason"]> }),
  ...(row.recording !== null && { recording: JSON.parse(row.recording) }),
  ...(row.counters !== null && { counters: JSON.parse(row.counters) }),
});

const rowOf = (turn: TranscriptTurn, withText: boolean) => ({
  role: turn.role,
  text: withText ? turn.text : null,
  start_ms: turn.startMs,
  end_ms: turn.endMs,
  interrupted: turn.interrupted ? 1 : 0,
  latency: turn.latency === undefined ? null : JSON.stringify(turn.latency),
});

const turnOf = (row: Selectable<Tables["turns"]>): TranscriptTurn => ({
  role: row.role as TranscriptTurn["role"],
  text: row.text ?? "",
  startMs: row.start_ms,
  endMs: row.end_ms,
  interrupted: row.interrupted === 1,
  ...(row.latency !== null && { latency: JSON.parse(row.latency) }),
});
