import type { EndReason } from "../core/call-spec.ts";

/** What a peer is told when its socket is closed: RFC 6455, section 7.4.1. */
const CLOSE_NORMAL = 1_000;
const CLOSE_GOING_AWAY = 1_001;
export const CLOSE_WRONG_DATA = 1_003;
export const CLOSE_POLICY = 1_008;
export const CLOSE_TOO_LARGE = 1_009;
export const CLOSE_OUR_FAULT = 1_011;

const CODES: Readonly<Partial<Record<EndReason, number>>> = {
  connection_lost: CLOSE_POLICY,
  protocol_error: CLOSE_POLICY,
  audio_flood: CLOSE_POLICY,
  message_flood: CLOSE_POLICY,
  slow_consumer: CLOSE_POLICY,
  provider_error: CLOSE_OUR_FAULT,
  worker_lost: CLOSE_OUR_FAULT,
  drain_timeout: CLOSE_GOING_AWAY,
};

export const closeCodeOf = (reason: EndReason): number => CODES[reason] ?? CLOSE_NORMAL;
