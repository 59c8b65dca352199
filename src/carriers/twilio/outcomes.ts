import type { PhoneCallOutcome } from "../../core/calls/phone.ts";
import { lookUp } from "../rest.ts";

// What Twilio's statuses and codes mean for a call.

/** `CallStatus` of a call that is over: https://www.twilio.com/docs/voice/api/call-resource#call-status-values */
const OUTCOMES: Readonly<Record<string, PhoneCallOutcome>> = {
  completed: "completed",
  busy: "busy",
  "no-answer": "no_answer",
  failed: "failed",
  canceled: "canceled",
};

/**
 * The far end's answer, `SipResponseCode` of a status callback, where it says more than the status. The codes are those of RFC 3261,
 * section 21, and of RFC 5589: https://www.twilio.com/docs/voice/twiml/number#attributes-status-callback
 */
const SIP_OUTCOMES: Readonly<Record<string, PhoneCallOutcome>> = {
  404: "invalid_number",
  410: "invalid_number",
  484: "invalid_number",
  604: "invalid_number",
  486: "busy",
  600: "busy",
  603: "declined",
  607: "declined",
  408: "no_answer",
  480: "no_answer",
};

/** How a call ended; undefined for the status of a call that is not over. */
export function twilioOutcome(status: string, sipCode = ""): PhoneCallOutcome | undefined {
  const outcome = lookUp(OUTCOMES, status);
  if (outcome === undefined || outcome === "completed" || outcome === "canceled") return outcome;
  return lookUp(SIP_OUTCOMES, sipCode) ?? outcome;
}

/** `DialCallStatus` of the target's leg: https://www.twilio.com/docs/voice/twiml/dial#dialcallstatus-values */
export const TWILIO_DIAL_OUTCOMES = {
  answered: "answered",
  completed: "completed",
  busy: "busy",
  "no-answer": "no_answer",
  failed: "failed",
  canceled: "failed",
} as const;

/** Errors of a request that was to place a call: https://www.twilio.com/docs/api/errors */
export const TWILIO_DIAL_REFUSALS: Readonly<Record<string, PhoneCallOutcome>> = {
  // Invalid `To`, no number, not reachable, not a valid number, and a number that cannot be called.
  21201: "invalid_number",
  21211: "invalid_number",
  21214: "invalid_number",
  21217: "invalid_number",
  21401: "invalid_number",
  13223: "invalid_number",
  13224: "invalid_number",
};
