import type { SpeechTask } from "../jobs.ts";
import type { Hypothesis } from "../speech-model.ts";

/** Messages to a child: one job at a time. They are sent by structured clone, samples included. */
export type ToSpeechChild =
  | { kind: "job"; id: number; task: SpeechTask }
  /** This job is to end as soon as possible, with what there is. Ignored when it has ended. */
  | { kind: "stop"; id: number };

/** What a child uses. */
interface Used {
  residentBytes: number;
  /** CPU time of the process since its start. */
  cpuMs: number;
}

/** Messages of a child: first `ready` or `unusable`, then one answer for each job. */
export type FromSpeechChild =
  | ({ kind: "ready"; model: string; languages: readonly string[] } & Used)
  /** The model cannot be loaded, and the child exits. `reason` names the file and what is wrong with it. */
  | { kind: "unusable"; reason: string }
  | ({ kind: "done"; id: number; hypothesis: Hypothesis; passMs: number } & Used)
  | ({ kind: "judged"; id: number; probability: number; passMs: number } & Used)
  /** The job threw. `reason` contains no word of a call. */
  | ({ kind: "failed"; id: number; reason: string } & Used);
