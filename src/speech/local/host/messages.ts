import type { Deadline, JobOutcome, SpeechTask, Urgency } from "../jobs.ts";

/** Messages of a worker to the speech process. `id` is the worker's own number of a job. */
export type ToSpeechProcess =
  | { kind: "submit"; id: number; task: SpeechTask; urgency: Urgency; deadline: Deadline | undefined }
  | { kind: "raise"; id: number; deadline: Deadline }
  | { kind: "cancel"; id: number }
  /** The answer is one `metrics` message. */
  | { kind: "metrics" };

export type FromSpeechProcess =
  | { kind: "ended"; id: number; outcome: JobOutcome }
  /** In the Prometheus text format. */
  | { kind: "metrics"; exposition: string };
