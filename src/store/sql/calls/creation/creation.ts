import type { Transaction } from "kysely";
import type { CallSpec } from "../../../../core/calls/spec.ts";
import { liveTranscriptionOf } from "../../../../core/ids.ts";
import type { Creation, NewCall } from "../../../calls/call-store.ts";
import type { Tables } from "../../tables.ts";
import { liveTranscription } from "../../transcriptions/live.ts";
import { isUnwanted } from "../../webhooks/events.ts";
import type { CallsContext } from "../context.ts";
import { callData } from "../event-data.ts";
import { admitWebCall, insertWebCall } from "../web-calls.ts";
import { callLimitReached, isLimited } from "./call-limits.ts";
import { giveBackCreation } from "./creation-rate.ts";
import { insertRequest } from "./idempotent-requests.ts";
import { created, insertNewCall, insertNewCallIf, type NewCallRows, newCallRows } from "./new-calls.ts";
import { repeat } from "./repetition.ts";

/** See `CallStore.create`. */
export async function createCall(context: CallsContext, call: NewCall): Promise<Creation> {
  const creation = (await createAtOnce(context, call)) ?? (await createInTransaction(context, call));
  if (creation.kind === "created") context.emit({ kind: "created", callId: creation.call.id, call });
  context.events.notify();
  return creation;
}

/**
 * In one statement, where the database can, nothing is to be decided first and no webhook or stream wants the event. Undefined where it
 * is to be done in a transaction.
 */
async function createAtOnce(context: CallsContext, call: NewCall): Promise<Creation | undefined> {
  const { accountId, idempotency, web, spec } = call;
  const { database } = context;
  const decidesFirst = idempotency !== undefined || web !== undefined || isLimited(call);
  if (!database.combinesWrites || decidesFirst || spec.mode !== undefined) return undefined;
  const rows = rowsOf(call, spec, context);
  const condition = isUnwanted(["call.created"], accountId, rows.call.created_at);
  return (await insertNewCallIf(database.db, rows, condition)) ? created(rows) : undefined;
}

function createInTransaction(context: CallsContext, call: NewCall): Promise<Creation> {
  const { database } = context;
  if (call.idempotency === undefined) return database.readCommitted((tx) => insert(tx, call, context));
  return database.transaction(
    // Another request with this idempotency key may have stored its call since `findRepeated`.
    async (tx): Promise<Creation> => (await repeat(tx, call, context)) ?? (await insert(tx, call, context)),
  );
}

/** Stores the call with all that belongs to it, unless a limit of its account, API key or publishable key is reached. */
async function insert(tx: Transaction<Tables>, call: NewCall, context: CallsContext): Promise<Creation> {
  const { accountId, web, idempotency } = call;
  const { database, clock, age, events, transcriptions } = context;
  const nowMs = clock.epochMs();
  const limitReached = await callLimitReached(tx, call, { age, database });
  if (limitReached !== undefined) return limitReached;
  const admitted =
    web === undefined
      ? { spec: call.spec, reservedCost: 0 }
      : await admitWebCall(tx, { spec: call.spec, web }, { age, nowMs, locksRows: database.locksRows });
  if (typeof admitted === "string") {
    if (call.callsMax?.creationsPerMinute !== undefined) await giveBackCreation(tx, accountId);
    return { kind: "web-call-refused", reason: admitted };
  }
  const { spec, reservedCost } = admitted;
  const rows = rowsOf(call, spec, context);
  const { id } = rows.call;
  await insertNewCall(tx, rows, database);
  const live = liveTranscriptionOf(id);
  if (live !== undefined) await transcriptions.insertLive(tx, liveTranscription({ id: live, accountId }, spec), nowMs);
  await insertWebCall(tx, id, call, { reservedCost, nowMs });
  if (idempotency !== undefined) await insertRequest(tx, { accountId, id }, idempotency, { clock, age });
  const creation = created(rows);
  await events.insert(tx, { accountId, type: "call.created", callId: id, data: callData(creation.call) });
  return creation;
}

function rowsOf(call: NewCall, spec: CallSpec, { clock, age, holderOf }: CallsContext): NewCallRows {
  const node = call.node ?? holderOf()?.name ?? null;
  return newCallRows(call, spec, { nowMs: clock.epochMs(), age, node });
}
