import { type Kysely, sql } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { Clock } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId, ApiKeyId, CallId, CarrierId } from "../../../core/ids.ts";
import type { CallEvent } from "../../calls/call-store.ts";
import type { HolderOf } from "../../cluster/node-store.ts";
import type {
  CountedOwner,
  NewPhoneCall,
  PhoneCallCreation,
  PhoneCallEventRow,
  PhoneCallStep,
  PhoneCallStore,
  StoredPhoneCall,
} from "../../telephony/phone-call-store.ts";
import { type CountedId, countAlone, countLiveCalls } from "../calls/creation/call-limits.ts";
import { isOwnMatter } from "../cluster/held-calls.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlJobs } from "../job-queue/jobs.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import type { SqlEvents } from "../webhooks/events.ts";
import { dueCalls } from "./due-calls.ts";
import { createPhoneCall, findRequested } from "./phone-call-creation.ts";
import { type PhoneCallRow, type PhoneCallsContext, selectCalls, storedOf, WITHOUT_STREAM } from "./phone-call-rows.ts";
import { stepPhoneCall } from "./phone-call-steps.ts";

type EndedEvent = Extract<CallEvent, { kind: "ended" }>;

/** See `PhoneCallStore`. */
export class SqlPhoneCalls implements PhoneCallStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #age: AgeClock;
  readonly #jobs: SqlJobs;
  readonly #events: SqlEvents;
  readonly #changeLog: SideEffects["changeLog"];
  readonly #emit: (event: CallEvent) => void;
  readonly #holderOf: HolderOf;
  readonly #context: PhoneCallsContext;
  /** Ends that may be stored, because their commit was not acknowledged. */
  readonly #uncertainEnds = new Map<CallId, EndedEvent>();

  constructor(
    database: SqlDatabase,
    clock: Clock,
    age: AgeClock,
    { jobs, events, changeLog }: Pick<SideEffects, "jobs" | "events" | "changeLog">,
    emit: (event: CallEvent) => void,
    holderOf: HolderOf = () => undefined,
  ) {
    this.#database = database;
    this.#db = database.db;
    this.#age = age;
    this.#jobs = jobs;
    this.#events = events;
    this.#changeLog = changeLog;
    this.#emit = emit;
    this.#holderOf = holderOf;
    this.#context = { database, clock, age, jobs, events, holderOf };
  }

  async create(call: NewPhoneCall): Promise<PhoneCallCreation> {
    // Another request or webhook may store the same call at the same time.
    const creation = await this.#database.transaction((tx) => createPhoneCall(tx, call, this.#context));
    if (creation.kind === "created") {
      this.#emit({ kind: "phone-created", callId: creation.call.id, spec: call.spec });
      this.#events.notify();
    }
    return creation;
  }

  findRepeated(call: Pick<NewPhoneCall, "accountId" | "idempotency">): Promise<PhoneCallCreation | undefined> {
    return findRequested(this.#db, call, this.#context);
  }

  async get(callId: CallId): Promise<StoredPhoneCall | undefined> {
    const row = await selectCalls(this.#db).where("phone.call_id", "=", callId).executeTakeFirst();
    if (row === undefined) return undefined;
    this.#settleEnd(row);
    return storedOf(row);
  }

  async findByCarrierCall(carrierId: CarrierId, carrierCallId: string): Promise<StoredPhoneCall | undefined> {
    const row = await selectCalls(this.#db)
      .where("phone.carrier_id", "=", carrierId)
      .where("phone.carrier_call_id", "=", JSON.stringify(carrierCallId))
      .executeTakeFirst();
    return row && storedOf(row);
  }

  async step(callId: CallId, eventCount: number, step: PhoneCallStep): Promise<boolean> {
    const { end } = step;
    const ended: EndedEvent | undefined = end && { kind: "ended", callId, ...end };
    const mayBeStored = this.#uncertainEnds.has(callId);
    if (ended !== undefined) this.#uncertainEnds.set(callId, ended);
    const stored = await this.#database.readCommitted((tx) =>
      stepPhoneCall(tx, callId, { eventCount, step }, this.#context),
    );
    // An earlier attempt may have been the faster one: `get` finds out.
    if (stored !== undefined || !mayBeStored) this.#uncertainEnds.delete(callId);
    if (stored === undefined) return false;
    this.#jobs.notify();
    this.#events.notify();
    if (stored.hadRedactedValues) this.#changeLog.markPending();
    if (ended !== undefined && stored.hasEnded) this.#emit(ended);
    return true;
  }

  async due(nowMs: EpochMs, limit: number): Promise<readonly CallId[]> {
    const due = await dueCalls(this.#db, nowMs, limit);
    const holder = this.#holderOf();
    if (holder === undefined || due.length === 0) return due;
    // The nodes of the others handle those soon, so that they do not take the places of these for long.
    const own = await this.#db
      .selectFrom("calls")
      .select("calls.id")
      .where("calls.id", "in", due)
      .where((calls) => isOwnMatter(calls, holder, this.#database))
      .execute();
    const ownIds = new Set(own.map(({ id }) => id));
    return due.filter((callId) => ownIds.has(callId));
  }

  async listPending(): Promise<readonly { callId: CallId; accountId: AccountId; apiKeyId?: ApiKeyId }[]> {
    const holder = this.#holderOf();
    const rows = await this.#db
      .selectFrom("calls")
      .innerJoin("phone_calls as phone", "phone.call_id", "calls.id")
      .select(["calls.id", "calls.account_id", "calls.api_key_id"])
      .where("calls.status", "in", WITHOUT_STREAM)
      .where("phone.holds_slot", "=", 1)
      .where("calls.node", holder === undefined ? "is" : "=", holder?.name ?? null)
      .orderBy("calls.id")
      .execute();
    return rows.map(({ id, account_id: accountId, api_key_id: apiKeyId }) => ({
      callId: id,
      accountId,
      ...(apiKeyId !== null && { apiKeyId }),
    }));
  }

  async countAlone(owners: readonly CountedOwner[], work: () => Promise<void>): Promise<void> {
    await this.#database.readCommitted(async (tx) => {
      // In one order, so that two of these never wait for each other.
      for (const id of owners.flatMap((owner) => Object.values(owner) as CountedId[]).sort()) await countAlone(tx, id);
      await work();
    });
  }

  async countLive(of: CountedOwner): Promise<number> {
    if ("accountId" in of) return await countLiveCalls(this.#db, of, this.#age);
    let live = this.#db
      .selectFrom("calls")
      .innerJoin("phone_calls as phone", "phone.call_id", "calls.id")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("calls.ended_at", "is", null)
      .where("phone.holds_slot", "=", 1);
    if ("carrierId" in of) live = live.where("calls.carrier_id", "=", of.carrierId);
    else live = live.where("calls.phone_number_id", "=", of.phoneNumberId).where("calls.direction", "=", "inbound");
    return Number((await live.executeTakeFirstOrThrow()).count);
  }

  async paceDial(carrierId: CarrierId, from: string, gapMs: number): Promise<number> {
    const { nowMs } = this.#database;
    const nextMs = sql<EpochMs>`${nowMs} + ${sql.lit(Math.ceil(gapMs))}`;
    const noted = await this.#db
      .insertInto("dial_paces")
      .values({ carrier_id: carrierId, from_number: from, next_at: nextMs })
      .onConflict((conflict) =>
        conflict
          .columns(["carrier_id", "from_number"])
          .doUpdateSet({ next_at: nextMs })
          // A clock that was set back does not stop calls for long.
          .where((paces) =>
            paces.or([paces("dial_paces.next_at", "<=", nowMs), paces("dial_paces.next_at", ">", nextMs)]),
          ),
      )
      .returning("carrier_id")
      .executeTakeFirst();
    if (noted !== undefined) return 0;
    const pace = await this.#db
      .selectFrom("dial_paces")
      .select(sql<number>`next_at - ${nowMs}`.as("wait_ms"))
      .where("carrier_id", "=", carrierId)
      .where("from_number", "=", from)
      .executeTakeFirst();
    return Math.max(1, Number(pace?.wait_ms ?? 1));
  }

  async sealedToken(callId: CallId): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom("phone_calls as phone")
      .innerJoin("stream_tokens as token", "token.token_hash", "phone.token_hash")
      .innerJoin("calls", "calls.id", "phone.call_id")
      .select("phone.sealed_token")
      .where("phone.call_id", "=", callId)
      .where("calls.status", "=", "ringing")
      .where("token.redeemed_at", "is", null)
      .where("token.boot_id", "=", this.#age.bootId)
      .where("token.expires_age_ms", ">", this.#age.nowMs())
      .executeTakeFirst();
    return row?.sealed_token ?? undefined;
  }

  async events(
    accountId: AccountId,
    callId: CallId,
    { from, limit }: { from: number; limit: number },
  ): Promise<readonly PhoneCallEventRow[] | undefined> {
    const phone = await this.#db
      .selectFrom("phone_calls")
      .select("call_id")
      .where("call_id", "=", callId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    if (phone === undefined) return undefined;
    const rows = await this.#db
      .selectFrom("phone_call_events")
      .select(["at", "event", "commands"])
      .where("call_id", "=", callId)
      // Positions are counted from 0, without gaps.
      .where("position", ">=", from)
      .orderBy("position")
      .limit(limit)
      .execute();
    return rows.map(({ at, event, commands }) => ({
      atMs: at,
      event: JSON.parse(event),
      commands: JSON.parse(commands),
    }));
  }

  /** Emits an end whose commit was not acknowledged, once it is found to be stored. */
  #settleEnd({ call_id: callId, status, end_reason: endReason }: PhoneCallRow): void {
    const end = this.#uncertainEnds.get(callId);
    if (end === undefined || status !== end.status || endReason !== end.endReason) return;
    this.#uncertainEnds.delete(callId);
    this.#events.notify();
    this.#jobs.notify();
    this.#emit(end);
  }
}
