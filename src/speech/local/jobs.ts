import type { Hypothesis } from "./speech-model.ts";

/** What a model is asked to do. */
export type SpeechTask = TranscribeTask | EndOfTurnTask;

interface TaskAudio {
  /** Signed 16-bit mono at `rateHz`, of at most LOCAL_STT_WINDOW_MS. Owned by the task: they must not change any more. */
  samples: Int16Array;
  /** 8,000 or 16,000. */
  rateHz: number;
}

/** The speech model is asked for the words. The outcome is `done`. */
export interface TranscribeTask extends TaskAudio {
  kind: "transcribe";
  /** A code from `GET /languages` that the model knows. */
  language: string;
}

/** The turn model is asked whether the caller has finished. The outcome is `judged`. */
export interface EndOfTurnTask extends TaskAudio {
  kind: "end-of-turn";
}

/**
 * Which job is next, in this order. `final`: speech is over and the call waits. `turn`: whether it is over is asked. `pause`: the caller pauses, and speech is perhaps
 * over. `interim`: the caller speaks; a job that needs the child stops it. `batch`: a recording, for which no call waits; any other
 * job that needs the child stops it, and it is done again.
 */
export const URGENCIES = ["final", "turn", "pause", "interim", "batch"] as const;
export type Urgency = (typeof URGENCIES)[number];

/** By when a job is to be done. */
export interface Deadline {
  /** From now. */
  delayMs: number;
  /**
   * `drop`: a job that no child has taken by then is dropped. `fail`: one that is not done by then has timed out. `wait`: it is done
   * late, and says how late.
   */
  pastDeadline: "drop" | "fail" | "wait";
}

/** How a job ended. Durations in ms. */
export type JobOutcome =
  | { outcome: "done"; hypothesis: Hypothesis; waitMs: number; passMs: number; lateMs: number }
  /** How probable it is, 0 to 1, that the caller's turn is over. */
  | { outcome: "judged"; probability: number; waitMs: number; passMs: number; lateMs: number }
  /** It was not needed any more, or had to leave its child to a more urgent job. */
  | { outcome: "dropped" }
  | { outcome: "timed_out" }
  /** `reason` contains no word of a call. */
  | { outcome: "failed"; reason: string };

/** A job that was submitted. */
export interface PendingJob {
  /** Never rejects. */
  readonly outcome: Promise<JobOutcome>;
  /** The job became urgent: it is a final from now on. */
  raise(deadline: Deadline): void;
  /** It is not needed any more: `dropped`, unless it has ended. */
  cancel(): void;
}

/** The speech models of this machine: their children in this process, or the process that owns them. */
export interface LocalSpeech {
  /** Never throws and never waits. A job without a deadline is done whenever a child is free. */
  submit(task: SpeechTask, urgency: Urgency, deadline?: Deadline): PendingJob;
  /** Ends the children, or the connection to their process. Every pending and later job fails. */
  close(): void;
}

/** The settings of the local speech models. */
export interface LocalSpeechSettings {
  /** How many children. */
  processes: number;
  /** The folder of the model; undefined for the installed one. */
  modelFolder: string | undefined;
  /** The file of the turn model; undefined where none is used. */
  turnModelPath: string | undefined;
}
