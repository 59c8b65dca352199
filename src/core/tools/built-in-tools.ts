// The valid arguments of built-in tools, for those that the LLM chooses and for those in the configuration of a call.

export const DTMF_DIGITS = /^[0-9*#A-D]{1,64}$/;

/** A telephone number or a SIP address; the carrier decides which of them it accepts. */
export const isTransferTarget = (target: unknown): target is string =>
  typeof target === "string" && target.trim() !== "" && target.length <= TARGET_CHARS_MAX;

const TARGET_CHARS_MAX = 256;
