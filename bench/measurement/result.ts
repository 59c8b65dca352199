import type { SimulatedWire } from "../../src/simulator/lines.ts";
import type { Spread } from "../harness/statistics.ts";
import type { LoopDelay } from "../rig/protocol.ts";

/** What a server is loaded with at a time. */
export interface Load {
  wire: SimulatedWire;
  calls: number;
  /** Measured, with all calls on; and before that. */
  seconds: number;
  warmUpSeconds: number;
  /** Whole conversations, at once, when all has been measured and the calls are still on: they prove that the load is real. */
  talkers: number;
}

/** CPU time of the server's process for one frame in and one frame out, µs. */
export interface PairCost {
  userUs: number;
  systemUs: number;
  totalUs: number;
}

/** How late frames were, ms; which of them there are depends on what a server does. */
export interface Latencies {
  /** Sent by the caller → back at the caller. Of servers that answer each message. */
  roundTrip?: Spread;
  /** Sent by the caller → received by the STT, as PCM. */
  toStt?: Spread;
  /** Due → written to the socket, by the clock of the service. */
  written?: Spread;
  /** Due → read by the caller: the same frames at the other end of the wire. */
  arrived?: Spread;
}

/** What callers heard nothing of, though the agent spoke: each time a frame came later than the one before it was played. */
export interface Gaps {
  count: number;
  longestMs: number;
}

/** One measurement of one server. */
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
  /** Only of our service: the others pace nothing. */
  gaps?: Gaps;
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

/** All measurements of one server under one load. */
export interface Measured {
  rounds: RoundResult[];
  /** That of the middle round. */
  cost: PairCost;
  /** Of all rounds together. */
  latency: Latencies;
}
