import { RENDER_JOB } from "../../../../src/store/job-kinds.ts";

/** What must have become of every job of a kind in the end. */
export type Expectation =
  | "done"
  /** Its handler never succeeds. */
  | "dead"
  /** Its deadline may pass while its runner is dead. */
  | "done-or-dead"
  /** It runs again and again, and one is pending at any time. */
  | "scheduled";

/** The kinds of jobs whose runner is killed. */
export const KINDS = {
  quick: "proof.quick",
  slow: "proof.slow",
  flaky: "proof.flaky",
  doomed: "proof.doomed",
  patient: "proof.patient",
  hurried: "proof.hurried",
  endCall: "proof.end-call",
  render: RENDER_JOB,
  scheduled: "proof.scheduled",
} as const;
export type Kind = (typeof KINDS)[keyof typeof KINDS];

export const EXPECTATIONS: Readonly<Record<Kind, Expectation>> = {
  [KINDS.quick]: "done",
  [KINDS.slow]: "done",
  [KINDS.flaky]: "done",
  [KINDS.doomed]: "dead",
  [KINDS.patient]: "done",
  [KINDS.hurried]: "done-or-dead",
  [KINDS.endCall]: "done",
  [KINDS.render]: "done",
  [KINDS.scheduled]: "scheduled",
};

/** `fact` names what the job is about. Another job about the same fact would do its effect twice. */
export interface Payload {
  fact: string;
  /** A number for everything that is random about this job. */
  seed: number;
}
