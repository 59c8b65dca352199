import type { Kysely } from "kysely";
import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId } from "../../../core/ids.ts";
import type {
  DueTranscription,
  DueTranscriptionQuery,
  Transcription,
  TranscriptionQuery,
} from "../../transcription-store.ts";
import type { Tables } from "../tables.ts";
import { transcriptionOf } from "./rows.ts";

/** The account's transcriptions that match the query, newest first. Indexes find their ids, so that long options are not read. */
export async function listTranscriptions(
  db: Kysely<Tables>,
  query: TranscriptionQuery,
): Promise<{ transcriptions: readonly Transcription[]; more: boolean }> {
  const { accountId, status, source, callId, createdAfterMs, createdBeforeMs, before, limit } = query;
  let ids = db.selectFrom("transcriptions").select("id").where("account_id", "=", accountId);
  if (status !== undefined) ids = ids.where("status", "=", status);
  if (source !== undefined) ids = ids.where("source", "=", source);
  if (callId !== undefined) ids = ids.where("call_id", "=", callId);
  if (createdAfterMs !== undefined) ids = ids.where("created_at", ">=", createdAfterMs);
  if (createdBeforeMs !== undefined) ids = ids.where("created_at", "<", createdBeforeMs);
  if (before !== undefined) ids = ids.where("id", "<", before);
  // One more than requested shows whether others follow.
  const found = await ids
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const shown = found.slice(0, limit).map(({ id }) => id);
  if (shown.length === 0) return { transcriptions: [], more: false };
  const rows = await db
    .selectFrom("transcriptions")
    .selectAll()
    .where("id", "in", shown)
    .orderBy("id", "desc")
    .execute();
  return { transcriptions: rows.map(transcriptionOf), more: found.length > limit };
}

/** See `TranscriptionStore.listDue`. */
export async function dueTranscriptions(
  db: Kysely<Tables>,
  accountId: AccountId,
  { part, endedBeforeMs, after, limit }: DueTranscriptionQuery,
): Promise<readonly DueTranscription[]> {
  let due = db
    .selectFrom("transcriptions")
    .select(["id", "ended_at"])
    .$narrowType<{ ended_at: EpochMs }>()
    .where("account_id", "=", accountId)
    .where("ended_at", "<", endedBeforeMs)
    .orderBy("ended_at")
    .orderBy("id")
    .limit(limit);
  if (part === "recording") due = due.where("has_audio", "=", 1);
  if (part === "transcript") due = due.where("has_result", "=", 1);
  if (after !== undefined) {
    const { id, endedAtMs } = after;
    due = due.where((of) =>
      of.or([of("ended_at", ">", endedAtMs), of.and([of("ended_at", "=", endedAtMs), of("id", ">", id)])]),
    );
  }
  return (await due.execute()).map((row) => ({ id: row.id, endedAtMs: row.ended_at }));
}
