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
  /** The children of the control process; of them, only the one that reads journals works for calls. */
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
  /** By how much the worker's CPU of a call differs, ms; it has no code for traces. */
  workerExcess: { mean: number; error: number };
  /** Spans that the collector got of one call, on average. */
  spansPerCall: number;
  goals: Verdict[];
}

export const totalOf = ({ worker, control, renderer }: CallCpu): number => worker + control + renderer;

/** What traces add: the worker has no code for traces. */
export const excessOf = ({ on, off }: TracesRound): number => on.control + on.renderer - off.control - off.renderer;
