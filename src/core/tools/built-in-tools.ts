// What the arguments of the service's own tools may be, whoever gives them: the model in a call, or whoever creates one.

export const DTMF_DIGITS = /^[0-9*#A-D]{1,64}$/;

/** A telephone number or a SIP address; which it must be is for the carrier to say. */
export const isTransferTarget = (target: unknown): target is string =>
  typeof target === "string" && target.trim() !== "" && target.length <= TARGET_CHARS_MAX;

const TARGET_CHARS_MAX = 256;
