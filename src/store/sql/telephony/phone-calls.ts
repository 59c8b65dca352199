import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import { storesWords } from "../../../core/calls/spec.ts";
import type { Clock } from "../../../core/clock.ts";
import { addMs, type EpochMs } from "../../../core/clocks.ts";
import type { AccountId, ApiKeyId, CallId, CarrierId, NodeName } from "../../../core/ids.ts";
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
import { newCallId } from "../calls/creation/call-ids.ts";
import { type CountedId, countAlone, countLiveCalls } from "../calls/creation/call-limits.ts";
import { takeCreation } from "../calls/creation/creation-rate.ts";
import { findRequest, insertRequest } from "../calls/creation/idempotent-requests.ts";
import { withoutRedactedValues } from "../calls/ends/redaction.ts";
import { callData } from "../calls/event-data.ts";
import { headerRows, metadataRows } from "../calls/metadata.ts";
import {
  createdRecordOf,
  phoneColumns,
  phoneFactsOf,
  RECORD_COLUMNS,
  recordOf,
  settingsColumns,
  storageColumns,
} from "../calls/rows.ts";
import { isOwnMatter } from "../cluster/held-calls.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlJobs } from "../job-queue/jobs.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import type { SqlEvents } from "../webhooks/events.ts";
import { dueCalls } from "./due-calls.ts";
import { fullOf } from "./open-calls.ts";

type EndedEvent = Extract<CallEvent, { kind: "ended" }>;
/** Of a call without a stream. */
const WITHOUT_STREAM = ["queued", "ringing"] as const;

/** What a step did to the record of a call. */
interface EndedCall {
  hasEnded: boolean;
  hadRedactedValues: boolean;
}

const NOT_ENDED: EndedCall = { hasEnded: false, hadRedactedValues: false };

