// What a program asks of the recording of a live call, and what its worker answers.
import type { HoldOutcome, HoldRefusal, HoldRequest } from "./hold.ts";

/** `pause-recording`: from now on neither audio nor words of the call are stored. `resume-recording`: they are again. */
export interface RecordingRequest {
  readonly kind: "pause-recording" | "resume-recording";
}

/** Why a request is refused. `not_recorded`: nothing of the call is stored anyway. */
export type RecordingRefusal = "not_live" | "not_recorded" | "recording_paused" | "recording_not_paused";

/** What a program may ask of a live call. */
export type LiveRequest = HoldRequest | RecordingRequest;
export type LiveOutcome = HoldOutcome | HoldRefusal | RecordingRefusal;

export const isRecordingRequest = (request: LiveRequest): request is RecordingRequest =>
  request.kind === "pause-recording" || request.kind === "resume-recording";

/** While nothing of a call was stored, ms since redemption. */
export interface RecordingPause {
  readonly startMs: number;
  /** That of the call where it was not resumed. */
  readonly endMs: number;
}
