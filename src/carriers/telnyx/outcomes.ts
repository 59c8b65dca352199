import type { PhoneCallOutcome } from "../../core/calls/phone.ts";
import { lookUp } from "../rest.ts";

// What Telnyx's hangup causes mean for a call. The causes are those of `call.hangup` in its OpenAPI document and its SDK for Node:
// https://developers.telnyx.com/api-reference/callbacks/call-hangup

const OUTCOMES: Readonly<Record<string, PhoneCallOutcome>> = {
  normal_clearing: "completed",
  time_limit: "completed",
  user_busy: "busy",
  no_answer: "no_answer",
  timeout: "no_answer",
  call_rejected: "declined",
  not_found: "invalid_number",
  originator_cancel: "canceled",
  unspecified: "failed",
};

/** The SIP code, `sip_hangup_cause`, where the cause says nothing: RFC 3261, section 21. */
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
  487: "canceled",
};

/** How a call ended. A cause that is new counts as `failed`. */
export function telnyxOutcome(cause: string, sipCode: string): PhoneCallOutcome {
  const outcome = lookUp(OUTCOMES, cause) ?? "failed";
  return outcome === "failed" ? (lookUp(SIP_OUTCOMES, sipCode) ?? "failed") : outcome;
}

/** What became of a transfer, by the end of the target's leg. */
export const TRANSFER_OUTCOMES: Readonly<Record<PhoneCallOutcome, "completed" | "busy" | "no_answer" | "failed">> = {
  completed: "completed",
  busy: "busy",
  no_answer: "no_answer",
  declined: "failed",
  invalid_number: "failed",
  canceled: "failed",
  failed: "failed",
};

/** Errors of a request that was to place a call: https://developers.telnyx.com/development/api-fundamentals/api-errors */
export const TELNYX_DIAL_REFUSALS: Readonly<Record<string, PhoneCallOutcome>> = {
  // Invalid phone number.
  10002: "invalid_number",
};
