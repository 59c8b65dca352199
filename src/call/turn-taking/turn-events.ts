import type { ResumeReason } from "../../core/calls/spec.ts";

export type TurnEvent =
  | { kind: "speech-started"; startMs: number }
  | { kind: "speech-ended"; endMs: number }
  | { kind: "words"; text: string; final: boolean }
  /** A key was pressed, and more may follow. */
  | { kind: "dtmf" }
  /** Words that were not spoken, or keys, and behind which nothing more is to come. */
  | { kind: "typed"; text: string }
  | { kind: "reply-began"; turnId: number; interruptible: boolean }
  | { kind: "reply-audible"; turnId: number }
  | { kind: "reply-done"; turnId: number }
  | { kind: "tick" };

/** Why a reply was stopped by turn taking. */
export type BargeIn = "words" | "sustained_speech" | "dtmf" | "typed";

export type TurnAction =
  /** The caller talks over this reply: it must stop now. `voicedMs` is for how long there had been voice. */
  | { do: "interrupt"; turnId: number; reason: BargeIn; speechMs: number }
  /** There is voice over this reply: it must hold until it is known what it is. */
  | { do: "pause"; turnId: number }
  /** It was nothing: the reply goes on from the very sample. */
  | { do: "resume"; turnId: number; reason: ResumeReason }
  /** The caller's turn is over: answer it. */
  | { do: "answer"; text: string; startMs: number; endMs: number }
  /** This was said over the agent and asks for no answer. */
  | { do: "ignore"; text: string; startMs: number; endMs: number };
