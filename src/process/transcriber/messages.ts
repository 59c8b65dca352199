import type { PartKey, PartOutcome } from "../../core/transcriptions/part.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { TranscriptionTask } from "../../transcription/transcriber.ts";
import type { SerializedError } from "../renderer/messages.ts";

/** A request of the control process. `id` is the number of the attempt in all messages. */
export type ToTranscriber =
  | { kind: "transcribe"; id: number; task: TranscriptionTask }
  /** What the message with this number is about is stored; or not, because the transcription is over. */
  | { kind: "stored"; id: number; number: number; isOver: boolean }
  | { kind: "stop"; id: number };

export type FromTranscriber =
  | { kind: "ready" }
  /** The event loop runs. Sent every HEARTBEAT_MS. */
  | { kind: "heartbeat" }
  | { kind: "progress"; id: number; doneMs: number; durationMs: number | undefined }
  /** A provider is about to be asked for a part; the answer is `stored`. */
  | { kind: "requesting"; id: number; number: number; part: PartKey; provider: string }
  /** The answer is `stored`. */
  | { kind: "transcribed"; id: number; number: number; part: PartKey; outcome: PartOutcome }
  | { kind: "completed"; id: number; result: TranscriptionResult }
  | { kind: "failed"; id: number; failure: SerializedError };
