import type { ConnectionType } from "../calls/spec.ts";
import type { TimeHistogram } from "./histogram.ts";
import type { ListenerEnd, OpusRefusal } from "./labels.ts";

/** The state of a live call: its carrier has not sent `start` yet, or what its agent does. */
export const LIVE_STATES = ["opening", "listening", "thinking", "speaking", "held"] as const;
export type LiveState = (typeof LIVE_STATES)[number];

/** The counters of a call. They are read at each scrape, so that the frame path updates no metric. */
export interface CallCounts {
  framesIn: number;
  framesOut: number;
  /** Frames sent after the peer's buffer had run dry. */
  late: number;
  /** How often a reply had a gap because the TTS did not deliver in time. */
  underruns: number;
  /** Messages that violated the protocol. */
  malformed: number;
  /** Valid or unknown messages without effect, and messages above a rate limit. */
  ignored: number;
  /** Messages beyond the byte budget for parsing; the first of them ends the call. */
  flooded: number;
  /** Messages before the carrier's `start`. */
  early: number;
  /** Audio that arrived after the jitter buffer had skipped it. */
  lateAudio: number;
  /** Audio that had already arrived. */
  duplicateAudio: number;
  /** Audio that a stall had delayed for longer than is caught up. */
  staleAudio: number;
  /** Parameters of a carrier's `start` that were left out. */
  parametersDropped: number;
  /** Voiced frames of the caller that were the agent's echo, and so no speech. */
  echoFrames: number;
  /** Opus packets among the malformed messages, by reason. */
  readonly opusRefused: Record<OpusRefusal, number>;
}

/**
 * The latency that a worker adds to a frame. `in`: from the arrival of a message until all readers of the audio bus, including the
 * STT, have its frames. `out`: from the due time of a frame until it is written to the socket.
 */
export interface AddedLatency {
  readonly in: TimeHistogram;
  readonly out: TimeHistogram;
}

/** Voice activity detection in a worker. */
export interface DetectorReadings {
  /** The version of the detector that decides now. */
  version: string;
  /** How often a cheaper one than the configured one began to decide, because the event loop lagged. */
  fallbacks: number;
  /** Frames by the stage that decided: see `DetectorCounts` of media/voice-activity. */
  gateFrames: number;
  networkFrames: number;
  fallbackFrames: number;
}

/** Who listens to the calls of a worker. */
export interface ListeningReadings {
  /** Connections at present. */
  listeners: number;
  /** Connections that have ended, by reason. */
  ended: Readonly<Record<ListenerEnd, number>>;
  /** Frames that were dropped because a stall had delayed them for too long. */
  framesDropped: number;
}

/** The current state of a worker. */
export interface WorkerReadings {
  /** Live calls. */
  calls: Readonly<Record<LiveState, number>>;
  /** The most calls that it may carry. */
  callsMax: number;
  /** Sums over all calls since the process started, including live ones. */
  counts: ReadonlyMap<ConnectionType, Readonly<CallCounts>>;
  addedLatency: AddedLatency;
  detector: Readonly<DetectorReadings>;
  /** How late the slots of the ticker started. */
  tickLateness: TimeHistogram;
  /** Slots of the ticker that were skipped because the event loop had stalled. */
  slotsSkipped: number;
  journalBytes: number;
  journalPendingBytes: number;
  journalFailures: number;
  /** Complete journals without an fsync. */
  journalsUnsynced: number;
  listening: ListeningReadings;
}
