import type { PhoneRequest } from "../core/calls/phone-requests.ts";
import { DTMF_DIGITS_MAX } from "../core/limits/phone/phone-calls.ts";
import { DTMF_DIGITS } from "../core/tools/built-in-tools.ts";
import type { StoredPhoneCall } from "../store/telephony/phone-call-store.ts";
import { type DestinationRefusal, destinationRefusal, isSip, isSipAddress } from "./destinations.ts";
import type { CarrierAccess } from "./phone-calls.ts";

/** For the model, which may have chosen the target, and for programs. */
const TARGET_REASONS: Readonly<Record<DestinationRefusal, string>> = {
  malformed: "the target is neither a number in E.164 nor a SIP address",
  emergency: "emergency numbers are not called",
  invalid: "the target is no number of a country's numbering plan",
  premium: "premium-rate numbers are not called",
  shared_cost: "shared-cost numbers are not called",
  satellite: "numbers of satellite networks are not called",
  international: "numbers without a country are not called",
  special: "personal numbers, pagers and voicemail boxes are not called",
  country: "numbers of this country are not called",
};

/** The number that the user of a SIP address is, which a gateway may call; extensions of a few digits are none. */
function numberIn(target: string): string | undefined {
  const [, digits] = /^sips?:\+?([0-9]{7,15})@/i.exec(target) ?? [];
  return digits && `+${digits}`;
}

/** Why a request of a call is not carried out, whatever state the call is in; a sentence without numbers. */
export function requestRefusal(
  request: PhoneRequest,
  { facts }: StoredPhoneCall,
  { carrier, telephony }: CarrierAccess,
): string | undefined {
  switch (request.kind) {
    case "hang_up":
      return undefined;
    case "send_dtmf":
      return DTMF_DIGITS.test(request.digits)
        ? undefined
        : `the digits must be 1 to ${DTMF_DIGITS_MAX} of 0-9, A-D, * and #`;
    case "transfer": {
      const { target } = request;
      const number = isSip(target) ? numberIn(target) : target;
      if (isSip(target) && !isSipAddress(target)) return TARGET_REASONS.malformed;
      const own = facts.direction === "inbound" ? facts.to : facts.from;
      const refusal = number === undefined ? undefined : destinationRefusal(number, own, carrier);
      if (refusal !== undefined) return TARGET_REASONS[refusal];
      return isSip(target) ? telephony.missing.transfer_to_sip : undefined;
    }
  }
}
