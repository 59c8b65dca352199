import type { Selectable } from "kysely";
import { billOf } from "../../../core/billing/prices.ts";
import type { TranscriptionSource, TranscriptionStatus } from "../../../core/transcriptions/options.ts";
import type { PartOutcome } from "../../../core/transcriptions/part.ts";
import type { NewTranscription, StoredPart, Transcription } from "../../transcription-store.ts";
import type { Tables } from "../tables.ts";

/** The states in which a transcription is not over. */
export const OPEN_STATUSES = ["queued", "processing"] as const;

/** The columns of a new transcription, without its id, its time and its state. */
export const newColumnsOf = (transcription: NewTranscription) => ({
  account_id: transcription.accountId,
  source: transcription.source,
  options: JSON.stringify(transcription.options),
  metadata: JSON.stringify(transcription.metadata),
  call_id: transcription.callId ?? null,
  url: transcription.url ?? null,
  file_name: transcription.fileName === undefined ? null : JSON.stringify(transcription.fileName),
  deletes_audio: Number(transcription.deletesAudio),
  has_audio: Number(transcription.source !== "live"),
  has_result: 0,
  done_ms: 0,
});

export const transcriptionOf = (row: Selectable<Tables["transcriptions"]>): Transcription => ({
  id: row.id,
  accountId: row.account_id,
  createdAtMs: row.created_at,
  status: row.status as TranscriptionStatus,
  source: row.source as TranscriptionSource,
  options: JSON.parse(row.options),
  metadata: JSON.parse(row.metadata),
  ...(row.call_id !== null && { callId: row.call_id }),
  ...(row.url !== null && { url: row.url }),
  ...(row.file_name !== null && { fileName: JSON.parse(row.file_name) }),
  deletesAudio: row.deletes_audio === 1,
  hasAudio: row.has_audio === 1,
  doneMs: row.done_ms,
  ...(row.duration_ms !== null && { durationMs: row.duration_ms }),
  ...(row.started_at !== null && { startedAtMs: row.started_at }),
  ...(row.ended_at !== null && { endedAtMs: row.ended_at }),
  ...(row.failure !== null && { failure: JSON.parse(row.failure) }),
  ...(row.usage !== null && { usage: JSON.parse(row.usage) }),
  ...(row.result_deleted_at !== null && { resultDeletedAtMs: row.result_deleted_at }),
});

export const partOf = (row: Selectable<Tables["transcription_parts"]>): StoredPart => ({
  channel: row.channel,
  startMs: row.start_ms,
  endMs: row.end_ms,
  requests: row.requests,
  ...(row.outcome !== null && { outcome: JSON.parse(row.outcome) }),
});

/** The provider of one request, as its column holds it before those of further requests. */
export const providerColumn = (provider: string): string => `${provider} `;

/** What the requests of a part used: by its outcome, and the whole part for each request that the outcome does not have. */
export function usageOfPart({
  start_ms,
  end_ms,
  providers,
  usage,
}: Pick<
  Selectable<Tables["transcription_parts"]>,
  "start_ms" | "end_ms" | "providers" | "usage"
>): PartOutcome["usage"] {
  const known: PartOutcome["usage"] = usage === null ? [] : JSON.parse(usage);
  const counted = [...known];
  const others = providers.split(" ").flatMap((provider) => {
    if (provider === "") return [];
    const place = counted.findIndex((of) => of.provider === provider);
    if (place >= 0) {
      counted.splice(place, 1);
      return [];
    }
    const model = known.find((of) => of.provider === provider)?.model;
    return [{ provider, ...(model !== undefined && { model }), audioSeconds: (end_ms - start_ms) / 1_000 }];
  });
  return [...known, ...others];
}

/** What requests used, summed by provider and model, as its column holds it. */
export function usageColumn(used: PartOutcome["usage"]): string {
  const { usage } = billOf(
    used.map(({ provider, ...of }) => ({ stage: "stt" as const, provider, usage: of })),
    undefined,
  );
  return JSON.stringify(usage.map(({ stage: _stage, cost: _cost, ...of }) => of));
}
