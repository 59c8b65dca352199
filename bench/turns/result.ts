import type { Machine } from "../harness/machine.ts";
import type { Figures, SttMode } from "../turn-taking/result.ts";
import type { EndOfTurnResult } from "./end-of-turn/tables.ts";
import type { LineCondition } from "./scenes.ts";
import type { UtteranceKind } from "./script.ts";

/** What all rows have: with which detector and STT, and what was on the line. */
export interface Row {
  detector: string;
  sttMode: SttMode;
  line: string;
  lineKind: LineCondition["kind"];
}

/** Ends of turns. Times are ms from the caller's last clear sample to the answer's first frame. */
export interface TurnEndRow extends Row {
  kind: UtteranceKind;
  turns: number;
  early: number;
  /** Turns that were not answered before the next one. */
  unanswered: number;
  answerMs: Figures;
}

/** Interruptions of the agent's long greeting. */
export interface InterruptionRow extends Row {
  calls: number;
  /** Calls in which the agent was paused or interrupted before the caller began. */
  falselyStopped: number;
  /** Calls in which the agent spoke when the caller began, and those of them in which it stopped in time. */
  free: number;
  noticed: number;
  /** From the caller's first clear sample to the agent's last sample that was sent. */
  toLastSentMs: Figures;
}

/** A caller who says nothing while the agent speaks. */
export interface ListeningRow extends Row {
  /** ms; undefined where there is no echo. */
  echoDelayMs: number | undefined;
  calls: number;
  pauses: number;
  interruptions: number;
}

/** A line without a caller's words: when the inactivity prompt began, the median; NaN where it never did. */
export interface InactivityRow {
  detector: string;
  sttMode: SttMode;
  line: string;
  promptMs: number;
}

export interface TurnsOnSpeechResult {
  machine: Machine;
  minutes: number;
  seed: number;
  tookS: number;
  detectors: { name: string; version: string }[];
  /** Undefined until they were measured. */
  endOfTurn: EndOfTurnResult | undefined;
  turnEnds: TurnEndRow[];
  interruptions: InterruptionRow[];
  listening: ListeningRow[];
  inactivity: InactivityRow[];
}
