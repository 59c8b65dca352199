import { type LiveEvent, LOST } from "./event.ts";

/** What a live call does, as `calls.activity` has it. */
export interface CallActivity {
  id: string;
  /** Such as `listening`. */
  state: string;
  agentTurns: number;
  callerTurns: number;
  /** How long the caller waited for the latest reply; null before the first. */
  turnDelayMs: number | null;
}

export type Activities = ReadonlyMap<string, CallActivity>;

export const NO_ACTIVITIES: Activities = new Map();

/**
 * What live calls do, by their ids, after an event: `calls.activity` says it of some, the end of a call removes it. Where events were
 * lost, calls may have ended without it: the service then says anew what all do.
 */
export function withActivity(known: Activities, { type, data }: LiveEvent): Activities {
  if (type === LOST.type) return NO_ACTIVITIES;
  const { calls, call } = (data ?? {}) as { calls?: unknown; call?: { id?: unknown } };
  if (type === "calls.activity" && Array.isArray(calls)) {
    return new Map([...known, ...calls.filter(isActivity).map((one) => [one.id, one] as const)]);
  }
  const endedId = call?.id;
  if (type !== "call.ended" || typeof endedId !== "string" || !known.has(endedId)) return known;
  return new Map([...known].filter(([id]) => id !== endedId));
}

const isActivity = (value: unknown): value is CallActivity =>
  typeof (value as { id?: unknown } | null)?.id === "string";
