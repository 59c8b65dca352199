import type { WordErrors } from "../../src/core/text/word-errors.ts";
import type { Machine } from "../harness/machine.ts";
import type { ClipGroup } from "./clips.ts";
import type { Line } from "./lines.ts";

/** One clip over one line. */
export interface ClipResult {
  group: ClipGroup;
  line: Line;
  name: string;
  text: string;
  heard: string;
  errors: WordErrors;
  averageLogProbability: number;
}

/** The sounds of one kind. */
export interface NoSpeechResult {
  kind: string;
  sounds: number;
  /** What was understood where nothing was said. */
  invented: readonly string[];
}

/** Prompts in a row as one utterance, which the engine divides into windows. */
export interface LongResult {
  name: string;
  lengthS: number;
  errors: WordErrors;
  /** The errors of the same prompts, transcribed one by one. */
  apart: WordErrors;
}

/** The engine in a process of its own. */
export interface CostResult {
  /** From the start of the process until it can transcribe, and the CPU time of that. */
  loadMs: number;
  loadCpuMs: number;
  /** CPU time by the audio's length: the very first pass, and the median of those after ten passes. */
  firstPassShare: number;
  warmPassShare: number;
  /** The audio of the warm passes. */
  warmAudioS: number;
  /** Resident memory after the load, and the most at any time. */
  loadedMb: number;
  largestMb: number;
}

export interface SttResult {
  machine: Machine;
  seed: number;
  /** Of the prompts and of the single words every so many were transcribed. */
  every: number;
  tookS: number;
  model: string;
  clips: ClipResult[];
  noSpeech: NoSpeechResult[];
  long: LongResult[];
  cost: CostResult;
}
