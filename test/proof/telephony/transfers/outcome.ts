import {
  RETURN_TRIES_MAX,
  STREAM_CONNECT_MS_MAX,
  STREAM_REPORT_MS_MAX,
  TRANSFER_RETURN_MS_MAX,
} from "../../../../src/core/limits/phone/phone-calls.ts";

/** How long a caller may be connected to nothing: as long as the service tries to connect a stream again. */
export const EMPTY_MS_MAX = (RETURN_TRIES_MAX + 1) * (STREAM_CONNECT_MS_MAX + STREAM_REPORT_MS_MAX);
/** How long a caller may wait for the target or the agent: the longest transfer, and the time that the agent needs to speak. */
export const WAIT_MS_MAX = TRANSFER_RETURN_MS_MAX + 20_000;

/** What a caller has, by the carrier's side alone, some time after a transfer was ordered. */
export interface CallerEvidence {
  /** The target has answered. */
  readonly hasTarget: boolean;
  /** The agent has spoken again. */
  readonly hasAgent: boolean;
  /** The line was ended, and not by the caller. */
  readonly isEnded: boolean;
  /** The service has asked the carrier for that, by a request or a document. */
  readonly isHungUp: boolean;
  /** It has given the carrier a text that explains it. */
  readonly hasText: boolean;
  /** The longest time in which the line was connected to nothing, ms. */
  readonly emptyMs: number;
  /** Since the transfer was ordered, ms. */
  readonly waitMs: number;
}

/**
 * `target`, `agent`: the one with which the caller speaks. `text`: heard a refusal. `carrier`: the carrier has ended the call on its own,
 * because its webhook got no answer. `worker`: the call has ended because its worker was lost, which
 * no trial does on purpose. `lost`: in silence, or hung up by the service.
 */
export const OUTCOMES = ["target", "agent", "text", "carrier", "worker", "lost"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Undefined while it is not decided. */
export function outcomeOf(evidence: CallerEvidence): Outcome | undefined {
  const { hasTarget, hasAgent, isEnded, isHungUp, hasText, emptyMs, waitMs } = evidence;
  if (hasTarget) return "target";
  if (isEnded) return hasText ? "text" : isHungUp ? "lost" : "carrier";
  if (hasAgent) return "agent";
  return emptyMs > EMPTY_MS_MAX || waitMs > WAIT_MS_MAX ? "lost" : undefined;
}
