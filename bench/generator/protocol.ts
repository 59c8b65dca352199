import type { SimulatedWire } from "../../src/simulator/lines.ts";
import type { FrameTimesData } from "../measurement/frame-times.ts";

export type GeneratorQuestions = {
  /** Connects all calls; resolves when they all stream, and rejects when one is refused. */
  begin: { ask: FleetOptions; answer: undefined };
  sample: { ask: undefined; answer: GeneratorSample };
  /** Stops sending, takes what is still under way, and hangs up. */
  finish: { ask: undefined; answer: FleetReport };
};

/** Where media streams are taken. */
export interface MediaTarget {
  host: string;
  port: number;
  /** With TLS. */
  secure: boolean;
}

export interface FleetOptions {
  target: MediaTarget;
  wire: SimulatedWire;
  paths: readonly string[];
  framesMax: number;
  baseMs: number;
  /** What every caller says, over and over: raw, in the inbound format of the wire's line. */
  audio: Uint8Array;
  /** Handshakes at a time; 32 unless said. */
  connectingMax?: number;
}

export interface GeneratorSample {
  atMs: number;
  /** Media messages of all calls until now. */
  sentFrames: number;
  receivedFrames: number;
  /** Calls whose connection is gone. */
  lostCalls: number;
  /** CPU time of the generator, µs. */
  cpuUs: number;
}

export interface FleetReport {
  /** When each call's first frame was due. */
  startsMs: Float64Array;
  sent: FrameTimesData;
  received: FrameTimesData;
  /** Why connections were lost before the end, one line each. */
  losses: string[];
}
