import { type AccountId, type CallId, liveTranscriptionOf } from "../../../core/ids.ts";
import type { Act } from "../../accounts/audit-store.ts";
import { deleteEventsOf } from "../webhooks/deliveries.ts";
import type { CallsContext } from "./context.ts";
import { findRecord } from "./record.ts";
import { trimTranscript } from "./turns.ts";

/** The tables with rows of a call, besides that of calls and those of events. */
const TABLES_OF_CALL = [
  "turns",
  "stream_tokens",
  "idempotent_requests",
  "call_metadata",
  "media_keys",
  "web_calls",
  "phone_call_events",
  "phone_calls",
  "tool_runs",
] as const;

/** See `CallStore.remove`. */
export async function removeCall(
  { database, age, audit, changeLog, emit }: CallsContext,
  { accountId, callId, act }: { accountId: AccountId; callId: CallId; act: Act },
): Promise<boolean | undefined> {
  const found = await findRecord(database.db, accountId, callId, age);
  // A call that is over cannot start.
  if (found?.endedAtMs !== undefined) await trimTranscript(database.db, callId);
  const removed = await database.transaction(async (tx) => {
    const call = await findRecord(tx, accountId, callId, age);
    if (call === undefined) return undefined;
    if (call.status === "active" || call.status === "queued" || call.status === "ringing") return false;
    await deleteEventsOf(tx, callId);
    for (const table of TABLES_OF_CALL) await tx.deleteFrom(table).where("call_id", "=", callId).execute();
    await tx.deleteFrom("calls").where("id", "=", callId).execute();
    const target = { kind: "call", id: callId } as const;
    // Otherwise the removal of the transcription is recorded.
    if (liveTranscriptionOf(callId) === undefined)
      await audit.insert(tx, { ...act, accountId, action: "call.deleted", target });
    return true;
  });
  if (!removed) return removed;
  emit({ kind: "removed", callId });
  await changeLog.purge();
  return true;
}
