import { useState } from "preact/hooks";
import { PROGRESS_EVENT, type ProgressById, withProgress } from "./events/transcription-progress.ts";
import { useEvents } from "./events/use-events.ts";

/** How far the transcriptions are that are in progress, by their ids, as the service has said it since the page was opened. */
export function useTranscriptionProgress(): ProgressById {
  const [known, setKnown] = useState<ProgressById>(new Map());
  useEvents([PROGRESS_EVENT], (event) => setKnown((before) => withProgress(before, event)));
  return known;
}
