import type { EndReason } from "../../core/calls/reasons.ts";
import {
  CLOSE_GOING_AWAY,
  CLOSE_INTERNAL_ERROR,
  CLOSE_NORMAL,
  CLOSE_POLICY_VIOLATION,
} from "../transport/close-codes.ts";

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
