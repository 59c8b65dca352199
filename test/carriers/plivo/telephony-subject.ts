import { PLIVO_TELEPHONY } from "../../../src/carriers/plivo/telephony.ts";
import type { SampleWebhook, TelephonyUnderTest } from "../../support/telephony/telephony-under-test.ts";
import { hmac } from "../../support/wires/signatures.ts";

const CALL = "64d3290a-87a6-46b4-a6e2-20f5f4e07a02";
const CREDENTIALS = { authId: "MANWVLYTK4ZWU1YTY4ZT", authToken: "YjM2NzQ4NDFiMGE3NGU1OWE4ZGMzZTMxZjk3YWM3" };
const VOICE_URL = "https://api.example.com/telephony/k3y_-/voice";
const NONCE = "37300338173920782155";

const formOf = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

/** Plivo writes numbers without the plus: https://www.plivo.com/docs/voice/xml/request */
const INBOUND = {
  CallUUID: CALL,
  From: "14155550123",
  To: "442079460123",
  CallerName: "+14155550123",
  Direction: "inbound",
  ParentAuthID: CREDENTIALS.authId,
  SessionStart: "2026-11-27 12:00:00.910772",
};
const OUTBOUND = { ...INBOUND, Direction: "outbound", RequestUUID: CALL, ALegUUID: CALL, ALegRequestUUID: CALL };

const hangup = (
  status: string,
  [code, name]: readonly [string, string],
  outcome: "completed" | "busy" | "no_answer" | "declined" | "invalid_number" | "canceled" | "failed",
): SampleWebhook => ({
  name: `a call that ended: ${status}, ${name}`,
  body: formOf({
    ...OUTBOUND,
    Event: "Hangup",
    CallStatus: status,
    HangupCauseCode: code,
    HangupCauseName: name,
    HangupSource: "Callee",
    Duration: "66",
    BillDuration: "120",
    BillRate: "0.005",
    TotalCost: "0.01000",
  }),
  notice: {
    kind: "ended",
    carrierCallId: CALL,
    outcome,
    ...(outcome === "completed" ? {} : { code }),
    price: { amount: 0.01, currency: "USD" },
  },
});

