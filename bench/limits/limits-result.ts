import type { Cores } from "../load/processes.ts";
import type { Machine } from "../machine.ts";

export interface LimitsOptions {
  /** Of each rate that is measured; a slow rate is measured for longer. */
  seconds: number;
  /** How often each burst is sent, on a connection of its own each time. */
  bursts: number;
  /** Less than a minute, only gross excess fails, nothing is written to RESULTS.md. */
  reduced: boolean;
}

/** What a peer at one limit costs the loop of its worker. */
export interface RateCost {
  name: string;
  stream: string;
  bounds: string;
  perSecond: number;
  /** CPU time of the loop's thread for one unit, µs, beyond an idle call's. */
  unitUs: number;
  /** `perSecond` times that: the share of the loop. */
  share: number;
}

export interface BurstCost {
  name: string;
  stream: string;
  bounds: string;
  bytes: number;
  /** CPU time of the loop's thread for all of it, ms: the median, and the most, of all bursts. */
  medianMs: number;
  maxMs: number;
}

/** A request that no limit bounds for one client. */
export interface OpenCost {
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
  cores: Cores | undefined;
  options: LimitsOptions;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  rates: RateCost[];
  bursts: BurstCost[];
  /** None in the reduced form. */
  open: OpenCost[];
  /** None in the reduced form. */
  redemptions: RedemptionDelay[];
}
