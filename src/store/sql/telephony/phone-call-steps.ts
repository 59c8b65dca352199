import type { Transaction } from "kysely";
import { addMs } from "../../../core/clocks.ts";
import type { CallId, NodeName } from "../../../core/ids.ts";
import type { PhoneCallStep } from "../../telephony/phone-call-store.ts";
import { withoutRedactedValues } from "../calls/ends/redaction.ts";
import type { Tables } from "../tables.ts";
import { eventRow, type Owned, type PhoneCallsContext, textColumn, WITHOUT_STREAM } from "./phone-call-rows.ts";

/** What a step did to the record of a call. */
interface EndedCall {
  hasEnded: boolean;
  hadRedactedValues: boolean;
}

const NOT_ENDED: EndedCall = { hasEnded: false, hadRedactedValues: false };

/** Undefined, and nothing is stored, where another process was faster. Of concurrent steps the row lets one through. */
export async function stepPhoneCall(
  tx: Transaction<Tables>,
  callId: CallId,
  { eventCount, step }: { eventCount: number; step: PhoneCallStep },
  context: PhoneCallsContext,
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
  await noteNode(tx, callId, step, context);
  if (token !== undefined) await insertToken(tx, call, token, context);
  const ended = step.end === undefined ? NOT_ENDED : await endRecord(tx, call, step.end, context);
  const node = step.jobs.length === 0 ? undefined : await nodeOf(tx, callId, context);
  await context.jobs.insertAll(
    tx,
    step.jobs.map((job) => ({ ...job, accountId: phone.account_id, node })),
  );
  return ended;
}

/** The node whose slot and whose worker a call has, whichever node has handled the event; in a cluster. */
async function nodeOf(
  tx: Transaction<Tables>,
  callId: CallId,
  { holderOf }: PhoneCallsContext,
): Promise<NodeName | undefined> {
  if (holderOf() === undefined) return undefined;
  const call = await tx.selectFrom("calls").select("node").where("id", "=", callId).executeTakeFirst();
  return call?.node ?? undefined;
}

/** A call that gets a slot has it at this node, until it has none any more. */
async function noteNode(
  tx: Transaction<Tables>,
  callId: CallId,
  { holdsSlot }: PhoneCallStep,
  { holderOf }: PhoneCallsContext,
): Promise<void> {
  const holder = holderOf();
  if (holder === undefined || holdsSlot === undefined) return;
  await tx
    .updateTable("calls")
    .set({ node: holdsSlot ? holder.name : null })
    .where("id", "=", callId)
    .where("status", "in", WITHOUT_STREAM)
    .execute();
}

async function insertToken(
  tx: Transaction<Tables>,
  { id, account_id }: Owned,
  { hash, ttlMs }: NonNullable<PhoneCallStep["token"]>,
  { clock, age }: PhoneCallsContext,
): Promise<void> {
  const expiry = {
    expires_at: addMs(clock.epochMs(), ttlMs),
    boot_id: age.bootId,
    expires_age_ms: addMs(age.nowMs(), ttlMs),
  };
  await tx
    .insertInto("stream_tokens")
    .values({ account_id, call_id: id, token_hash: hash, ...expiry })
    .execute();
}

/** Ends the record of a call that has no stream, but not of one that is active or over. */
async function endRecord(
  tx: Transaction<Tables>,
  { id, account_id: accountId }: Owned,
  { status, endReason }: NonNullable<PhoneCallStep["end"]>,
  { clock, events }: PhoneCallsContext,
): Promise<EndedCall> {
  const ended = await tx
    .updateTable("calls")
    .set({ status, end_reason: endReason, ended_at: clock.epochMs() })
    .where("id", "=", id)
    .where("status", "in", WITHOUT_STREAM)
    .returning(["id", "settings"])
    .executeTakeFirst();
  if (ended === undefined) return NOT_ENDED;
  const kept = withoutRedactedValues(ended.settings);
  if (kept !== undefined) await tx.updateTable("calls").set(kept).where("id", "=", id).execute();
  await events.insert(tx, { accountId, type: "call.ended", callId: id });
  return { hasEnded: true, hadRedactedValues: kept !== undefined };
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
