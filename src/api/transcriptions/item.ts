import type { z } from "zod";
import { billOf, type Prices } from "../../core/billing/prices.ts";
import { isoTime } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { Transcription } from "../../store/transcription-store.ts";
import type { TranscriptionSummary } from "./schemas/response-schemas.ts";

const timeOrNull = (time: EpochMs | undefined): string | null => (time === undefined ? null : isoTime(time));

/** A transcription as lists show it, with its cost by these prices. */
export function transcriptionItemOf(
  transcription: Transcription,
  prices: Prices | undefined,
): z.output<typeof TranscriptionSummary> {
  const { usage: used, doneMs, durationMs } = transcription;
  const parts = used?.map(({ provider, ...usage }) => ({ stage: "stt" as const, provider, usage }));
  const bill = parts && billOf(parts, prices);
  return {
    id: transcription.id,
    status: transcription.status,
    source: transcription.source,
    callId: transcription.callId ?? null,
    url: transcription.url ?? null,
    fileName: transcription.fileName ?? null,
    options: {
      ...transcription.options,
      vocabulary: [...transcription.options.vocabulary],
      redact: [...(transcription.options.redact ?? [])],
    },
    metadata: { ...transcription.metadata },
    deleteAudio: transcription.deletesAudio,
    hasAudio: transcription.hasAudio,
    progress: {
      doneSeconds: doneMs / 1_000,
      durationSeconds: durationMs === undefined ? null : durationMs / 1_000,
    },
    failure: transcription.failure ?? null,
    createdAt: isoTime(transcription.createdAtMs),
    startedAt: timeOrNull(transcription.startedAtMs),
    endedAt: timeOrNull(transcription.endedAtMs),
    resultDeletedAt: timeOrNull(transcription.resultDeletedAtMs),
    usage: bill === undefined ? null : bill.usage.map(({ stage: _, ...of }) => of),
    cost: bill?.cost ?? null,
  };
}

/** The data of an event of webhooks and streams about a transcription: its text, without its words. */
export const transcriptionEventItemOf = (
  transcription: Transcription,
  result: TranscriptionResult | undefined,
  prices: Prices | undefined,
): object => ({ ...transcriptionItemOf(transcription, prices), text: result?.text ?? null });
