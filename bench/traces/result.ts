import type { Machine } from "../harness/machine.ts";
import type { Verdict } from "../harness/verdict.ts";

export interface TracesOptions {
  calls: number;
  seconds: number;
  rounds: number;
}

/** CPU of a call in ms, of all processes of the service that work for it. */
export interface CallCpu {
  worker: number;
  control: number;
  /** The child of the control process that reads journals. */
  renderer: number;
}

/** The same calls at a service with traces and at one without, at the same time. */
export interface TracesRound {
  on: CallCpu;
  off: CallCpu;
}

export interface TracesResult {
  machine: Machine;
  commit: string;
  options: TracesOptions;
  problems: string[];
  rounds: TracesRound[];
  /** Spans that the collector got of one call, on average. */
  spansPerCall: number;
  goals: Verdict[];
}

export const totalOf = ({ worker, control, renderer }: CallCpu): number => worker + control + renderer;

/** What traces add. The worker has no code for traces, so what it differs by is chance. */
export const excessOf = ({ on, off }: TracesRound): number => on.control + on.renderer - off.control - off.renderer;
