import { priceOf } from "../rest.ts";
import type { CarrierPrice } from "../telephony.ts";

/** A number as Plivo writes it, in E.164; any other text, such as `anonymous` or a SIP address, as it is. */
export const e164Of = (text: string): string => (/^[1-9][0-9]{6,14}$/.test(text) ? `+${text}` : text);

/**
 * Plivo's amounts have no currency. Accounts are billed in US dollars, but for those of India, whose calls stay in India
 * (https://www.plivo.com/docs/voice/concepts/india-calling): for a call between two numbers of that country the price is not known.
 */
export const plivoPrice = (amount: unknown, numbers: readonly unknown[]): CarrierPrice | undefined =>
  numbers.every((number) => typeof number === "string" && /^\+?91/.test(number)) ? undefined : priceOf(amount, "USD");
