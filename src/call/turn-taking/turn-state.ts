import type { CallMs } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import type { TurnParameters } from "../parameters.ts";
import type { Caller } from "./caller-turn.ts";
import type { PauseEvidence } from "./end-of-turn/pause-evidence.ts";
import type { AnsweredTurn } from "./reopened-turn.ts";
import type { TurnAction } from "./turn-events.ts";

/** What the agent is doing. A reply is audible once its first frame was sent. */
export type Agent = { at: "idle" } | Replying;

export interface Replying {
  at: "replying";
  turnId: TurnId;
  audible: boolean;
  interruptible: boolean;
  /**
   * When it was paused, or when words last extended the pause without interrupting, ms of call time; undefined while it
   * is not paused.
   */
  pausedSinceMs: CallMs | undefined;
  /** How often speech has paused it. */
  pauses: number;
}

/** The state of turn taking. Each alternative has only the members that make sense in it. */
export interface Turn {
  caller: Caller;
  agent: Agent;
  /** The beginning of the STT's current utterance that was already answered or ignored; usually empty. */
  answeredPrefix: string;
  /** The turn that the current reply answers, while that is not audible: until then its end may be taken back. */
  answered: AnsweredTurn | undefined;
  /** The last final transcript, until something arrives that may be a new utterance; usually empty. */
  lastFinal: string;
  /** The caller is entering DTMF digits: nothing is answered until the entry is complete. */
  isEnteringDtmf: boolean;
}

/** The settings of turn taking. */
export interface TurnPolicy {
  parameters: Readonly<TurnParameters>;
  /** The STT sends interim transcripts by itself. Without them it is asked for one: see `InterimRequests`. */
  sttHasInterim: boolean;
  /** It sends one final for each utterance, and its interims come late. Absent means false. */
  sttFinalPerUtterance?: boolean;
  /** The caller's language, for back-channels and endpointing. */
  language: string;
  /** What is known of the caller's pause, by which the end of a turn is judged. Absent where turns end by fixed pauses. */
  evidence?: PauseEvidence;
}

export type Pausing = Extract<Caller, { at: "pausing" }>;

export interface TurnStep {
  turn: Turn;
  actions: readonly TurnAction[];
}

export const INITIAL_TURN: Turn = {
  caller: { at: "silent" },
  agent: { at: "idle" },
  answeredPrefix: "",
  answered: undefined,
  lastFinal: "",
  isEnteringDtmf: false,
};
export const NO_ACTIONS: readonly TurnAction[] = [];
