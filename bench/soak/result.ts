import type { Machine } from "../harness/machine.ts";
import type { Verdict } from "../harness/verdict.ts";
import type { Latencies, RoundResult } from "../measurement/result.ts";
import type { Cores } from "../rig/cpu-cores.ts";

export interface SoakOptions {
  calls: number;
  minutes: number;
}

/** What the worker held at one time. */
export interface SoakPoint {
  /** Since the soak began. */
  atS: number;
  rssMiB: number;
  heapMiB: number;
  descriptors: number;
}

/** All calls, from their upgrade to their hang-up; the next stint has new ones. */
export interface Stint {
  round: RoundResult;
  latency: Latencies;
  /** Before its first call. */
  idle: SoakPoint;
}

export interface SoakResult {
  machine: Machine;
  cores: Cores | undefined;
  options: SoakOptions;
  /** How long one stint was measured, s. */
  stintS: number;
  /** What the bench's own notes of all frames take in the worker's memory, MiB: there from before the first call of a stint. */
  ownMiB: number;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  /** While calls were on. */
  points: SoakPoint[];
  stints: Stint[];
  /** After the last call. */
  end: SoakPoint;
  budgets: Verdict[];
}
