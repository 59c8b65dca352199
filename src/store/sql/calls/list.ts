import { setImmediate } from "node:timers/promises";
import type { ExpressionBuilder } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { EndReason } from "../../../core/calls/reasons.ts";
import type { AccountId, CallId } from "../../../core/ids.ts";
import type { CallQuery, CallStatus, ListedCall } from "../../call-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { pairHash } from "./metadata.ts";
import { currentRecordOf, EXPIRED, hasValidToken, LISTED_COLUMNS, lastExpiry } from "./rows.ts";

/**
 * Calls whose index entries one query reads. SQLite runs while the process waits, and a filter that matches few calls
 * reads many. Between two queries the event loop runs.
 */
const WINDOW_CALLS_MAX = 10_000;

/** A pair of metadata that no more calls have than this is where the search begins. */
const RARE_PAIR_CALLS_MAX = 1_000;

type Filters = Omit<CallQuery, "afterCallId" | "limit">;
type Calls = ExpressionBuilder<Tables, "calls">;

/** The account's calls that match the query, newest first, and whether others follow. */
export async function listCalls(
  { db }: SqlDatabase,
  accountId: AccountId,
  { afterCallId, limit, ...filters }: CallQuery,
  age: AgeClock,
): Promise<{ calls: readonly ListedCall[]; more: boolean }> {
  const search = new CallSearch(db, accountId, filters, age);
  // One call more than requested shows whether others follow.
  const ids = await search.ids(afterCallId, limit + 1);
  const calls = await search.calls(ids.slice(0, limit));
  return { calls, more: ids.length > limit };
}

/** Finds calls by indexes alone, so that long settings and prompts are not read. */
class CallSearch {
  readonly #db: SqlDatabase["db"];
  readonly #accountId: AccountId;
  readonly #filters: Filters;
  readonly #hashes: readonly string[];
  readonly #age: AgeClock;

  constructor(db: SqlDatabase["db"], accountId: AccountId, filters: Filters, age: AgeClock) {
    this.#db = db;
    this.#accountId = accountId;
    this.#filters = filters;
    this.#hashes = Object.entries(filters.metadata ?? {}).map(([key, text]) => pairHash(key, text));
    this.#age = age;
  }

  /** The ids of the next calls that match, at most `count`. */
  async ids(afterCallId: CallId | undefined, count: number): Promise<readonly CallId[]> {
    const rare = await this.#rarePair();
    if (rare !== undefined) return await this.#idsAmong(rare, afterCallId, count);
    const found: CallId[] = [];
    for (let after = afterCallId; ; ) {
      const last = await this.#endOfWindow(after);
      let window = this.#matching().select("calls.id").orderBy("calls.id", "desc");
      if (after !== undefined) window = window.where("calls.id", "<", after);
      if (last !== undefined) window = window.where("calls.id", ">=", last);
      const rows = await window.limit(count - found.length).execute();
      found.push(...rows.map(({ id }) => id));
      if (found.length === count || last === undefined) return found;
      after = last;
      await setImmediate();
    }
  }

