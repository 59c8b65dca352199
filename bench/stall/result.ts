import type { Machine } from "../harness/machine.ts";
import type { Spread } from "../harness/statistics.ts";
import type { Verdict } from "../harness/verdict.ts";
import type { Cores } from "../rig/cpu-cores.ts";
import type { LoopDelay } from "../rig/protocol.ts";

export interface StallOptions {
  calls: number;
  /** For how long the loop is blocked, ms, in ascending order; and how often each time. */
  stallsMs: number[];
  times: number;
}

/** What stalls of one length did to all calls. */
export interface StallPoint {
  stallMs: number;
  /** How long they were in the end: the loop may have been kept from running for longer. */
  realMs: Spread;
  /** Calls times stalls; and those in which the caller heard a gap. */
  seen: number;
  silent: number;
  /** For how long, of those, ms. */
  silenceMs: Spread;
  /** From the end of the stall until the caller had as much audio ahead as before, but for a frame, ms. */
  recoveryMs: Spread;
}

export interface StallResult {
  machine: Machine;
  cores: Cores | undefined;
  options: StallOptions;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  points: StallPoint[];
  loopDelayMs: LoopDelay;
  budgets: Verdict[];
}
