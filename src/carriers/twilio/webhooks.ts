import { lookUp } from "../rest.ts";
import type { CarrierNotice, WebhookRequest } from "../telephony.ts";
import { WebhookForm } from "../webhooks.ts";
import { TWILIO_DIAL_OUTCOMES, twilioOutcome } from "./outcomes.ts";
import { WIRE } from "./wire.ts";

// Twilio's webhooks are forms: https://www.twilio.com/docs/voice/twiml#request-parameters

/** `StreamEvent`: https://www.twilio.com/docs/voice/twiml/stream#statuscallback */
const STREAM_STATES = { "stream-started": "started", "stream-stopped": "stopped", "stream-error": "failed" } as const;

/** See `CarrierTelephony.readWebhook`. */
export function readTwilioWebhook({ body }: WebhookRequest): CarrierNotice {
  const form = new WebhookForm(WIRE, body);
  const carrierCallId = form.id("CallSid");
  const streamEvent = form.text("StreamEvent");
  if (streamEvent !== "") {
    const state = lookUp(STREAM_STATES, streamEvent);
    return state === undefined ? { kind: "other" } : { kind: "stream", carrierCallId, state };
  }
  const dialStatus = form.text("DialCallStatus");
  if (dialStatus !== "") {
    return { kind: "transfer", carrierCallId, outcome: lookUp(TWILIO_DIAL_OUTCOMES, dialStatus) ?? "failed" };
  }
  const transferred = form.text("ParentCallSid");
  return transferred === "" ? readStatus(form, carrierCallId) : readTarget(form);
}

/** The leg that a transfer dials is a call of its own. What ends it is reported with the end of the dial. */
function readTarget(form: WebhookForm): CarrierNotice {
  if (form.text("CallStatus") !== "in-progress") return { kind: "other" };
  return { kind: "transfer", carrierCallId: form.id("ParentCallSid"), outcome: "answered" };
}

/**
 * `CallbackSource` tells a status callback from a request for a document:
 * https://www.twilio.com/docs/voice/twiml/number#attributes-status-callback
 */
function readStatus(form: WebhookForm, carrierCallId: string): CarrierNotice {
  const status = form.text("CallStatus");
  const sipCode = form.code("SipResponseCode");
  const outcome = twilioOutcome(status, sipCode);
  if (outcome !== undefined) {
    const code = outcome === "completed" ? undefined : (sipCode ?? form.code("ErrorCode"));
    return { kind: "ended", carrierCallId, outcome, ...(code === undefined ? {} : { code }) };
  }
  const isStatusCallback = form.text("CallbackSource") !== "";
  const isInbound = form.text("Direction") === "inbound";
  if (isInbound && !isStatusCallback && status === "ringing") {
    const headers = form.headers("SipHeader_");
    return { kind: "incoming", carrierCallId, from: form.text("From"), to: form.text("To"), headers };
  }
  if (isInbound) return { kind: "other" };
  switch (status) {
    case "queued":
    case "initiated":
      return { kind: "initiated", carrierCallId };
    case "ringing":
      return { kind: "ringing", carrierCallId };
    case "in-progress":
      return { kind: "answered", carrierCallId, awaitsInstruction: !isStatusCallback };
    default:
      return { kind: "other" };
  }
}
