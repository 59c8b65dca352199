import type { Condition } from "./tape.ts";

/** Replies without an interruption: every pause is wrong. */
export const ECHO_CONDITIONS: readonly Condition[] = [
  { name: "-20 dB", gainDb: -20 },
  { name: "-20 dB, room 10 ms", gainDb: -20, responseMs: 10 },
  { name: "-20 dB, room 30 ms", gainDb: -20, responseMs: 30 },
  { name: "-20 dB, room 60 ms", gainDb: -20, responseMs: 60 },
  { name: "-10 dB, room 20 ms", gainDb: -10, responseMs: 20 },
  { name: "-15 dB, room 20 ms", gainDb: -15, responseMs: 20 },
  { name: "-30 dB, room 20 ms", gainDb: -30, responseMs: 20 },
  { name: "-20 dB, noise as loud", gainDb: -20, responseMs: 20, noiseDb: -46 },
  { name: "-20 dB, a new delay each reply", gainDb: -20, responseMs: 20, newDelays: true },
  { name: "-20 dB, clock 100 ppm off", gainDb: -20, responseMs: 20, driftPpm: 100 },
  { name: "-20 dB, jitter 60 ms", gainDb: -20, responseMs: 20, jitterMs: 60 },
];

const NO_ECHO = Number.NEGATIVE_INFINITY;

/** Somebody speaks over each reply. */
export const DOUBLE_TALK_CONDITIONS: readonly Condition[] = [
  { name: "no echo", gainDb: NO_ECHO, callerDb: 0 },
  { name: "-30 dB", gainDb: -30, responseMs: 20, callerDb: 0 },
  { name: "-20 dB", gainDb: -20, responseMs: 20, callerDb: 0 },
  { name: "-10 dB", gainDb: -10, responseMs: 20, callerDb: 0 },
  { name: "-20 dB, a new delay each reply", gainDb: -20, responseMs: 20, newDelays: true, callerDb: 0 },
  { name: "-20 dB, caller 10 dB quieter", gainDb: -20, responseMs: 20, callerDb: -10 },
  { name: "no echo, noise at -46 dB", gainDb: NO_ECHO, noiseDb: -46, callerDb: 0 },
  { name: "-20 dB, noise at -46 dB", gainDb: -20, responseMs: 20, noiseDb: -46, callerDb: 0 },
  { name: "no echo, noise at -36 dB", gainDb: NO_ECHO, noiseDb: -36, callerDb: 0 },
  { name: "-20 dB, noise at -36 dB", gainDb: -20, responseMs: 20, noiseDb: -36, callerDb: 0 },
];
