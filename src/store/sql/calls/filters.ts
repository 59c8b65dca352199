import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import { addMs } from "../../../core/clocks.ts";
import type { AccountId, CallId } from "../../../core/ids.ts";
import type { CallQuery } from "../../calls/call-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { CONVERSATIONS_END, firstCallIdAt, ID_TIME_ERROR_MS_MAX } from "./creation/call-ids.ts";
import { headerHash, pairHash } from "./metadata.ts";
import { EXPIRED, hasValidToken, phoneAddress } from "./rows.ts";

export type Filters = Omit<CallQuery, "afterCallId" | "limit">;
type Calls = ExpressionBuilder<Tables, "calls">;

/** A part of an index: the calls of the account that one filter matches, in the order of their ids. */
export type IndexRange =
  | {
      column:
        | "status"
        | "end_reason"
        | "agent_id"
        | "carrier_call_id"
        | "connection_type"
        | "direction"
        | "from_number"
        | "to_number";
      value: string;
    }
  | { pairHash: string };

/** Which ids are looked at: before `before`, from `from` on. */
export interface IdBounds {
  before?: CallId | undefined;
  from?: CallId | undefined;
}

/** The conditions of a list: which calls match, and which parts of indexes hold all that do. */
export class ListFilters {
  readonly #db: SqlDatabase["db"];
  readonly #accountId: AccountId;
  readonly #filters: Filters;
  readonly #hashes: readonly string[];
  readonly #age: AgeClock;

