import type { CallInstruction, DialOrder } from "../carriers/telephony.ts";
import { TRANSFER_RING_MS_MAX } from "../core/limits/phone/phone-calls.ts";
import type { Carrier } from "../store/telephony/carrier-store.ts";
import type { StoredPhoneCall } from "../store/telephony/phone-call-store.ts";
import type { PhoneNumber } from "../store/telephony/phone-number-store.ts";
import type { PhoneCallState } from "./machine/state.ts";

// What the carrier is asked for, of one call. The addresses of a call's webhooks are below `/telephony/{webhookKey}/calls/{callId}`.

/** What a caller hears who is not connected. */
const REFUSAL_TEXT = "We cannot take your call at present. Please call again later.";

/** The state of a call as it is stored. */
export const stateOf = ({ state }: Pick<StoredPhoneCall, "state">): PhoneCallState => state as PhoneCallState;

/** The addresses that the carrier uses for this call. */
export const callUrlOf = (
  publicUrl: string,
  { webhookKey }: Carrier,
  { callId }: StoredPhoneCall,
  path: string,
): string => `${publicUrl}/telephony/${webhookKey}/calls/${callId}/${path}`;

export function dialOrderOf(publicUrl: string, carrier: Carrier, call: StoredPhoneCall): DialOrder {
  const { callId, facts } = call;
  return {
    callId,
    to: facts.to,
    from: facts.from,
    ringMsMax: stateOf(call).ringMsMax,
    urls: {
      voice: callUrlOf(publicUrl, carrier, call, "voice"),
      status: callUrlOf(publicUrl, carrier, call, "status"),
    },
  };
}

/** The transfer that is going on, with our own number as the caller's: carriers refuse numbers that the account does not have. */
export function transferOf(
  publicUrl: string,
  carrier: Carrier,
  call: StoredPhoneCall,
  transfer: number,
  target: string,
): CallInstruction {
  const { direction, from, to } = call.facts;
  return {
    kind: "transfer",
    transfer: {
      target,
      from: direction === "inbound" ? to : from,
      ringMsMax: TRANSFER_RING_MS_MAX,
      resultUrl: callUrlOf(publicUrl, carrier, call, `transfer/${transfer}`),
    },
  };
}

export const refusalOf = (number: Pick<PhoneNumber, "refusalText"> | undefined): CallInstruction => ({
  kind: "refuse",
  text: number?.refusalText ?? REFUSAL_TEXT,
  ...(number?.refusalText === undefined && { language: "en-GB" }),
  reason: "busy",
});
