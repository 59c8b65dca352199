import type { EndReason } from "../../src/core/calls/reasons.ts";

const END_TEXTS: Readonly<Record<EndReason, string>> = {
  caller_hangup: "You ended the call.",
  connection_lost: "The connection was lost.",
  unreachable: "No audio could be exchanged with the service.",
  agent_hangup: "The agent ended the call.",
  api_hangup: "The call was ended from outside, by the API.",
  max_duration: "The call has reached its longest duration.",
  inactivity: "The call ended after a long silence.",
  spend_limit: "The call has reached its limit of cost.",
  transferred: "The agent transferred the call.",
  token_expired: "The call was not connected in time.",
  protocol_error: "The service did not understand this page, and ended the call.",
  audio_flood: "This page sent too much audio, and the service ended the call.",
  message_flood: "This page sent too many messages, and the service ended the call.",
  slow_consumer: "The connection was too slow for the agent's audio.",
  provider_error: "The agent's speech or language service failed.",
  drain_timeout: "The service was stopped.",
  busy: "The line was busy.",
  no_answer: "The call was not answered.",
  declined: "The call was declined.",
  invalid_number: "The number cannot be reached.",
  carrier_failed: "The carrier could not connect the call.",
  no_capacity: "The service had no room for the call.",
  unknown: "What became of the call is not known.",
  worker_lost: "The service had a fault, and the call was lost.",
};

/** What is said at the end of a call. After an error of the SDK its own sentence says why. */
export const endTextOf = (reason: string): string =>
  Object.hasOwn(END_TEXTS, reason) ? END_TEXTS[reason as EndReason] : "The call has ended.";
