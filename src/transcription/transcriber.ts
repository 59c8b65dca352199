import type { AccountProviders } from "../core/accounts/account-providers.ts";
import type { TranscriptionOptions } from "../core/transcriptions/options.ts";
import type { PartKey, PartOutcome } from "../core/transcriptions/part.ts";
import type { TranscriptionResult } from "../core/transcriptions/result.ts";
import type { StoredPart } from "../store/transcription-store.ts";

/** What is needed to transcribe a file, which is there. */
export interface TranscriptionTask {
  path: string;
  options: TranscriptionOptions;
  /** With the account's own API keys of providers. */
  account: AccountProviders;
  /** Of an attempt before. */
  parts: readonly StoredPart[];
}

/** Where a transcriber puts what it does. */
export interface PartsStore {
  /** A provider is about to be asked for a part; false where the transcription is over. */
  requesting(part: PartKey, provider: string): Promise<boolean>;
  transcribed(part: PartKey, outcome: PartOutcome): Promise<void>;
  /** How much of the audio is done, and how much there is, once that is known; ms. */
  progress(doneMs: number, durationMs: number | undefined): void;
}

export interface Transcriber {
  /**
   * Transcribes a file. Rejects with `audio_unreadable`, `audio_too_long`, `unsupported_audio` or `speakers_too_long` for a file that
   * cannot be transcribed at all; with `provider_failed`, `transcriber_died` or `unavailable` where another attempt may succeed; and
   * with the abort's reason.
   */
  transcribe(task: TranscriptionTask, store: PartsStore, signal: AbortSignal): Promise<TranscriptionResult>;
}
