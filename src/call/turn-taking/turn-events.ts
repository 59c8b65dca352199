import type { ResumeReason } from "../../core/calls/reasons.ts";
import type { CallMs } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import type { EndOfTurnDecision } from "./end-of-turn/decision.ts";

export type TurnEvent =
  | { kind: "speech-started"; startMs: CallMs }
  | { kind: "speech-ended"; endMs: CallMs }
  /** A transcript without the agent's echo. `isEcho`: nothing else was in it. */
  | { kind: "words"; text: string; final: boolean; isEcho?: true }
  /** The caller pressed a digit, and more may follow. */
  | { kind: "dtmf" }
  /** Typed text or a complete DTMF entry: nothing more follows. */
  | { kind: "typed"; text: string }
  | { kind: "reply-began"; turnId: TurnId; interruptible: boolean }
  | { kind: "reply-audible"; turnId: TurnId }
  | { kind: "reply-done"; turnId: TurnId }
  | { kind: "tick" };

/** Why the caller's turn ended with its pause. */
export interface TurnEnd extends EndOfTurnDecision {
  /** From the last voiced frame, ms. It is longer than `waitMs` where words were awaited, or the reply before. */
  readonly pauseMs: number;
}

/** Why turn taking interrupts a reply. */
export type BargeIn = "words" | "dtmf" | "typed";

export type TurnAction =
  /** The caller interrupts this reply. `speechMs` is how long the caller had been speaking. */
  | { do: "interrupt"; turnId: TurnId; reason: BargeIn; speechMs: number }
  /** The caller speaks over this reply: pause it until it is clear whether that is an interruption. */
  | { do: "pause"; turnId: TurnId }
  /** It was no interruption: the reply resumes with the next sample. */
  | { do: "resume"; turnId: TurnId; reason: ResumeReason }
  /** The caller's turn has ended: answer it. `end` is absent where no pause ended it. */
  | { do: "answer"; text: string; startMs: CallMs; endMs: CallMs; end?: TurnEnd }
  /** The turn goes on, though its end was assumed: this reply, which was not audible, is dropped, and its turn is open. */
  | { do: "reopen"; turnId: TurnId; speechMs: number }
  /** The caller said this over the agent, and it needs no answer. */
  | { do: "ignore"; text: string; startMs: CallMs; endMs: CallMs };
