import type { AccountId, CallId, WorkerId } from "../../../../core/ids.ts";
import type { Cancellation } from "../../../calls/call-store.ts";
import type { Transcription } from "../../../transcription-store.ts";
import type { CallsContext } from "../context.ts";
import { findRecord } from "../record.ts";
import { hasValidToken } from "../rows.ts";
import { settleWebCalls } from "../web-calls.ts";
import { emitEnd, endLive } from "./every-end.ts";
import { forgetRedactedValues } from "./redaction.ts";

const CANCELLED = { status: "ended", endReason: "api_hangup" } as const;

/** See `CallStore.cancel`. */
export async function cancelCall(
  context: CallsContext,
  accountId: AccountId,
  callId: CallId,
): Promise<Cancellation | undefined> {
  const { database, clock, age, events, changeLog } = context;
  let hadRedactedValues = false;
  let transcription: Transcription | undefined;
  const found = await database.readCommitted(async (tx): Promise<Cancellation | undefined> => {
    const nowMs = clock.epochMs();
    const { numUpdatedRows } = await tx
      .updateTable("calls")
      .set({ status: CANCELLED.status, end_reason: CANCELLED.endReason, ended_at: nowMs })
      .where("id", "=", callId)
      .where("account_id", "=", accountId)
      .where("status", "=", "created")
      .where((calls) => hasValidToken(calls, age))
      .executeTakeFirst();
    const call = await findRecord(tx, accountId, callId, age);
    if (call === undefined) return undefined;
    const cancelled = numUpdatedRows > 0n;
    if (cancelled) {
      hadRedactedValues = await forgetRedactedValues(tx, call);
      await settleWebCalls(tx, [callId]);
      await events.insert(tx, { accountId, type: "call.ended", callId });
      transcription = await endLive(tx, callId, { status: "cancelled" }, context);
    }
    if (call.status !== "active") return { call, cancelled };
    const { worker_id: workerId } = await tx
      .selectFrom("calls")
      .select("worker_id")
      .$narrowType<{ worker_id: WorkerId }>()
      .where("id", "=", callId)
      .executeTakeFirstOrThrow();
    return { call, workerId, cancelled };
  });
  events.notify();
  if (hadRedactedValues) changeLog.markPending();
  if (found?.cancelled) emitEnd(context, { callId, ...CANCELLED }, transcription);
  return found;
}
