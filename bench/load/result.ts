import type { SimulatedWire } from "../../src/simulator/transports.ts";
import type { Machine } from "../harness/machine.ts";
import type { Verdict } from "../harness/verdict.ts";
import type { Measured } from "../measurement/result.ts";
import type { Cores } from "../rig/cpu-cores.ts";

/** One number of calls. */
export interface StepResult extends Measured {
  calls: number;
}

export interface StepsOptions {
  wire: SimulatedWire;
  /** Numbers of calls, in ascending order. */
  steps: number[];
  seconds: number;
  warmUpSeconds: number;
  talkers: number;
  rounds: number;
}

export interface LoadResult {
  machine: Machine;
  /** Which core was the server's, and which everybody else's; undefined where the processes were not held. */
  cores: Cores | undefined;
  options: StepsOptions;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  steps: StepResult[];
  budgets: Verdict[];
}
