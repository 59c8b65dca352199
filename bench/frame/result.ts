import type { Machine } from "../harness/machine.ts";

/**
 * Our way of doing something to one frame of 20 ms against the plain way: for the carriers JSON.parse or JSON.stringify, Buffer and
 * alawmulaw; for the raw WebSocket protocol a fresh array, alawmulaw, or the Opus library by itself.
 */
export interface Comparison {
  /** The dialect, with codec and rate where it has more than one. */
  wire: string;
  name: "decode" | "encode";
  /** How many times as fast ours is, and how many it should be at least; undefined where that is no goal. */
  ratio: number;
  ratioMin: number | undefined;
  /** How many times as long as a mere copy of the frame's samples ours takes. */
  ofCopy: number;
  oursNs: number;
  plainNs: number;
  /** Heap bytes a frame, garbage included. */
  oursHeapBytes: number;
  plainHeapBytes: number;
  /** A native library does the work, and makes a buffer on the heap for what it returns. */
  native: boolean;
}

/** What it costs to turn 20 ms from one rate into another. */
export interface ResamplingCost {
  fromHz: number;
  toHz: number;
  /** The one that the service uses comes first. */
  candidates: {
    name: string;
    ns: number;
    /** In plain FIR filters of the same pair of rates that took turns with it, and in mere copies of the frame's samples. */
    ofReference: number;
    ofCopy: number;
  }[];
  /** Of the one that the service uses. */
  heapBytes: number;
}

/** What something costs a frame. */
export interface FrameCost {
  ns: number;
  /** The same in plain decodes, or encodes on the way out, that took turns with it: what a machine that drifts does not change. */
  ofPlain: number;
  heapBytes: number;
}

/** One stage of a frame's way, by itself. */
export interface StageCost extends FrameCost {
  name: string;
  /** `extra`: not on every call's way, or no work of the gateway's. */
  way: "in" | "out" | "extra";
}

/** A frame's way through one of many connections that take turns. */
export interface InTurnCost {
  calls: number;
  inNs: number;
  outNs: number;
}

/** What encrypted media cost beyond plain ones. */
export interface EncryptionCost {
  /** Of a frame with its audio, whose journal is encrypted when it is flushed. */
  addedFrameNs: number;
  /** Of a live call, between two flushes. */
  addedCallBytes: number;
}

export interface FrameResult {
  machine: Machine;
  /** Uses up everything that was computed. */
  checksum: number;
  comparisons: Comparison[];
  resampling: ResamplingCost[];
  stages: StageCost[];
  encryption: EncryptionCost;
  /** A frame's way through a whole connection. */
  ways: {
    /** From the bytes of a message to the STT, the call and the journal. */
    in: FrameCost;
    /** From the tick through the ring to the bytes of a message, the call and the journal. */
    out: FrameCost;
    /** From a chunk of the TTS into the ring. */
    fill: FrameCost;
  };
  /** The same in and out where more and more calls take turns. */
  inTurn: InTurnCost[];
  /** A 30-minute call in virtual time. */
  call: { medianMs: number; budgetMs: number };
}
