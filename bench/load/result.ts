import type { SimulatedWire } from "../../src/simulator/lines.ts";
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
  /** The core of the server's and the core of all other processes; undefined where processes were not pinned to cores. */
  cores: Cores | undefined;
  options: StepsOptions;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  steps: StepResult[];
  budgets: Verdict[];
}
