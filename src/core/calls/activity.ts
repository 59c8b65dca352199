import type { AccountId, CallId } from "../ids.ts";
import type { LiveState } from "../metrics/worker-readings.ts";

/** What a live call does, for those who look at it. It has no words. */
export interface CallActivity {
  callId: CallId;
  accountId: AccountId;
  state: LiveState;
  /** Turns of the agent and of the caller that are complete. */
  agentTurns: number;
  callerTurns: number;
  /** From the caller's last voiced frame to the first frame of the latest reply to it, ms; absent before the first. */
  turnDelayMs?: number | undefined;
}

/** Whether somebody who has seen one would see a difference. */
export const isSameActivity = (one: CallActivity, other: CallActivity): boolean =>
  one.state === other.state &&
  one.agentTurns === other.agentTurns &&
  one.callerTurns === other.callerTurns &&
  one.turnDelayMs === other.turnDelayMs;
