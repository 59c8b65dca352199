import type { Machine } from "../harness/machine.ts";
import type { Spread } from "../harness/statistics.ts";
import type { Verdict } from "../harness/verdict.ts";
import type { Cores } from "../rig/cpu-cores.ts";

/** What is measured, by the names of `--only`. */
export const PARTS = ["delay", "network", "tones", "start", "barge-in", "peers", "capacity", "calls"] as const;
export type Part = (typeof PARTS)[number];

export interface WebrtcOptions {
  parts: readonly Part[];
  /** Of each call over a bad network. */
  seconds: number;
  /** Of each tone of a browser. */
  toneSeconds: number;
  /** Calls that a browser begins, and that it interrupts. */
  runs: number;
  seed: number;
  /** Some minutes; only gross excess fails. */
  reduced: boolean;
}

/** What a part is measured with. */
export interface Scene {
  options: WebrtcOptions;
  cores: Cores | undefined;
  write(line: string): void;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
}

/** What a caller sends over a bad network. */
export const SOUNDS = ["tone", "speech"] as const;
export type Sound = (typeof SOUNDS)[number];

export interface NetworkConditionsRow {
  lossShare: number;
  jitterMs: number;
  /** The share of datagrams that come twice; whether later ones overtake. */
  duplicateShare: number;
}

/** One call: how well the service hears the caller. */
export interface NetworkRow extends NetworkConditionsRow {
  sound: Sound;
  fec: boolean;
  /** Packets that the service did not get in time, and audio that it did not hear nor make up for, ms. */
  missing: number;
  reordered: number;
  gapsMs: number;
  /**
   * In windows of 20 ms, dB: how far a tone stands out; or how like speech is to what is decoded without loss, in the
   * worst windows, because most are unchanged. And the share of windows in which it hardly does, or is.
   */
  medianDb: number;
  p10Db: number;
  badShare: number;
}

/** A tone between Chromium and the service, in windows of 200 ms. */
export interface ToneRow {
  direction: "down" | "up";
  lossShare: number;
  jitterMs: number;
  fec: boolean;
  seconds: number;
  windows: number;
  medianDb: number;
  p10Db: number;
  bad: number;
  /** Down: the share of samples that the browser's jitter buffer made up for, and how many it played faster or slower. */
  concealedShare: number | undefined;
  acceleratedSamples: number | undefined;
  deceleratedSamples: number | undefined;
  /** Up: packets that did not come in time. */
  missing: number | undefined;
}

/** The stages of a start, in their order; each as the time since `start()`. */
export const STAGES = [
  "microphone",
  "call created",
  "socket open",
  "hello",
  "answer",
  "peer connected",
  "ready",
] as const;
export type Stage = (typeof STAGES)[number];

export interface StartResult {
  stages: Readonly<Record<Stage, Spread>>;
  /** From `start()` to the greeting's first sample in what the browser plays. */
  greetingMs: Spread;
}

export interface BargeInResult {
  /** From the first sample of speech at the browser to the last of the agent at the page's audio output. */
  silenceMs: Spread;
  /** The same to the arrival of `clear`. */
  clearMs: Spread;
  /** What of it is the browser's own: from muting an element to silence at the same output. */
  outputMs: Spread;
}

export interface PeersResult {
  codec: "wasm" | "native";
  peers: number;
  /** Percent of a core, of all threads, less that of the idle process. */
  cpuPercentPerPeer: number;
  idlePercent: number;
  bytesPerPeer: number;
}

export interface CapacityStep {
  peers: number;
  lateMs: Spread;
  loopP99Ms: number;
  /** Of a core. */
  cpuPercent: number;
  /** How late the callers were themselves, p99. */
  callersLateP99Ms: number;
}

export interface CallsResult {
  calls: number;
  /** After the first ones, at a sixth, and at the end, with no call open. */
  before: CallsSample;
  early: CallsSample;
  after: CallsSample;
}

export interface CallsSample {
  calls: number;
  rssBytes: number;
  heapBytes: number;
  descriptors: number;
}

export interface DelayResult {
  packets: number;
  /** The longest that a packet in order waited in the transport, and audio that was not handed on with its packet, frames. */
  waitedMs: number;
  heldFrames: number;
}

export interface WebrtcResult {
  machine: Machine;
  commit: string;
  cores: Cores | undefined;
  options: WebrtcOptions;
  problems: readonly string[];
  delay: DelayResult | undefined;
  network: readonly NetworkRow[];
  tones: readonly ToneRow[];
  start: StartResult | undefined;
  bargeIn: BargeInResult | undefined;
  peers: readonly PeersResult[];
  capacity: readonly CapacityStep[];
  calls: CallsResult | undefined;
  goals: readonly Verdict[];
}