const WEBHOOKS: readonly SampleWebhook[] = [
  {
    name: "an inbound call",
    body: formOf({ ...INBOUND, CallStatus: "ringing", Event: "StartApp", "X-PH-Order": "A17" }),
    notice: {
      kind: "incoming",
      carrierCallId: CALL,
      from: "+14155550123",
      to: "+442079460123",
      headers: { order: "A17" },
    },
  },
  {
    name: "an inbound call of a SIP address",
    body: formOf({ ...INBOUND, From: "sip:desk@example.com", CallStatus: "in-progress", Event: "StartApp" }),
    notice: {
      kind: "incoming",
      carrierCallId: CALL,
      from: "sip:desk@example.com",
      to: "+442079460123",
      headers: {},
    },
  },
  {
    name: "a call that rings",
    body: formOf({ ...OUTBOUND, CallStatus: "ringing", Event: "Ring" }),
    notice: { kind: "ringing", carrierCallId: CALL },
  },
  {
    name: "an answered call, which asks for its document",
    body: formOf({ ...OUTBOUND, CallStatus: "in-progress", Event: "StartApp" }),
    notice: { kind: "answered", carrierCallId: CALL, awaitsInstruction: true },
  },
  hangup("completed", ["4000", "Normal Hangup"], "completed"),
  hangup("completed", ["5010", "Internal Error"], "completed"),
  hangup("busy", ["3010", "Busy Line"], "busy"),
  hangup("busy", ["3020", "Rejected"], "declined"),
  hangup("no-answer", ["6010", "Ring Timeout Reached"], "no_answer"),
  hangup("timeout", ["3070", "Request timeout"], "no_answer"),
  hangup("failed", ["3050", "Unallocated number"], "invalid_number"),
  hangup("failed", ["2030", "Destination Country Barred"], "failed"),
  hangup("failed", ["constructor", "x"], "failed"),
  hangup("cancel", ["1000", "Canceled"], "canceled"),
  {
    name: "a call within India, whose currency is not known",
    body: formOf({
      ...INBOUND,
      From: "919876543210",
      To: "918012345678",
      Event: "Hangup",
      CallStatus: "completed",
      HangupCauseCode: "4000",
      TotalCost: "0.6",
    }),
    notice: { kind: "ended", carrierCallId: CALL, outcome: "completed" },
  },
  ...(
    [
      ["completed", "completed"],
      ["busy", "busy"],
      ["no-answer", "no_answer"],
      ["timeout", "no_answer"],
      ["cancel", "failed"],
      ["failed", "failed"],
      ["toString", "failed"],
    ] as const
  ).map(([DialStatus, outcome]) => ({
    name: `a transfer: ${DialStatus}`,
    body: formOf({
      ...INBOUND,
      CallStatus: "in-progress",
      Event: "Dial",
      DialStatus,
      DialALegUUID: CALL,
      DialBLegUUID: "",
    }),
    notice: { kind: "transfer", carrierCallId: CALL, outcome } as const,
  })),
  ...(["answer", "hangup"] as const).map((DialAction) => ({
    name: `a transfer whose target has a state: ${DialAction}`,
    body: formOf({ ...INBOUND, CallStatus: "in-progress", Event: "DialAnswer", DialAction, DialALegUUID: CALL }),
    notice:
      DialAction === "answer"
        ? ({ kind: "transfer", carrierCallId: CALL, outcome: "answered" } as const)
        : ({ kind: "other" } as const),
  })),
  ...(
    [
      ["StartStream", "started"],
      ["started", "started"],
      ["StopStream", "stopped"],
      ["stopped", "stopped"],
      ["DroppedStream", "failed"],
      ["failed", "failed"],
    ] as const
  ).map(([Event, state]) => ({
    name: `a stream: ${Event}`,
    body: formOf({
      CallUUID: CALL,
      StreamID: "20170ca5-7b0c-4b7e-8d3c-7a1e0e0c1a11",
      Event,
      Timestamp: "1795780800000",
    }),
    notice: { kind: "stream", carrierCallId: CALL, state } as const,
  })),
  {
    name: "a stream that is slow",
    body: formOf({ CallUUID: CALL, StreamID: "2", Event: "DegradedStream" }),
    notice: { kind: "other" },
  },
  {
    name: "a call that fetches another document",
    body: formOf({ ...INBOUND, CallStatus: "in-progress", Event: "Redirect" }),
    notice: { kind: "other" },
  },
];

/** As the SDK signs a POST to an address without a query. */
export function signPlivo(body: string, { token = CREDENTIALS.authToken, url = VOICE_URL } = {}) {
  const pairs = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1));
  const signed = `${url}?${pairs.flat().join("")}.${NONCE}`;
  const headers = {
    "x-plivo-signature-v3": hmac("sha256", token, signed),
    "x-plivo-signature-v3-nonce": NONCE,
  };
  return { method: "POST", url, headers, body: Buffer.from(body) };
}

export const telephonySubject: TelephonyUnderTest = {
  name: "carrier_c",
  telephony: PLIVO_TELEPHONY,
  credentials: CREDENTIALS,
  number: { number: "+442079460123", carrierNumberId: "442079460123" },
  carrierCallId: CALL,
  webhooks: WEBHOOKS,
  sign: (body) => signPlivo(body),
  incoming: ({ id, from, to }) =>
    formOf({ ...INBOUND, CallUUID: id, From: from, To: to, CallStatus: "ringing", Event: "StartApp" }),
  attachValues: [undefined, "20468599130939380"],
  dialled: (id) => ({ message: "call fired", request_uuid: id, api_id: "97ceeb52-58b6-11e1-86da-77300b68f8bb" }),
  refusal: () => ({ api_id: "97ceeb52-58b6-11e1-86da-77300b68f8bb", error: "no" }),
  hasCodes: false,
};
