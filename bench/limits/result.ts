import type { Machine } from "../harness/machine.ts";
import type { Cores } from "../rig/cpu-cores.ts";

export interface LimitsOptions {
  /** Rounds in which each rate is measured, of a second each, or of the units that are measured together. */
  seconds: number;
  /** How often each burst is sent, on a connection of its own each time. */
  bursts: number;
  /** Only limits with this text in their stream and name; all if empty. */
  only: string;
  /** Two minutes; only gross excess fails. */
  reduced: boolean;
}

/** What a peer at one limit costs the loop of its worker. */
export interface RateCost {
  name: string;
  stream: string;
  bounds: string;
  perSecond: number;
  /** CPU time of the loop's thread for one unit, µs, beyond an idle call's: the mean of all rounds. */
  unitUs: number;
  /** How far the true mean may be from it, µs: twice the standard error. */
  errorUs: number;
  /** `perSecond` times `unitUs`: the share of the loop. */
  share: number;
  /** And times `errorUs`. */
  shareError: number;
  /** Of the machine, beside this: see `slowdownOf`. Only in the reduced form. */
  slowdown?: number;
}

export interface BurstCost {
  name: string;
  stream: string;
  bounds: string;
  bytes: number;
  /** CPU time of the loop's thread for all of it, ms: the least, the median, and the most, of all bursts. */
  minMs: number;
  medianMs: number;
  maxMs: number;
  /** As of a rate. */
  slowdown?: number;
}

/** A request that no limit bounds for one client. */
export interface UnlimitedRequestCost {
  name: string;
  process: "control" | "worker";
  /** CPU time of the loop's thread for one, µs. */
  unitUs: number;
  /** So many a second take LOOP_SHARE_MAX of the loop. */
  perSecondAtBound: number;
}

/** How long redemptions took, from the connection of a stream to its answer, beside something else. */
export interface RedemptionDelay {
  beside: string;
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** How much later p99 is than beside nothing else. */
  delayMs: number;
}

export interface LimitsResult {
  machine: Machine;
  /** What was measured. */
  commit: string;
  cores: Cores | undefined;
  options: LimitsOptions;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  rates: RateCost[];
  bursts: BurstCost[];
  /** None in the reduced form. */
  open: UnlimitedRequestCost[];
  /** None in the reduced form. */
  redemptions: RedemptionDelay[];
}
