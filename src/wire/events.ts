import type { EpochMs } from "../core/clocks.ts";
import type { Fields } from "./json.ts";
import type { WireEvent } from "./wire.ts";

// Events without data, allocated once, and the decoding of DTMF digits, which all wires share.

export const AUDIO: WireEvent = { kind: "audio" };
export const STOP: WireEvent = { kind: "stop" };
export const CLEARED: WireEvent = { kind: "cleared", playedMs: Number.NaN };
export const UNKNOWN_EVENT: WireEvent = { kind: "ignored", what: "unknown_event" };
const BAD_DIGIT: WireEvent = { kind: "ignored", what: "bad_digit" };

/** A DTMF event, or an ignored one where the digit is invalid. */
export function readDigit(fields: Fields, occurredAtMs: EpochMs): WireEvent {
  const digit = fields.get("digit");
  return typeof digit === "string" && /^[0-9*#A-D]$/.test(digit) ? { kind: "dtmf", digit, occurredAtMs } : BAD_DIGIT;
}
