import type { Prosody } from "../../../media/prosody/prosody.ts";

/** What the agent's last sentence asked for, as far as its form says. */
export type AgentQuestion = "yes_no" | "number" | "spelling" | "choice" | "open" | "none";

/**
 * The pauses that this caller made within turns so far: speech continued after them, also where the agent had begun to answer too
 * early.
 */
export interface CallerPauses {
  /** Of the whole call. */
  readonly count: number;
  /** The caller's turns before this one. */
  readonly turns: number;
}

/** All that is known at a pause of the caller, for the decision whether the turn is over. */
export interface EndOfTurnEvidence {
  /** Everything understood of the caller's turn so far. */
  readonly text: string;
  /** The language of the call, BCP 47. */
  readonly language: string;
  /** How long the caller's turn has lasted until the pause, ms. */
  readonly turnMs: number;
  /** Undefined until enough voiced sound was heard. */
  readonly prosody: Prosody | undefined;
  readonly pauses: CallerPauses;
  /** The STT's own signal: how sure it is that the turn is over, 0 to 1; undefined from an STT without one. */
  readonly provider: number | undefined;
  readonly agentQuestion: AgentQuestion;
  /** The same of the local turn model (`TURN_MODEL`); undefined where there is none. */
  readonly model: number | undefined;
}
