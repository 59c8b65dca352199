// What telephone calls have that others have not.

export const CALL_DIRECTIONS = ["inbound", "outbound"] as const;
export type CallDirection = (typeof CALL_DIRECTIONS)[number];

/**
 * How a telephone call ended by the carrier's report: `completed` after it was answered, the others before. `canceled`: the service
 * ended it before it was answered. `failed`: the carrier could not place it.
 */
export const PHONE_CALL_OUTCOMES = [
  "completed",
  "busy",
  "no_answer",
  "declined",
  "invalid_number",
  "canceled",
  "failed",
] as const;
export type PhoneCallOutcome = (typeof PHONE_CALL_OUTCOMES)[number];

/** The telephone side of a call, as its record shows it. */
export interface PhoneCallFacts {
  direction: CallDirection;
  /**
   * E.164 where the carrier gave that; otherwise as it came, such as `anonymous` or a SIP address, and at most
   * PHONE_ADDRESS_CHARS_MAX characters of it.
   */
  from: string;
  to: string;
  /** Stays when the carrier or the number is deleted. */
  carrierId?: string;
  phoneNumberId?: string;
  /** SIP headers of an inbound call, by lower-case names: at most 16 of at most 256 characters. */
  headers?: Readonly<Record<string, string>>;
  /** The carrier's own code of why the call ended or was not placed. */
  carrierCode?: string;
}

/** What a carrier charges for a call. */
export interface CarrierPrice {
  /** Not negative. */
  readonly amount: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
}
