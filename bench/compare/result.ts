import type { Machine } from "../harness/machine.ts";
import type { Verdict } from "../harness/verdict.ts";
import type { Load, Measured } from "../measurement/result.ts";
import type { Cores } from "../rig/cpu-cores.ts";

export interface CompareOptions extends Load {
  rounds: number;
}

export type ContestantName = "echo" | "typical" | "trunkline" | "trunkline_ws" | "trunkline_recorded";

export interface ContestantResult extends Measured {
  name: ContestantName;
  title: string;
}

/** Cost against cost within each round, so that a machine that drifts does not decide. */
export interface Ratio {
  of: ContestantName;
  to: ContestantName;
  median: number;
  min: number;
  max: number;
}

export interface CompareResult {
  machine: Machine;
  /** The core of the servers' and the core of all other processes; undefined where processes were not pinned to cores. */
  cores: Cores | undefined;
  options: CompareOptions;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  contestants: ContestantResult[];
  ratios: Ratio[];
  budgets: Verdict[];
}
