// What a program asks of the recording of a live call, and what its worker answers.

/** `pause-recording`: from now on neither audio nor words of the call are stored. `resume-recording`: they are again. */
export interface RecordingRequest {
  readonly kind: "pause-recording" | "resume-recording";
}

/** Why a request is refused. `not_recorded`: nothing of the call is stored anyway. */
export type RecordingRefusal = "not_live" | "not_recorded" | "recording_paused" | "recording_not_paused";

/** While nothing of a call was stored, ms since redemption. */
export interface RecordingPause {
  readonly startMs: number;
  /** That of the call where it was not resumed. */
  readonly endMs: number;
}
