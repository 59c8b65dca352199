import type { SimulatedWire } from "../../src/simulator/lines.ts";
import type { Window } from "../measurement/frame-analysis.ts";
import type { FrameTimesData } from "../measurement/frame-times.ts";
import type { Rendered } from "./speech.ts";

/** What every server of the bench answers, ours and the references alike. */
export type ServerQuestions = {
  /** A phase begins: `calls` connections will come. */
  begin: { ask: PhaseOptions; answer: ServerAddress };
  /** What it has used up until now. */
  sample: { ask: undefined; answer: ServerSample };
  /** The phase is over: resolves when every call is. */
  finish: { ask: undefined; answer: ServerReport };
};

/** What our own service answers besides. */
export type ServiceQuestions = ServerQuestions & {
  /** The first question: everything that its agents will say. */
  prepare: { ask: readonly Rendered[]; answer: undefined };
  /** The path of one more call, for a caller who understands words. */
  fullCall: { ask: undefined; answer: string };
  /** Blocks the loop for so many ms; resolves with when it did, by `machineMonotonicMs`. */
  stall: { ask: number; answer: Window };
};

export interface PhaseOptions {
  calls: number;
  /** How many frames of each call are timed; later ones are only counted. */
  framesMax: number;
  /** What times are kept relative to, by `machineMonotonicMs`. */
  baseMs: number;
  wire: SimulatedWire;
  /** The calls' audio goes into their journals. */
  recorded: boolean;
}

export interface ServerAddress {
  port: number;
  /** One for each call. */
  paths: string[];
}

export interface ServerSample {
  /** By `machineMonotonicMs`. */
  atMs: number;
  /** CPU time of the whole process, all its threads, since it began, µs. */
  userUs: number;
  systemUs: number;
  rssBytes: number;
  /** Of V8's heap, what is in use, garbage included. */
  heapBytes: number;
  /** Open files and sockets; NaN where the system does not tell. */
  descriptors: number;
}

/** Delays of the event loop, ms: how much later than it should a timer was run. */
export interface LoopDelay {
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

export interface ServerReport {
  loopDelayMs: LoopDelay;
  /** Only of our own service. */
  service?: {
    /** Frames that the STT received; when frames were due to be written to their sockets, and when they were. */
    toStt: FrameTimesData;
    due: FrameTimesData;
    written: FrameTimesData;
    /** What the agent's STT understood of the full callers, one text for each call. */
    transcripts: string[];
    /** Journals that could not be written to their end. */
    journalFailures: number;
  };
}
