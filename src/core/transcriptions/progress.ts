import type { AccountId, TranscriptionId } from "../ids.ts";

/** How far the transcription of a file is. */
export interface TranscriptionProgress {
  readonly transcriptionId: TranscriptionId;
  readonly accountId: AccountId;
  /** Of the audio. */
  readonly doneMs: number;
  /** Undefined while it is not known. */
  readonly durationMs: number | undefined;
}
