import { TrunklineError } from "../../core/errors.ts";

/** The file cannot be read as audio; `what` says what is wrong with it, in words that a person understands. */
export const audioUnreadable = (what: string): TrunklineError => new TrunklineError("audio_unreadable", "caller", what);

/** The audio is longer than a transcription may be. */
export const audioTooLong = (maxMs: number): TrunklineError =>
  new TrunklineError(
    "audio_too_long",
    "caller",
    `the audio is longer than ${maxMs / 3_600_000} hours, the most that is transcribed`,
  );