  /** The listed form of these calls. One that no longer matches, or was removed, is left out. */
  async calls(ids: readonly CallId[]): Promise<readonly ListedCall[]> {
    if (ids.length === 0) return [];
    const rows = await this.#matching()
      .select(LISTED_COLUMNS)
      .select((calls) => [lastExpiry(calls).as("expires_at"), hasValidToken(calls, this.#age).as("has_valid_token")])
      .where("calls.id", "in", ids)
      .orderBy("calls.id", "desc")
      .execute();
    return rows.map(currentRecordOf);
  }

  /** All calls that have the rare pair, of which those that match are returned. */
  async #idsAmong(rare: readonly CallId[], after: CallId | undefined, count: number): Promise<readonly CallId[]> {
    const later = after === undefined ? rare : rare.filter((id) => id < after);
    if (later.length === 0) return [];
    const rows = await this.#matching()
      .select("calls.id")
      .where("calls.id", "in", later)
      .orderBy("calls.id", "desc")
      .limit(count)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** The calls that have the first pair of metadata that few calls have; undefined where there is none. */
  async #rarePair(): Promise<readonly CallId[] | undefined> {
    for (const hash of this.#hashes) {
      const rows = await this.#db
        .selectFrom("call_metadata")
        .select("call_id")
        .where("account_id", "=", this.#accountId)
        .where("pair_hash", "=", hash)
        .limit(RARE_PAIR_CALLS_MAX + 1)
        .execute();
      if (rows.length <= RARE_PAIR_CALLS_MAX) return rows.map((row) => row.call_id);
    }
    return undefined;
  }

  /** The oldest call of the next window; undefined when all remaining calls fit into it. */
  async #endOfWindow(after: CallId | undefined): Promise<CallId | undefined> {
    const { carrierCallId } = this.#filters;
    let earlier = this.#db.selectFrom("calls").select("id").where("account_id", "=", this.#accountId);
    // An index finds them, but the peer chooses the id, so any number of calls may share it.
    if (carrierCallId !== undefined) earlier = earlier.where("carrier_call_id", "=", JSON.stringify(carrierCallId));
    if (after !== undefined) earlier = earlier.where("id", "<", after);
    const last = await earlier
      .orderBy("id", "desc")
      .limit(1)
      .offset(WINDOW_CALLS_MAX - 1)
      .executeTakeFirst();
    return last?.id;
  }

  #matching() {
    const { status, connectionType, carrierCallId, endReason, agentId, createdFromMs, createdBeforeMs } = this.#filters;
    let calls = this.#db.selectFrom("calls").where("calls.account_id", "=", this.#accountId);
    if (status !== undefined) calls = calls.where((eb) => hasStatus(eb, status, this.#age));
    if (connectionType !== undefined) calls = calls.where("calls.connection_type", "=", connectionType);
    if (endReason !== undefined) calls = calls.where((eb) => hasEndReason(eb, endReason, this.#age));
    if (agentId !== undefined) calls = calls.where("calls.agent_id", "=", agentId);
    if (carrierCallId !== undefined) calls = calls.where("calls.carrier_call_id", "=", JSON.stringify(carrierCallId));
    if (createdFromMs !== undefined) calls = calls.where("calls.created_at", ">=", createdFromMs);
    if (createdBeforeMs !== undefined) calls = calls.where("calls.created_at", "<", createdBeforeMs);
    for (const hash of this.#hashes) calls = calls.where((eb) => hasPair(eb, hash));
    return calls;
  }
}

const hasPair = (calls: Calls, hash: string) =>
  calls.exists(
    calls
      .selectFrom("call_metadata as pair")
      .select("pair.call_id")
      .whereRef("pair.account_id", "=", "calls.account_id")
      .where("pair.pair_hash", "=", hash)
      .whereRef("pair.call_id", "=", "calls.id"),
  );

/**
 * Whether a call has this status now: it is `expired` once its last token has expired, whether `expire` has run or not.
 */
function hasStatus(calls: Calls, status: CallStatus, age: AgeClock) {
  const stored = calls("calls.status", "=", status);
  if (status === "created") return calls.and([stored, hasValidToken(calls, age)]);
  return status === EXPIRED.status ? calls.or([stored, isDueToExpire(calls, age)]) : stored;
}

function hasEndReason(calls: Calls, endReason: EndReason, age: AgeClock) {
  const stored = calls("calls.end_reason", "=", endReason);
  return endReason === EXPIRED.end_reason ? calls.or([stored, isDueToExpire(calls, age)]) : stored;
}

const isDueToExpire = (calls: Calls, age: AgeClock) =>
  calls.and([calls("calls.status", "=", "created"), calls.not(hasValidToken(calls, age))]);
