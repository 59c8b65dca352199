import type { Machine } from "../machine.ts";
import type { Spread } from "../statistics.ts";
import type { LoopDelay } from "./questions.ts";

export interface LoadOptions {
  calls: number;
  /** Measured in each round, for each contestant. */
  seconds: number;
  rounds: number;
  /** Before each measurement, with all calls on. */
  warmUpSeconds: number;
  /** Calls with their audio in the journal are measured beside the others. */
  recorded: boolean;
}

export type ContestantName = "echo" | "typical" | "trunkline" | "trunkline_recorded";

/** CPU time of the server's process for one frame in and one frame out, µs. */
export interface PairCost {
  userUs: number;
  systemUs: number;
  totalUs: number;
  /** Of the total: the ear of the full callers, which is an engine and only there to understand them. */
  earUs: number;
}

/** How late frames were, ms; which of them there are depends on what a server does. */
export interface Latencies {
  /** Sent by the caller → back at the caller. Of servers that answer each message. */
  roundTrip?: Spread;
  /** Sent by the caller → in the ear's hands, as PCM. */
  heard?: Spread;
  /** Due → written to the socket, by the clock of the service. */
  written?: Spread;
  /** Due → read by the caller: the same frames at the other end of the wire. */
  arrived?: Spread;
}

/** One contestant in one round. */
export interface RoundResult {
  round: number;
  /** Frame pairs within the measurement. */
  pairs: number;
  cost: PairCost;
  /** How busy the server kept its core, 0 to 1. */
  serverLoad: number;
  /** What the calls added to the memory of the process, bytes each. */
  memoryPerCallBytes: number;
  loopDelayMs: LoopDelay;
  /** How much later frames were due at the end than at the beginning, ms, of the call that moved furthest. Only of our service. */
  driftMs?: number;
  generator: GeneratorResult;
  /** What programs that are none of the bench's took from the machine meanwhile, in cores. */
  othersLoad: number;
  /** Conversations of the full callers that were understood on both sides, to the word. */
  conversations: number;
}

/** Whether the other end can be believed. */
export interface GeneratorResult {
  /** How busy it kept its core, 0 to 1. */
  load: number;
  /** Due → sent: how late the generator itself was, ms. */
  late: Spread;
}

export interface ContestantResult {
  name: ContestantName;
  title: string;
  rounds: RoundResult[];
  /** That of the middle round. */
  cost: PairCost;
  /** Of all rounds together. */
  latency: Latencies;
}

/** Cost against cost within each round, so that a machine that drifts does not decide. */
export interface Ratio {
  of: ContestantName;
  to: ContestantName;
  median: number;
  min: number;
  max: number;
}

export interface Verdict {
  budget: string;
  /** What was measured, in words and with its unit. */
  measured: string;
  /** `not shown`: this run's load is not the one that the budget speaks of. */
  verdict: "holds" | "missed" | "not shown";
}

export interface LoadResult {
  machine: Machine;
  /** The server was held on one core, and everything else on another. */
  pinned: boolean;
  options: LoadOptions;
  /** The figures mean what they say; otherwise `problems` tells why not. */
  valid: boolean;
  problems: string[];
  contestants: ContestantResult[];
  ratios: Ratio[];
  budgets: Verdict[];
}
