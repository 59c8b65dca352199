import { useState } from "preact/hooks";
import type { LiveEvent } from "./events/event.ts";
import { useEvents } from "./events/use-events.ts";

/** How far a transcription is, in seconds of its audio. */
export interface TranscriptionProgress {
  id: string;
  doneSeconds: number;
  /** Null while that is not known. */
  durationSeconds: number | null;
}

type ById = ReadonlyMap<string, TranscriptionProgress>;

const EVENT = "transcriptions.activity";

/** How far the transcriptions are that are in progress, by their ids, as the service has said it since the page was opened. */
export function useTranscriptionProgress(): ById {
  const [known, setKnown] = useState<ById>(new Map());
  useEvents([EVENT], (event) => setKnown((before) => withProgress(before, event)));
  return known;
}

/** What is known after an event. */
export function withProgress(known: ById, { type, data }: LiveEvent): ById {
  const { transcriptions } = (data ?? {}) as { transcriptions?: unknown };
  if (type !== EVENT || !Array.isArray(transcriptions)) return known;
  return new Map([...known, ...transcriptions.filter(isProgress).map((one) => [one.id, one] as const)]);
}

const isProgress = (value: unknown): value is TranscriptionProgress => {
  const { id, doneSeconds } = (value ?? {}) as { id?: unknown; doneSeconds?: unknown };
  return typeof id === "string" && typeof doneSeconds === "number";
};