  constructor(db: SqlDatabase["db"], accountId: AccountId, filters: Filters, age: AgeClock) {
    this.#db = db;
    this.#accountId = accountId;
    this.#filters = filters;
    this.#hashes = [
      ...Object.entries(filters.metadata ?? {}).map(([key, text]) => pairHash(key, text)),
      ...Object.entries(filters.headers ?? {}).map(([name, value]) => headerHash(name, value)),
    ];
    this.#age = age;
  }

  /**
   * For each filter the ranges that hold every call that it matches, those first that are likely to hold few. A call that
   * has expired may still be stored as created: then there are two.
   */
  get ranges(): readonly (readonly IndexRange[])[] {
    const { status, connectionType, carrierCallId, endReason, agentId, direction, from, to } = this.#filters;
    const waiting = { column: "status", value: "created" } as const;
    const withWaiting = (range: IndexRange, mayWait: boolean) => (mayWait ? [range, waiting] : [range]);
    const value = carrierCallId === undefined ? undefined : JSON.stringify(carrierCallId);
    return [
      ...this.#hashes.map((hash) => [{ pairHash: hash }]),
      ...(value === undefined ? [] : [[{ column: "carrier_call_id", value } as const]]),
      ...(to === undefined ? [] : [[{ column: "to_number", value: phoneAddress(to) } as const]]),
      ...(from === undefined ? [] : [[{ column: "from_number", value: phoneAddress(from) } as const]]),
      ...(agentId === undefined ? [] : [[{ column: "agent_id", value: agentId } as const]]),
      ...(endReason === undefined
        ? []
        : [withWaiting({ column: "end_reason", value: endReason }, endReason === EXPIRED.end_reason)]),
      ...(status === undefined ? [] : [withWaiting({ column: "status", value: status }, status === EXPIRED.status)]),
      ...(direction === undefined ? [] : [[{ column: "direction", value: direction } as const]]),
      ...(connectionType === undefined ? [] : [[{ column: "connection_type", value: connectionType } as const]]),
    ];
  }

  /** The ids that the times of the query leave, without live transcriptions. */
  get bounds(): IdBounds {
    const { createdFromMs, createdBeforeMs } = this.#filters;
    return {
      from: createdFromMs === undefined ? undefined : firstCallIdAt(addMs(createdFromMs, -ID_TIME_ERROR_MS_MAX)),
      before:
        createdBeforeMs === undefined ? CONVERSATIONS_END : firstCallIdAt(addMs(createdBeforeMs, ID_TIME_ERROR_MS_MAX)),
    };
  }

  /** The ids of a range, or of all calls, newest first: at most `limit`, without the first `offset`. */
  async idsOf(range: IndexRange | undefined, bounds: IdBounds, limit: number, offset = 0): Promise<readonly CallId[]> {
    return range !== undefined && "pairHash" in range
      ? idsIn(await this.#pairs(range.pairHash, bounds).offset(offset).limit(limit).execute())
      : idsIn(await this.#calls(range, bounds).offset(offset).limit(limit).execute());
  }

  /** The ids of the calls of a range that match, newest first. */
  async matching(range: IndexRange | undefined, bounds: IdBounds, limit: number): Promise<readonly CallId[]> {
    if (range === undefined || !("pairHash" in range)) {
      const calls = this.#calls(range, bounds).where((eb) =>
        eb.and([...this.#ofCall(eb, range), ...this.#ofPairs(eb)]),
      );
      return idsIn(await calls.limit(limit).execute());
    }
    const others = this.#hashes.filter((hash) => hash !== range.pairHash);
    const pairs = this.#pairs(range.pairHash, bounds).where((eb) =>
      eb.and(others.map((hash) => isBesidePair(eb, hash))),
    );
    if (!this.#needsCalls) return idsIn(await pairs.limit(limit).execute());
    // In this order: the calls are looked up by the ids of the pairs.
    const calls = pairs
      .crossJoin("calls")
      .whereRef("calls.id", "=", "pair.call_id")
      .where((eb) => eb.and(this.#ofCall(eb, range)));
    return idsIn(await calls.limit(limit).execute());
  }

  #calls(range: Exclude<IndexRange, { pairHash: string }> | undefined, { before, from }: IdBounds) {
    return this.#db
      .selectFrom("calls")
      .select("calls.id")
      .where("calls.account_id", "=", this.#accountId)
      .$if(range !== undefined, (calls) => calls.where(`calls.${range?.column ?? "id"}`, "=", range?.value as never))
      .$if(before !== undefined, (calls) => calls.where("calls.id", "<", before as CallId))
      .$if(from !== undefined, (calls) => calls.where("calls.id", ">=", from as CallId))
      .orderBy("calls.id", "desc");
  }

  #pairs(hash: string, { before, from }: IdBounds) {
    return this.#db
      .selectFrom("call_metadata as pair")
      .select("pair.call_id as id")
      .where("pair.account_id", "=", this.#accountId)
      .where("pair.pair_hash", "=", hash)
      .$if(before !== undefined, (pairs) => pairs.where("pair.call_id", "<", before as CallId))
      .$if(from !== undefined, (pairs) => pairs.where("pair.call_id", ">=", from as CallId))
      .orderBy("pair.call_id", "desc");
  }

  /** Those of these calls that match, newest first. */
  among(ids: readonly CallId[]) {
    return this.#db
      .selectFrom("calls")
      .where((eb) => eb.and([...this.#ofCall(eb), ...this.#ofPairs(eb)]))
      .where("calls.id", "in", ids)
      .orderBy("calls.id", "desc");
  }

  /** Whether there are other filters than metadata and headers. */
  get #needsCalls(): boolean {
    const { metadata: _, headers: __, ...others } = this.#filters;
    return Object.values(others).some((value) => value !== undefined);
  }

  /** What must hold of a call in a range, but for its metadata. */
  #ofCall(calls: Calls, range?: IndexRange) {
    const { status, connectionType, carrierCallId, endReason, agentId, createdFromMs, createdBeforeMs } = this.#filters;
    const { direction, from, to } = this.#filters;
    const conditions: Expression<SqlBool>[] = [calls("calls.account_id", "=", this.#accountId)];
    if (connectionType !== undefined) conditions.push(calls("calls.connection_type", "=", connectionType));
    if (agentId !== undefined) conditions.push(calls("calls.agent_id", "=", agentId));
    if (carrierCallId !== undefined) {
      conditions.push(calls("calls.carrier_call_id", "=", JSON.stringify(carrierCallId)));
    }
    if (direction !== undefined) conditions.push(calls("calls.direction", "=", direction));
    if (from !== undefined) conditions.push(calls("calls.from_number", "=", phoneAddress(from)));
    if (to !== undefined) conditions.push(calls("calls.to_number", "=", phoneAddress(to)));
    if (createdFromMs !== undefined) conditions.push(calls("calls.created_at", ">=", createdFromMs));
    if (createdBeforeMs !== undefined) conditions.push(calls("calls.created_at", "<", createdBeforeMs));
    // What the range decides is left out: as an alternative it would have the database look for another index.
    const decided = range !== undefined && "column" in range ? range : undefined;
    const isDecided = (column: string, value: string) => decided?.column === column && decided.value === value;
    if (status !== undefined && (status === "created" || !isDecided("status", status))) {
      conditions.push(this.#hasStatus(calls, status));
    }
    if (endReason !== undefined && !isDecided("end_reason", endReason)) {
      conditions.push(this.#hasEndReason(calls, endReason));
    }
    return conditions;
  }

  #ofPairs(calls: Calls) {
    return this.#hashes.map((hash) =>
      calls.exists(
        calls
          .selectFrom("call_metadata as other")
          .select("other.call_id")
          .whereRef("other.account_id", "=", "calls.account_id")
          .where("other.pair_hash", "=", hash)
          .whereRef("other.call_id", "=", "calls.id"),
      ),
    );
  }

  /** Whether a call has this status now: it is `expired` once its last token has expired, whether `expire` has run or not. */
  #hasStatus(calls: Calls, status: NonNullable<Filters["status"]>) {
    const stored = calls("calls.status", "=", status);
    if (status === "created") return calls.and([stored, hasValidToken(calls, this.#age)]);
    return status === EXPIRED.status ? calls.or([stored, this.#isDueToExpire(calls)]) : stored;
  }

  #hasEndReason(calls: Calls, endReason: NonNullable<Filters["endReason"]>) {
    const stored = calls("calls.end_reason", "=", endReason);
    return endReason === EXPIRED.end_reason ? calls.or([stored, this.#isDueToExpire(calls)]) : stored;
  }

  #isDueToExpire(calls: Calls) {
    return calls.and([calls("calls.status", "=", "created"), calls.not(hasValidToken(calls, this.#age))]);
  }
}

const idsIn = (rows: readonly { id: CallId }[]): readonly CallId[] => rows.map(({ id }) => id);

/** Whether the call of a pair has another pair, too. */
const isBesidePair = (pairs: ExpressionBuilder<Tables & { pair: Tables["call_metadata"] }, "pair">, hash: string) =>
  pairs.exists(
    pairs
      .selectFrom("call_metadata as other")
      .select("other.call_id")
      .whereRef("other.account_id", "=", "pair.account_id")
      .where("other.pair_hash", "=", hash)
      .whereRef("other.call_id", "=", "pair.call_id"),
  );
