import type { LiveEvent } from "./event.ts";

/** How far a transcription is, in seconds of its audio. */
export interface TranscriptionProgress {
  id: string;
  doneSeconds: number;
  /** Null while that is not known. */
  durationSeconds: number | null;
}

export type ProgressById = ReadonlyMap<string, TranscriptionProgress>;

/** The message of the stream that says it. */
export const PROGRESS_EVENT = "transcriptions.activity";

/** What is known after an event. */
export function withProgress(known: ProgressById, { type, data }: LiveEvent): ProgressById {
  const { transcriptions } = (data ?? {}) as { transcriptions?: unknown };
  if (type !== PROGRESS_EVENT || !Array.isArray(transcriptions)) return known;
  return new Map([...known, ...transcriptions.filter(isProgress).map((one) => [one.id, one] as const)]);
}

const isProgress = (value: unknown): value is TranscriptionProgress => {
  const { id, doneSeconds } = (value ?? {}) as { id?: unknown; doneSeconds?: unknown };
  return typeof id === "string" && typeof doneSeconds === "number";
};
