import { type CallMs, callMs } from "../core/clocks.ts";
import type { CallState } from "./events.ts";
import type { ReplySnapshot } from "./reply/snapshot.ts";
import type { Turn } from "./turn-taking/turn-state.ts";

/** What a call may wait for; each has its own deadline. */
const DEADLINES = [
  "max_duration",
  "goodbye",
  "transfer",
  "hold",
  "recording",
  "stream",
  "speech",
  "turn",
  "preemptive",
  "passages",
  "dtmf",
  "interim",
  "inactivity",
  "wordless",
  "reply",
] as const;
export type Deadline = (typeof DEADLINES)[number];

/**
 * The state of a call at one moment, for diagnostics. Times are ms of call time; deadlines that are not set are
 * Infinity.
 */
export interface CallSnapshot {
  ended: boolean;
  state: CallState;
  language: string;
  turn: Turn;
  reply: ReplySnapshot | undefined;
  deadlines: Readonly<Record<Deadline, CallMs>>;
}

/** The deadlines of a call that has ended. */
export const NO_DEADLINES = Object.fromEntries(
  DEADLINES.map((wait) => [wait, callMs(Number.POSITIVE_INFINITY)]),
) as CallSnapshot["deadlines"];
