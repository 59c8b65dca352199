import { type CountryCode, type NumberType, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { SIP_ADDRESS_CHARS_MAX } from "../core/limits/phone/phone-calls.ts";

// Which numbers may be called. Kinds and countries of numbers are those of Google's libphonenumber, whose metadata is from the numbering
// plans of the ITU's members: https://github.com/google/libphonenumber. No carrier is asked.

/** What bounds the destinations of a carrier's calls. */
export interface DestinationRules {
  /** ISO 3166-1 alpha-2 codes; undefined for the country of the number that calls. */
  allowedCountries?: readonly string[] | undefined;
  /** Numbers, or beginnings of them, that are allowed whatever they are. */
  allowedNumbers?: readonly string[] | undefined;
}

/** Why a number is not called. */
export const DESTINATION_REFUSALS = [
  "malformed",
  "emergency",
  "invalid",
  "premium",
  "shared_cost",
  "satellite",
  "international",
  "special",
  "country",
] as const;
export type DestinationRefusal = (typeof DESTINATION_REFUSALS)[number];

/** Continues the name of the field with the number. */
export const REFUSAL_RULES: Readonly<Record<DestinationRefusal, string>> = {
  malformed: "must be a number in E.164, such as +4930123456",
  emergency: "must not be an emergency number",
  invalid: "must be a number of a country's numbering plan: this one is too short, too long or not assigned",
  premium: "must not be a premium-rate number, unless allowedNumbers of the carrier has it",
  shared_cost: "must not be a shared-cost number, unless allowedNumbers of the carrier has it",
  satellite: "must not be a number of a satellite network, unless allowedNumbers of the carrier has it",
  international: "must not be a number without a country, unless allowedNumbers of the carrier has it",
  special: "must not be a personal number, a pager or a voicemail box, unless allowedNumbers of the carrier has it",
  country: "must be a number of a country that allowedCountries of the carrier has, or that of the number that calls",
};

/** E.164, section 6.2.1: at most 15 digits. The shortest that a list may allow has two. */
const E164 = /^\+[1-9][0-9]{1,14}$/;

/** Codes of satellite networks: Inmarsat, and the Global Mobile Satellite System (ITU-T E.164, list of assigned codes). */
const SATELLITE_CODES = ["870", "881"];
/** Networks of several countries, of which some are of satellites; universal personal telecommunications; freephone. */
const SHARED_CODES = ["878", "882", "883", "888", "800"];

/** What follows a country's code in numbers of emergency services that carriers route nowhere, or to the wrong place. */
const EMERGENCY_NUMBERS = ["000", "100", "101", "102", "103", "104", "108", "110", "111", "112", "113", "114", "115"];
const MORE_EMERGENCY_NUMBERS = ["116", "117", "118", "119", "120", "122", "123", "190", "191", "192", "193", "911"];
const EMERGENCY = new Set([...EMERGENCY_NUMBERS, ...MORE_EMERGENCY_NUMBERS, "992", "994", "995", "997", "998", "999"]);

const TYPE_REFUSALS: Readonly<Partial<Record<NonNullable<NumberType>, DestinationRefusal>>> = {
  PREMIUM_RATE: "premium",
  SHARED_COST: "shared_cost",
  PERSONAL_NUMBER: "special",
  PAGER: "special",
  VOICEMAIL: "special",
};

/** The country of a number in E.164, ISO 3166-1 alpha-2; undefined for one that has none. */
export const countryOf = (number: string): CountryCode | undefined => parsePhoneNumberFromString(number)?.country;

/** Why `from` may not call `to`, by these rules; undefined where it may. Both are texts of users. */
export function destinationRefusal(to: string, from: string, rules: DestinationRules): DestinationRefusal | undefined {
  if (!E164.test(to)) return "malformed";
  if (rules.allowedNumbers?.some((beginning) => to.startsWith(beginning))) return undefined;
  const kind = kindRefusal(to);
  if (kind !== undefined) return kind;
  const country = countryOf(to);
  const own = countryOf(from);
  const allowed = rules.allowedCountries ?? (own === undefined ? [] : [own]);
  return country !== undefined && allowed.includes(country) ? undefined : "country";
}

function kindRefusal(to: string): DestinationRefusal | undefined {
  const digits = to.slice(1);
  if (SATELLITE_CODES.some((code) => digits.startsWith(code))) return "satellite";
  if (digits.startsWith("979")) return "premium";
  if (digits.startsWith("808")) return "shared_cost";
  if (SHARED_CODES.some((code) => digits.startsWith(code))) return "international";
  const number = parsePhoneNumberFromString(to);
  if (number === undefined) return EMERGENCY.has(digits) ? "emergency" : "invalid";
  if (EMERGENCY.has(number.nationalNumber)) return "emergency";
  // With a trunk prefix, as in +44 (0)20, it is not E.164, and carriers read it differently.
  if (!number.isValid() || number.number !== to) return "invalid";
  const type = number.getType();
  // A number whose kind is unknown may be of any.
  return type === undefined ? "invalid" : TYPE_REFUSALS[type];
}

/**
 * A user, a host and a port, and the transport as the only parameter. Nothing can be escaped, and no header can be added (RFC 3261,
 * section 19.1.1).
 */
const SIP_ADDRESS =
  /^sips?:[A-Za-z0-9._+~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9-]{1,63}(?::[0-9]{1,5})?(?:;transport=(?:udp|tcp|tls))?$/;

/** Whether a target is meant as a SIP address. */
export const isSip = (target: string): boolean => /^sips?:/i.test(target);

/** Whether a SIP address has nothing but a user, a host, a port and a transport. */
export function isSipAddress(target: string): boolean {
  if (target.length > SIP_ADDRESS_CHARS_MAX || !SIP_ADDRESS.test(target)) return false;
  const port = /:([0-9]{1,5})(?:;|$)/.exec(target.slice(target.indexOf("@")))?.[1];
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}
