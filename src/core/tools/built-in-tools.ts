import { HOLD_S_MAX, HOLD_S_MIN } from "../limits/calls/calls.ts";
import { DTMF_DIGITS_MAX } from "../limits/phone/phone-calls.ts";

// The valid arguments of built-in tools, for those that the LLM chooses and for those in the configuration of a call.

/** Also of the digits of `POST /calls/{id}/dtmf`. */
export const DTMF_DIGITS = new RegExp(`^[0-9*#A-D]{1,${DTMF_DIGITS_MAX}}$`);

/** A telephone number or a SIP address; the carrier decides which of them it accepts. */
export const isTransferTarget = (target: unknown): target is string =>
  typeof target === "string" && target.trim() !== "" && target.length <= TARGET_CHARS_MAX;

const TARGET_CHARS_MAX = 256;

/** For how long a caller is put on hold, seconds. */
export const isHoldSeconds = (seconds: unknown): seconds is number =>
  Number.isInteger(seconds) && Number(seconds) >= HOLD_S_MIN && Number(seconds) <= HOLD_S_MAX;
