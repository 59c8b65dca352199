import type { Machine } from "../machine.ts";

/** Our way of doing something to one frame against the plain way: JSON.parse or JSON.stringify, Buffer and alawmulaw. */
export interface Comparison {
  name: "decode" | "encode";
  /** How many times as fast ours is, and how many it should be at least. */
  ratio: number;
  ratioMin: number;
  oursNs: number;
  plainNs: number;
  /** Heap bytes a frame, garbage included. */
  oursHeapBytes: number;
  plainHeapBytes: number;
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
  /** `beside`: not on every call's way, or no work of the gateway's. */
  way: "in" | "out" | "beside";
}

export interface FrameResult {
  machine: Machine;
  /** Uses up everything that was computed. */
  checksum: number;
  comparisons: Comparison[];
  stages: StageCost[];
  /** A frame's way through a whole connection. */
  ways: {
    /** From the bytes of a message to the ear, the call and the journal. */
    in: FrameCost;
    /** From the tick through the ring to the bytes of a message, the call and the journal. */
    out: FrameCost;
    /** From the voice's chunk into the ring. */
    fill: FrameCost;
  };
  /** A 30-minute call in virtual time. */
  call: { medianMs: number; budgetMs: number };
}
