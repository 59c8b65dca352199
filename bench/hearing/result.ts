import type { Machine } from "../harness/machine.ts";
import type { Measures } from "./measures.ts";
import type { Language } from "./prompts.ts";

/** One detector over the tape of one language in one condition. */
export interface Cell {
  detector: string;
  condition: string;
  kind: "clean" | "noisy" | "reported";
  language: Language;
  measures: Measures;
}

/** The same prompts at the beginning of a call and later in it. */
export interface DeafnessCell {
  detector: string;
  condition: string;
  language: Language;
  /** The minute of the call at which they began again. */
  minute: number;
  first: Measures;
  later: Measures;
}

/** A sound without speech. */
export interface NoSpeechCell {
  detector: string;
  sound: string;
  isJudged: boolean;
  frames: number;
  voicedFrames: number;
}

/** CPU time for a frame, the median of rounds in which the detectors took turns, µs. */
export interface CostCell {
  detector: string;
  load: "speech" | "music";
  frameUs: number;
}

export interface HearingResult {
  machine: Machine;
  minutes: number;
  seed: number;
  tookS: number;
  /** Undefined where sox is not installed: then there is no condition GSM. */
  hasGsm: boolean;
  /** Version of each detector by its name, in the order of the tables. */
  detectors: { name: string; version: string }[];
  /** Prompts and minutes of the tape, by language. */
  tapes: { language: Language; prompts: number; minutes: number }[];
  /** The part of the tape for the cost in which the caller speaks, 0 to 1. */
  costSpeechShare: number;
  cells: Cell[];
  deafness: DeafnessCell[];
  noSpeech: NoSpeechCell[];
  cost: CostCell[];
  /** A part of one tape, as SVG. */
  picture: string;
}
