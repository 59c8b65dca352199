import { lookUp } from "../rest.ts";
import type { CarrierNotice, WebhookRequest } from "../telephony.ts";
import { WebhookForm } from "../webhooks.ts";
import { e164Of, plivoPrice } from "./numbers.ts";
import { PLIVO_DIAL_OUTCOMES, plivoOutcome } from "./outcomes.ts";
import { WIRE } from "./wire.ts";

// Plivo's webhooks are forms: https://www.plivo.com/docs/voice/concepts/callbacks

/** `Event` of a stream's callback; its pages have two names for each: https://www.plivo.com/docs/voice-agents/audio-streaming/xml/stream */
const STREAM_STATES = {
  StartStream: "started",
  started: "started",
  StopStream: "stopped",
  stopped: "stopped",
  DroppedStream: "failed",
  failed: "failed",
} as const;

/** See `CarrierTelephony.readWebhook`. */
export function readPlivoWebhook({ method, url, body }: WebhookRequest): CarrierNotice {
  const form = new WebhookForm(WIRE, method === "GET" ? Buffer.from(url.split("?", 2)[1] ?? "") : body);
  const carrierCallId = form.id("CallUUID");
  if (form.text("StreamID") !== "") {
    const state = lookUp(STREAM_STATES, form.text("Event"));
    return state === undefined ? { kind: "other" } : { kind: "stream", carrierCallId, state };
  }
  const dialAction = form.text("DialAction");
  if (dialAction !== "") return dialAction === "answer" ? answeredTransfer(carrierCallId) : { kind: "other" };
  const dialStatus = form.text("DialStatus");
  if (dialStatus !== "") {
    return { kind: "transfer", carrierCallId, outcome: lookUp(PLIVO_DIAL_OUTCOMES, dialStatus) ?? "failed" };
  }
  return readStatus(form, carrierCallId);
}

const answeredTransfer = (carrierCallId: string): CarrierNotice => ({
  kind: "transfer",
  carrierCallId,
  outcome: "answered",
});

/** https://www.plivo.com/docs/voice/xml/request */
function readStatus(form: WebhookForm, carrierCallId: string): CarrierNotice {
  const status = form.text("CallStatus");
  const event = form.text("Event");
  const code = form.code("HangupCauseCode");
  const outcome = plivoOutcome(status, code);
  if (outcome !== undefined) {
    const price = plivoPrice(form.text("TotalCost"), [form.text("From"), form.text("To")]);
    return {
      kind: "ended",
      carrierCallId,
      outcome,
      ...(code === undefined || outcome === "completed" ? {} : { code }),
      ...(price === undefined ? {} : { price }),
    };
  }
  // Other elements' requests, such as those of an action, have another event.
  if (event !== "StartApp" && event !== "Ring") return { kind: "other" };
  if (form.text("Direction") === "inbound") return readIncoming(form, carrierCallId, event);
  if (status === "ringing") return { kind: "ringing", carrierCallId };
  return status === "in-progress" && event === "StartApp"
    ? { kind: "answered", carrierCallId, awaitsInstruction: true }
    : { kind: "other" };
}

const readIncoming = (form: WebhookForm, carrierCallId: string, event: string): CarrierNotice =>
  event === "StartApp"
    ? {
        kind: "incoming",
        carrierCallId,
        from: e164Of(form.text("From")),
        to: e164Of(form.text("To")),
        headers: form.headers("X-PH-"),
      }
    : { kind: "other" };
