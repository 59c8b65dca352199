import type { PhoneCallOutcome } from "../../core/calls/phone.ts";
import { lookUp } from "../rest.ts";

// What Plivo's statuses and hangup causes mean for a call.

/** `CallStatus` of a call that is over: https://www.plivo.com/docs/voice/xml/request */
const OUTCOMES: Readonly<Record<string, PhoneCallOutcome>> = {
  completed: "completed",
  busy: "busy",
  "no-answer": "no_answer",
  timeout: "no_answer",
  cancel: "canceled",
  failed: "failed",
};

/**
 * `HangupCauseCode` of calls that were certainly not answered, where it says more than the status:
 * https://www.plivo.com/docs/voice/troubleshooting/hangup-causes
 */
const CAUSE_OUTCOMES: Readonly<Record<string, PhoneCallOutcome>> = {
  // Canceled by the API; invalid address; no answer; busy line; rejected; forbidden; unallocated.
  1000: "canceled",
  2000: "invalid_number",
  3000: "no_answer",
  3010: "busy",
  3020: "declined",
  3040: "declined",
  3050: "invalid_number",
  // Busy everywhere; declined; does not exist anywhere; ring timeout.
  3100: "busy",
  3110: "declined",
  3120: "invalid_number",
  6010: "no_answer",
};

/** How a call ended; undefined for the status of a call that is not over. */
export function plivoOutcome(status: string, causeCode = ""): PhoneCallOutcome | undefined {
  const outcome = lookUp(OUTCOMES, status);
  return outcome === undefined ? undefined : (lookUp(CAUSE_OUTCOMES, causeCode) ?? outcome);
}

/** `DialStatus`: https://www.plivo.com/docs/voice/use-cases/dial-status-reporting */
export const PLIVO_DIAL_OUTCOMES = {
  completed: "completed",
  busy: "busy",
  "no-answer": "no_answer",
  timeout: "no_answer",
  cancel: "failed",
  failed: "failed",
} as const;
