import type { CallSpec } from "../../src/core/calls/spec.ts";

// What a peer may do, as the bench sends it.

/** A share of a loop that one peer within a limit may take, and how long its burst may hold the loop. */
export const LOOP_SHARE_MAX = 0.1;
export const BURST_MS_MAX = 50;
/** By how much anything else that is asked of the service may delay redemptions at p99, ms. */
export const REDEMPTION_DELAY_MS_MAX = 50;
/** The reduced form fails beyond this many times those: what it measures in a short time on a busy machine is not exact. */
export const GROSS_TIMES = 3;
/** So often it measures what is beyond that, before it fails. */
export const GROSS_TRIES_MAX = 4;

/** A connection that the bench opens. */
export interface LimitStream {
  /** As the table shows it. */
  name: string;
  spec: CallSpec;
  /** What its peer sends first. */
  opening: readonly string[];
}

/** A rate that a peer may keep up. */
export interface RateLimit {
  /** What is sent. */
  name: string;
  /** The limits that bound it, by their names in the source. */
  bounds: string;
  stream: LimitStream;
  /** Units a second: the most that the limits allow. */
  perSecond: number;
  /**
   * Only of limits of a few costly units a second: so many of them are measured together, on a call of its own each time. No more than the
   * limits allow at once.
   */
  atOnce?: number;
  /** The WebSocket frames of unit `index`. */
  unit(index: number): Uint8Array;
}

/** What a peer may send at once. */
export interface BurstLimit {
  name: string;
  bounds: string;
  stream: LimitStream;
  /** How long the peer must have sent nothing before, ms. */
  silentMs: number;
  /** All frames of the burst. */
  burst(): Uint8Array;
}
