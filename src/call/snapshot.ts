import type { CallState } from "./events.ts";
import type { ReplySnapshot } from "./reply/snapshot.ts";
import type { Turn } from "./turn-taking/turn.ts";

/** What a call may wait for, each until a moment of its own. */
const DEADLINES = [
  "max_duration",
  "goodbye",
  "stream",
  "speech",
  "turn",
  "preemptive",
  "dtmf",
  "inactivity",
  "reply",
] as const;
export type Deadline = (typeof DEADLINES)[number];

/**
 * How a call stands at one moment, for whoever wants to understand what it does. Times are ms of call time; of what is not
 * waited for they are Infinity.
 */
export interface CallSnapshot {
  ended: boolean;
  state: CallState;
  language: string;
  turn: Turn;
  reply: ReplySnapshot | undefined;
  deadlines: Readonly<Record<Deadline, number>>;
}

/** Of a call that is over. */
export const NO_DEADLINES = Object.fromEntries(
  DEADLINES.map((wait) => [wait, Number.POSITIVE_INFINITY]),
) as CallSnapshot["deadlines"];
