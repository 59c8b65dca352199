import type { Kysely, Transaction } from "kysely";
import { storesWords } from "../../../core/calls/spec.ts";
import type { NewPhoneCall, PhoneCallCreation } from "../../telephony/phone-call-store.ts";
import { newCallId } from "../calls/creation/call-ids.ts";
import { takeCreation } from "../calls/creation/creation-rate.ts";
import { findRequest, insertRequest } from "../calls/creation/idempotent-requests.ts";
import { callData } from "../calls/event-data.ts";
import { headerRows, metadataRows } from "../calls/metadata.ts";
import {
  createdRecordOf,
  phoneColumns,
  RECORD_COLUMNS,
  recordOf,
  settingsColumns,
  storageColumns,
} from "../calls/rows.ts";
import type { Tables } from "../tables.ts";
import { fullOf } from "./open-calls.ts";
import { eventRow, type PhoneCallsContext, textColumn } from "./phone-call-rows.ts";

/** Stores a call, unless an earlier request or webhook has stored the same, or a limit of open calls or of creations is reached. */
export const createPhoneCall = async (
  tx: Transaction<Tables>,
  call: NewPhoneCall,
  context: PhoneCallsContext,
): Promise<PhoneCallCreation> =>
  (await findRequested(tx, call, context)) ?? (await findCarried(tx, call)) ?? (await createNew(tx, call, context));

/** The call that an earlier request with the same idempotency key has created. */
export async function findRequested(
  tx: Kysely<Tables>,
  { accountId, idempotency }: Pick<NewPhoneCall, "accountId" | "idempotency">,
  { clock, age }: Pick<PhoneCallsContext, "clock" | "age">,
): Promise<PhoneCallCreation | undefined> {
  if (idempotency === undefined) return undefined;
  const { keyHash, fingerprint } = idempotency;
  const before = await findRequest(tx, { accountId, keyHash }, { clock, age }, false);
  if (before === undefined) return undefined;
  return before.fingerprint === fingerprint
    ? { kind: "replayed", call: createdRecordOf(before) }
    : { kind: "mismatch" };
}

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

async function createNew(
  tx: Transaction<Tables>,
  call: NewPhoneCall,
  context: PhoneCallsContext,
): Promise<PhoneCallCreation> {
  const of = await fullOf(tx, call);
  if (of !== undefined) return { kind: "full", of };
  const { accountId, creationsPerMinute: perMinute } = call;
  if (perMinute !== undefined) {
    const waitMs = await takeCreation(tx, { accountId, perMinute, nowMs: context.database.nowMs });
    if (waitMs > 0) return { kind: "limit-reached", reason: "account_creations", waitMs };
  }
  return await insertPhoneCall(tx, call, context);
}

async function insertPhoneCall(
  tx: Transaction<Tables>,
  call: NewPhoneCall,
  { clock, age, events, holderOf }: PhoneCallsContext,
): Promise<PhoneCallCreation> {
  const { accountId, agent, apiKeyId, spec, facts, carrierId, phoneNumberId, idempotency } = call;
  const nowMs = clock.epochMs();
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
    node: call.status === "ringing" ? (holderOf()?.name ?? null) : null,
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
    // There is no token that a repetition could ask for.
    await insertRequest(tx, { accountId, id: row.id }, { ...idempotency, sealedToken: "" }, { clock, age });
  }
  const record = createdRecordOf(row);
  await events.insert(tx, { accountId, type: "call.created", callId: row.id, data: callData(record) });
  return { kind: "created", call: record };
}
