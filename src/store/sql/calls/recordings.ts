import { type Kysely, sql } from "kysely";
import type { AccountId, CallId } from "../../../core/ids.ts";
import type { RecordingInfo } from "../../calls/call-store.ts";
import type { Tables } from "../tables.ts";
import { isUnwanted } from "../webhooks/events.ts";
import type { CallsContext } from "./context.ts";
import { callData } from "./event-data.ts";
import { RECORD_COLUMNS, recordOf } from "./rows.ts";

/** See `CallStore.awaitsRecording`. */
export async function awaitsRecording(db: Kysely<Tables>, callId: CallId): Promise<boolean> {
  const call = await db
    .selectFrom("calls")
    .select("id")
    .where("id", "=", callId)
    .where("ended_at", "is not", null)
    .where("recording", "is", null)
    .where("recording_deleted_at", "is", null)
    .executeTakeFirst();
  return call !== undefined;
}

/** See `CallStore.setRecording`. */
export async function setRecording(
  { database, clock, events }: CallsContext,
  callId: CallId,
  recording: RecordingInfo,
): Promise<boolean> {
  const isEventless = isUnwanted(["recording.ready"], sql.ref<AccountId>("calls.account_id"), clock.epochMs());
  const stored = await recorded(database.db, callId, recording).where(isEventless).executeTakeFirst();
  if (stored !== undefined) return true;
  const isStored = await database.readCommitted(async (tx) => {
    const call = await recorded(tx, callId, recording).returning(RECORD_COLUMNS).executeTakeFirst();
    if (call === undefined) return false;
    const data = { ...callData(recordOf(call)), recording };
    await events.insert(tx, { accountId: call.account_id, type: "recording.ready", callId, data });
    return true;
  });
  events.notify();
  return isStored;
}

/** The statement that stores the recording of a call that may have one, and returns its id. */
const recorded = (db: Kysely<Tables>, callId: CallId, recording: RecordingInfo) =>
  db
    .updateTable("calls")
    .set({ recording: JSON.stringify(recording) })
    .where("id", "=", callId)
    .where("ended_at", "is not", null)
    .where("recording_deleted_at", "is", null)
    .returning("id");

/** The call has no recording, and its counters say so. */
export async function markRecordingFailed(tx: Kysely<Tables>, callId: CallId): Promise<void> {
  const call = await tx.selectFrom("calls").select("counters").where("id", "=", callId).executeTakeFirst();
  if (call === undefined) return;
  const counters = JSON.stringify({ ...JSON.parse(call.counters ?? "{}"), recordingFailures: 1 });
  await tx.updateTable("calls").set({ counters }).where("id", "=", callId).execute();
}

/** The recording of a call is rendered again. */
export async function clearRecordingFailure(db: Kysely<Tables>, callId: CallId): Promise<void> {
  const call = await db.selectFrom("calls").select("counters").where("id", "=", callId).executeTakeFirst();
  if (call === undefined) return;
  const { recordingFailures: _, ...counters } = JSON.parse(call.counters ?? "{}");
  await db
    .updateTable("calls")
    .set({ counters: JSON.stringify(counters) })
    .where("id", "=", callId)
    .execute();
}
