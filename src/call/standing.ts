import type { CallState } from "./events.ts";
import type { Turn } from "./turn.ts";

/** What a call may wait for, each until a moment of its own. */
const WAITS = ["max_duration", "goodbye", "stream", "voice", "turn", "ahead", "digits", "inactivity", "reply"] as const;
export type Wait = (typeof WAITS)[number];

/** What a reply may wait for: its being heard, words of our own that bridge a silence, the model, the voice. */
export interface ReplyWaits {
  heardMs: number;
  fillerMs: number;
  modelMs: number;
  voiceMs: number;
}

/** The reply that lives. */
export interface LivingReply {
  turnId: number;
  audible: boolean;
  interruptible: boolean;
  usesTools: boolean;
  pieces: number;
  sentMs: number;
  /** What the caller has heard of it, as far as anybody can tell. */
  heardText: string;
  waits: ReplyWaits;
}

/**
 * How a call stands at one moment, for whoever wants to understand what it does. Times are ms of call time; of what is not
 * waited for they are Infinity.
 */
export interface CallStanding {
  ended: boolean;
  state: CallState;
  language: string;
  turn: Turn;
  reply: LivingReply | undefined;
  waits: Readonly<Record<Wait, number>>;
}

/** Of a call that is over. */
export const NO_WAITS = Object.fromEntries(
  WAITS.map((wait) => [wait, Number.POSITIVE_INFINITY]),
) as CallStanding["waits"];
