// What a program asks of the worker of a live call, and what the worker answers.

/** `hold`: the caller hears hold audio, and the agent neither speaks nor hears, for `msMax` at most. `resume`: it is over. */
export type HoldRequest = { kind: "hold"; msMax: number } | { kind: "resume" };

/**
 * Why a request is refused. `not_live`: the media stream has not started, or the call is over. `ending`: the agent says goodbye.
 * `transferring`: the agent has asked for a transfer, or the carrier rings its target.
 */
export type HoldRefusal = "not_live" | "ending" | "transferring" | "on_hold" | "not_on_hold";

export type HoldOutcome = "done" | HoldRefusal;

/** Why a hold is over. `expired`: after its longest time. `goodbye`: the service ends the call, and the agent says so. */
export const HOLD_ENDS = ["requested", "expired", "transfer", "goodbye"] as const;
export type HoldEnd = (typeof HOLD_ENDS)[number];
