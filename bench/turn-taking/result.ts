import type { Machine } from "../harness/machine.ts";

/** `interruptions` want the turn, `in noise` they do, too; whatever the others are, the agent should go on. */
export const GROUPS = ["interruptions", "in noise", "sounds", "echo", "noise"] as const;
export type Group = (typeof GROUPS)[number];

/** Which transcripts the STT emits: interim ones while words are spoken, or final ones only. */
export const STT_MODES = ["partials", "finals"] as const;
export type SttMode = (typeof STT_MODES)[number];

/** How values are spread; NaN, which is null in JSON, where there are none. */
export interface Figures {
  count: number;
  p50: number;
  p90: number;
  max: number;
}

/** The results of the calls of one case with one STT. Times are ms. */
export interface CaseResult {
  group: Group;
  title: string;
  sttMode: SttMode;
  wantsTurn: boolean;
  calls: number;
  /** For how long the agent spoke or was paused, all calls together: where the caller wants the turn, until then. */
  agentMs: number;
  /** Calls in which the caller did not want the turn, or not yet, and the agent was paused or interrupted. */
  falselyPaused: number;
  falselyInterrupted: number;
  /** How often the agent was falsely paused, and for how long each time. */
  falsePauses: number;
  falsePauseMs: Figures;
  /** Words of replies that were not interrupted, and those of them that did not reach the caller whole. */
  agentWords: number;
  agentWordsLost: number;
  /** Where the caller wants the turn; of calls in which the agent was neither paused nor interrupted when the caller began. */
  interruption?: Interruption;
}

export interface Interruption {
  calls: number;
  /** Calls in which the agent was paused or interrupted in time; and those in which it was interrupted. */
  stopped: number;
  interrupted: number;
  /** From the first sample of the caller's voice to the last sample of the agent's that left us, and that the caller heard. */
  toLastSentMs: Figures;
  toSilenceMs: Figures;
  toInterruptionMs: Figures;
  /** Of calls that were paused: from the start of speech that the VAD detects; below 0 the sample was sent before. */
  fromOnsetToLastSentMs: Figures;
  callerWords: number;
  callerWordsLost: number;
  /** From the last sample of the caller's voice to the first of the answer. */
  answerMs: Figures;
}

export interface TurnsResult {
  machine: Machine;
  /** Calls for each case and STT; half as many where there is noise. */
  calls: number;
  seed: number;
  tookS: number;
  cases: CaseResult[];
}