/** See `PhoneCallStore`. */
export class SqlPhoneCalls implements PhoneCallStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #age: AgeClock;
  readonly #jobs: SqlJobs;
  readonly #events: SqlEvents;
  readonly #changeLog: SideEffects["changeLog"];
  readonly #emit: (event: CallEvent) => void;
  readonly #holderOf: HolderOf;
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
    this.#holderOf = holderOf;
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#age = age;
    this.#jobs = jobs;
    this.#events = events;
    this.#changeLog = changeLog;
    this.#emit = emit;
  }

  async create(call: NewPhoneCall): Promise<PhoneCallCreation> {
    // Another request or webhook may store the same call at the same time.
    const creation = await this.#database.transaction(
      async (tx): Promise<PhoneCallCreation> =>
        (await this.#findRequested(tx, call)) ?? (await findCarried(tx, call)) ?? (await this.#createNew(tx, call)),
    );
    if (creation.kind === "created") {
      this.#emit({ kind: "phone-created", callId: creation.call.id, spec: call.spec });
      this.#events.notify();
    }
    return creation;
  }

  async #createNew(tx: Transaction<Tables>, call: NewPhoneCall): Promise<PhoneCallCreation> {
    const of = await fullOf(tx, call);
    if (of !== undefined) return { kind: "full", of };
    const { accountId, creationsPerMinute: perMinute } = call;
    if (perMinute !== undefined) {
      const waitMs = await takeCreation(tx, { accountId, perMinute, nowMs: this.#database.nowMs });
      if (waitMs > 0) return { kind: "limit-reached", reason: "account_creations", waitMs };
    }
    return await this.#insert(tx, call);
  }

  findRepeated(call: Pick<NewPhoneCall, "accountId" | "idempotency">): Promise<PhoneCallCreation | undefined> {
    return this.#findRequested(this.#db, call);
  }

  async #findRequested(
    tx: Kysely<Tables>,
    { accountId, idempotency }: Pick<NewPhoneCall, "accountId" | "idempotency">,
  ): Promise<PhoneCallCreation | undefined> {
    if (idempotency === undefined) return undefined;
    const { keyHash, fingerprint } = idempotency;
    const before = await findRequest(tx, { accountId, keyHash }, { clock: this.#clock, age: this.#age }, false);
    if (before === undefined) return undefined;
    return before.fingerprint === fingerprint
      ? { kind: "replayed", call: createdRecordOf(before) }
      : { kind: "mismatch" };
  }

  async #insert(tx: Transaction<Tables>, call: NewPhoneCall): Promise<PhoneCallCreation> {
    const { accountId, agent, apiKeyId, spec, facts, carrierId, phoneNumberId, idempotency } = call;
    const nowMs = this.#clock.epochMs();
    const withWords = storesWords(spec);
    const row = {
      id: newCallId(nowMs),
      account_id: accountId,
      agent_id: agent?.id ?? null,
      agent_version: agent?.version ?? null,
      variables: agent !== undefined && withWords ? JSON.stringify(agent.variables) : null,
      api_key_id: apiKeyId ?? null,
      status: call.status,
      ...settingsColumns(spec),
      ...storageColumns(spec),
      created_at: nowMs,
      worker_connection: 0,
      epoch: 0,
      // An outbound call that waits for a slot is any node's.
      node: call.status === "ringing" ? (this.#holderOf()?.name ?? null) : null,
      carrier_call_id: textColumn(call.carrierCallId),
      ...phoneColumns({ ...facts, carrierId, ...(phoneNumberId !== undefined && { phoneNumberId }) }, withWords),
    };
    await tx.insertInto("calls").values(row).execute();
    await tx
      .insertInto("phone_calls")
      .values({
        call_id: row.id,
        account_id: accountId,
        carrier_id: carrierId,
        carrier_call_id: row.carrier_call_id,
        state: JSON.stringify(call.state),
        event_count: call.events.length,
        due_at: call.dueAtMs ?? null,
        holds_slot: call.status === "ringing" ? 1 : 0,
        is_over: 0,
        token_hash: null,
        sealed_token: null,
      })
      .execute();
    for (const [position, event] of call.events.entries()) {
      await tx
        .insertInto("phone_call_events")
        .values(eventRow(row, position, event))
        .execute();
    }
    const ofCall = { callId: row.id, accountId };
    const hasHeaders = withWords && spec.redactedValues === undefined;
    const pairs = [...metadataRows(ofCall, spec.metadata), ...headerRows(ofCall, hasHeaders ? facts.headers : {})];
    if (pairs.length > 0) await tx.insertInto("call_metadata").values(pairs).execute();
    if (idempotency !== undefined) {
      const clocks = { clock: this.#clock, age: this.#age };
      // There is no token that a repetition could ask for.
      await insertRequest(tx, { accountId, id: row.id }, { ...idempotency, sealedToken: "" }, clocks);
    }
    const record = createdRecordOf(row);
    await this.#events.insert(tx, { accountId, type: "call.created", callId: row.id, data: callData(record) });
    return { kind: "created", call: record };
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
    const stored = await this.#database.readCommitted((tx) => this.#step(tx, callId, eventCount, step));
    // An earlier attempt may have been the faster one: `get` finds out.
    if (stored !== undefined || !mayBeStored) this.#uncertainEnds.delete(callId);
    if (stored === undefined) return false;
    this.#jobs.notify();
    this.#events.notify();
    if (stored.hadRedactedValues) this.#changeLog.markPending();
    if (ended !== undefined && stored.hasEnded) this.#emit(ended);
    return true;
  }

  /** Undefined, and nothing is stored, where another process was faster. Of concurrent steps the row lets one through. */
  async #step(
    tx: Transaction<Tables>,
    callId: CallId,
    eventCount: number,
    step: PhoneCallStep,
  ): Promise<EndedCall | undefined> {
    const { row, token, carrierCallId } = step;
    const phone = await tx
      .updateTable("phone_calls")
      .set({
        state: JSON.stringify(step.state),
        event_count: eventCount + 1,
        due_at: step.dueAtMs ?? null,
        ...(carrierCallId !== undefined && { carrier_call_id: textColumn(carrierCallId) }),
        ...(step.holdsSlot !== undefined && { holds_slot: Number(step.holdsSlot) }),
        is_over: Number(step.isOver),
        ...(token !== undefined && { token_hash: token.hash, sealed_token: token.sealed ?? null }),
      })
      .where("call_id", "=", callId)
      .where("event_count", "=", eventCount)
      .returning("account_id")
      .executeTakeFirst();
    if (phone === undefined) return undefined;
    const call = { id: callId, account_id: phone.account_id };
    await tx
      .insertInto("phone_call_events")
      .values(eventRow(call, eventCount, row))
      .execute();
    await updateRecord(tx, callId, step);
    await this.#noteNode(tx, callId, step);
    if (token !== undefined) await this.#insertToken(tx, call, token);
    const ended = step.end === undefined ? NOT_ENDED : await this.#end(tx, call, step.end);
    const node = step.jobs.length === 0 ? undefined : await this.#nodeOf(tx, callId);
    await this.#jobs.insertAll(
      tx,
      step.jobs.map((job) => ({ ...job, accountId: phone.account_id, node })),
    );
    return ended;
  }

  /** The node whose slot and whose worker a call has, whichever node has handled the event; in a cluster. */
  async #nodeOf(tx: Transaction<Tables>, callId: CallId): Promise<NodeName | undefined> {
    if (this.#holderOf() === undefined) return undefined;
    const call = await tx.selectFrom("calls").select("node").where("id", "=", callId).executeTakeFirst();
    return call?.node ?? undefined;
  }

  /** A call that gets a slot has it at this node, until it has none any more. */
  async #noteNode(tx: Transaction<Tables>, callId: CallId, { holdsSlot }: PhoneCallStep): Promise<void> {
    const holder = this.#holderOf();
    if (holder === undefined || holdsSlot === undefined) return;
    await tx
      .updateTable("calls")
      .set({ node: holdsSlot ? holder.name : null })
      .where("id", "=", callId)
      .where("status", "in", WITHOUT_STREAM)
      .execute();
  }

  async #insertToken(
    tx: Transaction<Tables>,
    { id, account_id }: Owned,
    { hash, ttlMs }: NonNullable<PhoneCallStep["token"]>,
  ): Promise<void> {
    const { bootId: boot_id } = this.#age;
    const expiry = {
      expires_at: addMs(this.#clock.epochMs(), ttlMs),
      boot_id,
      expires_age_ms: addMs(this.#age.nowMs(), ttlMs),
    };
    await tx
      .insertInto("stream_tokens")
      .values({ account_id, call_id: id, token_hash: hash, ...expiry })
      .execute();
  }

  /** Ends the record of a call that has no stream, but not of one that is active or over. */
  async #end(
    tx: Transaction<Tables>,
    { id, account_id: accountId }: Owned,
    { status, endReason }: NonNullable<PhoneCallStep["end"]>,
  ): Promise<EndedCall> {
    const ended = await tx
      .updateTable("calls")
      .set({ status, end_reason: endReason, ended_at: this.#clock.epochMs() })
      .where("id", "=", id)
      .where("status", "in", WITHOUT_STREAM)
      .returning(["id", "settings"])
      .executeTakeFirst();
    if (ended === undefined) return NOT_ENDED;
    const kept = withoutRedactedValues(ended.settings);
    if (kept !== undefined) await tx.updateTable("calls").set(kept).where("id", "=", id).execute();
    await this.#events.insert(tx, { accountId, type: "call.ended", callId: id });
    return { hasEnded: true, hadRedactedValues: kept !== undefined };
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
  #settleEnd({ call_id: callId, status, end_reason: endReason }: CallRow): void {
    const end = this.#uncertainEnds.get(callId);
    if (end === undefined || status !== end.status || endReason !== end.endReason) return;
    this.#uncertainEnds.delete(callId);
    this.#events.notify();
    this.#jobs.notify();
    this.#emit(end);
  }
}

/** A call and its account. */
type Owned = Pick<Selectable<Tables["calls"]>, "id" | "account_id">;

/** The call that an earlier webhook of the same carrier's call has created. */
async function findCarried(
  tx: Transaction<Tables>,
  { carrierId, carrierCallId }: NewPhoneCall,
): Promise<PhoneCallCreation | undefined> {
  if (carrierCallId === undefined) return undefined;
  const row = await tx
    .selectFrom("phone_calls as phone")
    .innerJoin("calls", "calls.id", "phone.call_id")
    .select(RECORD_COLUMNS)
    .where("phone.carrier_id", "=", carrierId)
    .where("phone.carrier_call_id", "=", JSON.stringify(carrierCallId))
    .executeTakeFirst();
  return row && { kind: "replayed", call: recordOf(row) };
}

/** What a step says of the call's record, but for its end. */
async function updateRecord(
  tx: Transaction<Tables>,
  callId: CallId,
  { status, carrierCallId, carrierCode, price }: PhoneCallStep,
): Promise<void> {
  const set = {
    ...(carrierCallId !== undefined && { carrier_call_id: textColumn(carrierCallId) }),
    ...(carrierCode !== undefined && { carrier_code: textColumn(carrierCode) }),
    ...(price !== undefined && { carrier_price: JSON.stringify(price) }),
  };
  if (Object.keys(set).length > 0) await tx.updateTable("calls").set(set).where("id", "=", callId).execute();
  if (status === undefined) return;
  await tx
    .updateTable("calls")
    .set({ status })
    .where("id", "=", callId)
    .where("status", "in", WITHOUT_STREAM)
    .execute();
}

const selectCalls = (db: Kysely<Tables>) =>
  db
    .selectFrom("phone_calls as phone")
    .innerJoin("calls", "calls.id", "phone.call_id")
    .select([
      "phone.call_id",
      "phone.account_id",
      "phone.carrier_id as phone_carrier_id",
      "phone.carrier_call_id",
      "phone.state",
      "phone.event_count",
      "phone.due_at",
      "calls.status",
      "calls.end_reason",
      "calls.worker_id",
      "calls.api_key_id",
      "calls.direction",
      "calls.from_number",
      "calls.to_number",
      "calls.carrier_id",
      "calls.phone_number_id",
      "calls.carrier_code",
      "calls.phone_headers",
    ]);

type CallRow = NonNullable<Awaited<ReturnType<ReturnType<typeof selectCalls>["executeTakeFirst"]>>>;

function storedOf(row: CallRow): StoredPhoneCall {
  const facts = phoneFactsOf(row);
  if (facts === undefined) throw new Error(`${row.call_id} has a telephone side and no direction`);
  return {
    callId: row.call_id,
    accountId: row.account_id,
    facts,
    carrierId: row.phone_carrier_id,
    ...(row.api_key_id !== null && { apiKeyId: row.api_key_id }),
    ...(row.phone_number_id !== null && { phoneNumberId: row.phone_number_id }),
    ...(row.carrier_call_id !== null && { carrierCallId: JSON.parse(row.carrier_call_id) }),
    state: JSON.parse(row.state),
    eventCount: row.event_count,
    ...(row.due_at !== null && { dueAtMs: row.due_at }),
    ...(row.status === "active" && row.worker_id !== null && { workerId: row.worker_id }),
  };
}

const eventRow = ({ id, account_id }: Owned, position: number, { atMs, event, commands }: PhoneCallEventRow) => ({
  call_id: id,
  account_id,
  position,
  at: atMs,
  event: JSON.stringify(event),
  commands: JSON.stringify(commands),
});

const textColumn = (text: string | undefined): string | null => (text === undefined ? null : JSON.stringify(text));
