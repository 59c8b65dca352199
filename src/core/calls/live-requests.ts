// What a program asks of a live call, and what its worker answers.
import type { HoldOutcome, HoldRefusal, HoldRequest } from "./hold.ts";
import type { RecordingRefusal, RecordingRequest } from "./recording-pause.ts";

export type LiveRequest = HoldRequest | RecordingRequest;
export type LiveOutcome = HoldOutcome | HoldRefusal | RecordingRefusal;

export const isRecordingRequest = (request: LiveRequest): request is RecordingRequest =>
  request.kind === "pause-recording" || request.kind === "resume-recording";
