import { webhookMalformed } from "../../core/errors.ts";
import { isObject, parseObject } from "../../core/json.ts";
import { isCarrierId, plainCode, priceOf } from "../rest.ts";
import type { CarrierNotice, WebhookRequest } from "../telephony.ts";
import { plainText, sipHeaders, textOf } from "../webhooks.ts";
import { decodeClientState } from "./client-state.ts";
import { TRANSFER_OUTCOMES, telnyxOutcome } from "./outcomes.ts";
import { WIRE } from "./wire.ts";

// Telnyx's webhooks are JSON: https://developers.telnyx.com/docs/voice/programmable-voice/receiving-webhooks

type Members = Readonly<Record<string, unknown>>;

const STREAM_STATES = {
  "streaming.started": "started",
  "streaming.stopped": "stopped",
  "streaming.failed": "failed",
} as const;

const word = (value: unknown): string => (typeof value === "string" ? plainText(value) : "");

/**
 * Whether a webhook is about a call of this application. All applications of an account sign with one key. A webhook that names none is
 * about its call alone.
 */
export function isOfConnection({ body }: WebhookRequest, connectionId: string): boolean {
  const { data } = parseObject(textOf(body) ?? "") ?? {};
  const { connection_id: named } = isObject(data) && isObject(data.payload) ? data.payload : {};
  return typeof named !== "string" || named === "" || named === connectionId;
}

/** See `CarrierTelephony.readWebhook`. */
export function readTelnyxWebhook({ body }: WebhookRequest): CarrierNotice {
  const { data } = parseObject(textOf(body) ?? "") ?? {};
  if (!isObject(data) || typeof data.event_type !== "string") throw webhookMalformed(WIRE, "not an event");
  const { event_type: event, payload } = data;
  // Other products of the account may send their events to the same address.
  if (!event.startsWith("call.") && !event.startsWith("streaming.")) return { kind: "other" };
  if (!isObject(payload) || !isCarrierId(payload.call_control_id)) {
    throw webhookMalformed(WIRE, "call_control_id must be an id");
  }
  const { transferOf } = decodeClientState(payload.client_state);
  if (transferOf !== undefined) return readTargetLeg(event, payload, transferOf);
  return readCall(event, payload, payload.call_control_id);
}

function readCall(event: string, payload: Members, carrierCallId: string): CarrierNotice {
  switch (event) {
    case "call.initiated":
      if (payload.direction !== "incoming") return { kind: "initiated", carrierCallId };
      return {
        kind: "incoming",
        carrierCallId,
        from: word(payload.from),
        to: word(payload.to),
        headers: sipHeaders([...headersIn(payload.sip_headers), ...headersIn(payload.custom_headers)]),
      };
    case "call.answered":
      return { kind: "answered", carrierCallId, awaitsInstruction: false };
    case "call.hangup":
      return readHangup(payload, carrierCallId);
    case "call.cost":
      return readCost(payload, carrierCallId);
    case "streaming.started":
    case "streaming.stopped":
    case "streaming.failed":
      return { kind: "stream", carrierCallId, state: STREAM_STATES[event], ...connectOf(payload) };
    default:
      return { kind: "other" };
  }
}

const connectOf = ({ client_state: state }: Members): { connect?: number } => {
  const { connect } = decodeClientState(state);
  return connect === undefined ? {} : { connect };
};

/** The leg of a transfer's target is a call of its own, whose state names the call that is transferred. */
function readTargetLeg(event: string, payload: Members, carrierCallId: string): CarrierNotice {
  switch (event) {
    case "call.answered":
    case "call.bridged":
      return { kind: "transfer", carrierCallId, outcome: "answered" };
    case "call.hangup": {
      const outcome = telnyxOutcome(word(payload.hangup_cause), word(payload.sip_hangup_cause));
      return { kind: "transfer", carrierCallId, outcome: TRANSFER_OUTCOMES[outcome] };
    }
    default:
      return { kind: "other" };
  }
}

function readHangup(payload: Members, carrierCallId: string): CarrierNotice {
  const outcome = telnyxOutcome(word(payload.hangup_cause), word(payload.sip_hangup_cause));
  const code = outcome === "completed" ? undefined : plainCode(payload.hangup_cause);
  return { kind: "ended", carrierCallId, outcome, ...(code === undefined ? {} : { code }) };
}

/** The currency stands in the parts of the cost only: https://developers.telnyx.com/api-reference/callbacks/call-cost */
function readCost({ total_cost: total, cost_parts: parts, status }: Members, carrierCallId: string): CarrierNotice {
  const first: unknown = Array.isArray(parts) ? parts[0] : undefined;
  const price = status === "error" || !isObject(first) ? undefined : priceOf(total, first.currency);
  return price === undefined ? { kind: "other" } : { kind: "price", carrierCallId, price };
}

function headersIn(list: unknown): (readonly [string, string])[] {
  if (!Array.isArray(list)) return [];
  return list
    .filter(isObject)
    .flatMap(({ name, value }) =>
      typeof name === "string" && typeof value === "string" ? [[name, value] as const] : [],
    );
}
