import type { EndReason } from "../../core/calls/reasons.ts";

/** The close codes sent to peers: RFC 6455, section 7.4.1. */
const CLOSE_NORMAL = 1_000;
const CLOSE_GOING_AWAY = 1_001;
export const CLOSE_UNSUPPORTED_DATA = 1_003;
export const CLOSE_POLICY_VIOLATION = 1_008;
export const CLOSE_MESSAGE_TOO_BIG = 1_009;
export const CLOSE_INTERNAL_ERROR = 1_011;

const CODES: Readonly<Partial<Record<EndReason, number>>> = {
  connection_lost: CLOSE_POLICY_VIOLATION,
  protocol_error: CLOSE_POLICY_VIOLATION,
  audio_flood: CLOSE_POLICY_VIOLATION,
  message_flood: CLOSE_POLICY_VIOLATION,
  slow_consumer: CLOSE_POLICY_VIOLATION,
  provider_error: CLOSE_INTERNAL_ERROR,
  worker_lost: CLOSE_INTERNAL_ERROR,
  drain_timeout: CLOSE_GOING_AWAY,
};

/** The close code for the peer of a call with this end reason; 1000, normal closure, for reasons without their own. */
export const closeCodeOf = (reason: EndReason): number => CODES[reason] ?? CLOSE_NORMAL;
