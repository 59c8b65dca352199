import type { Call } from "./columns.tsx";

type EndReason = NonNullable<Call["endReason"]>;

/** As objects, so that the compiler finds one that is missing when the API has another. */
const REASONS: Readonly<Record<EndReason, true>> = {
  caller_hangup: true,
  agent_hangup: true,
  api_hangup: true,
  transferred: true,
  max_duration: true,
  inactivity: true,
  spend_limit: true,
  connection_lost: true,
  unreachable: true,
  token_expired: true,
  busy: true,
  no_answer: true,
  declined: true,
  invalid_number: true,
  carrier_failed: true,
  no_capacity: true,
  provider_error: true,
  protocol_error: true,
  audio_flood: true,
  message_flood: true,
  slow_consumer: true,
  drain_timeout: true,
  worker_lost: true,
  unknown: true,
};
const TYPES: Readonly<Record<Call["connectionType"], true>> = {
  carrier_a: true,
  carrier_b: true,
  carrier_c: true,
  websocket: true,
  webrtc: true,
};

export const END_REASONS = Object.keys(REASONS);
export const CONNECTION_TYPES = Object.keys(TYPES);
