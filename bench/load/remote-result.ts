import type { SimulatedWire } from "../../src/simulator/lines.ts";
import type { Machine } from "../harness/machine.ts";
import type { Spread } from "../harness/statistics.ts";
import type { Gaps, GeneratorResult } from "../measurement/result.ts";

export interface RemoteOptions {
  /** Of the service's API: http, https, or ws and wss for the same. */
  url: string;
  apiKey: string;
  wire: SimulatedWire;
  /** Numbers of calls, in ascending order. */
  steps: number[];
  seconds: number;
  warmUpSeconds: number;
}

/** What the callers saw of one number of calls. */
export interface RemoteStep {
  calls: number;
  /** From the request that creates a call to its answer, ms. */
  createMs: Spread;
  /** Frames that one call had: the fewest and the most. */
  received: { fewest: number; most: number };
  /** How far frames were from their own call's grid of 20 ms when they came, ms, either way. */
  offGridMs: Spread;
  gaps: Gaps;
  generator: GeneratorResult;
}

export interface RemoteResult {
  /** The callers'. */
  machine: Machine;
  options: Pick<RemoteOptions, "url" | "wire" | "seconds" | "steps">;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  steps: RemoteStep[];
}
