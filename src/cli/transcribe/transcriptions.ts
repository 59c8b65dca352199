import type { TranscriptionResult } from "../../core/transcriptions/result.ts";

/** Transcribes one file. Rejects with an error whose message says why it could not be. */
export type TranscribeOne = (
  path: string,
  onProgress: (doneMs: number, durationMs: number | undefined) => void,
  signal: AbortSignal,
) => Promise<TranscriptionResult>;

/** What transcribes: this process, or a service. */
export interface Transcriptions {
  readonly transcribe: TranscribeOne;
  close(): void;
}
