import type { Machine } from "../harness/machine.ts";
import type { Verdict } from "../harness/verdict.ts";

/** The benches whose results the budgets are checked by. */
export const SOURCES = ["compare", "load", "soak", "stall", "barge-in", "turn-latency", "frame", "sim"] as const;
export type Source = (typeof SOURCES)[number];

export interface CheckLine extends Verdict {
  source: Source;
}

export interface CheckResult {
  machine: Machine;
  /** The results were there before; otherwise all benches were run for it. */
  fromResults: boolean;
  lines: CheckLine[];
}
