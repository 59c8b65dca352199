import { TWILIO_TELEPHONY } from "../../../src/carriers/twilio/telephony.ts";
import type { SampleWebhook, TelephonyUnderTest } from "../../support/telephony/telephony-under-test.ts";
import { hmac } from "../../support/wires/signatures.ts";

const CALL = "CA9c1e5f0d3a7b4862a1c0e4d2f6b81937";
const CREDENTIALS = { accountSid: "AC18ad3ab5a668481ce02b83e7395059f0", authToken: "a1b2c3d4e5f60718293a4b5c6d7e8f90" };
const VOICE_URL = "https://api.example.com/telephony/k3y_-/voice";

const formOf = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

/** What every webhook of a call has: https://www.twilio.com/docs/voice/twiml#request-parameters */
const COMMON = {
  CallSid: CALL,
  AccountSid: CREDENTIALS.accountSid,
  ApiVersion: "2010-04-01",
  From: "+14155550123",
  To: "+442079460123",
};
const INBOUND = { ...COMMON, Direction: "inbound" };
const OUTBOUND = { ...COMMON, Direction: "outbound-api" };
const progress = (CallStatus: string, more: Record<string, string> = {}): string =>
  formOf({
    ...OUTBOUND,
    CallStatus,
    CallbackSource: "call-progress-events",
    SequenceNumber: "3",
    Timestamp: "Fri, 27 Nov 2026 12:00:00 +0000",
    ...more,
  });

const ended = (
  name: string,
  [status, sipCode]: readonly [string, string?],
  outcome: "busy" | "no_answer" | "declined" | "invalid_number" | "canceled" | "failed",
): SampleWebhook => ({
  name,
  body: progress(status, sipCode === undefined ? {} : { SipResponseCode: sipCode }),
  notice: { kind: "ended", carrierCallId: CALL, outcome, ...(sipCode === undefined ? {} : { code: sipCode }) },
});

const WEBHOOKS: readonly SampleWebhook[] = [
  {
    name: "an inbound call, by SIP",
    body: formOf({ ...INBOUND, CallStatus: "ringing", "SipHeader_X-Order": "A-17", CallerName: "Jos\u00e9" }),
    notice: {
      kind: "incoming",
      carrierCallId: CALL,
      from: "+14155550123",
      to: "+442079460123",
      headers: { "x-order": "A-17" },
    },
  },
  {
    name: "a call that Twilio has queued",
    body: progress("initiated"),
    notice: { kind: "initiated", carrierCallId: CALL },
  },
  { name: "a call that rings", body: progress("ringing"), notice: { kind: "ringing", carrierCallId: CALL } },
  {
    name: "an answered call, which asks for its document",
    body: formOf({ ...OUTBOUND, CallStatus: "in-progress" }),
    notice: { kind: "answered", carrierCallId: CALL, awaitsInstruction: true },
  },
  {
    name: "an answered call, by its status",
    body: progress("in-progress"),
    notice: { kind: "answered", carrierCallId: CALL, awaitsInstruction: false },
  },
  {
    name: "a call that is over",
    body: progress("completed", { CallDuration: "42", SipResponseCode: "200" }),
    notice: { kind: "ended", carrierCallId: CALL, outcome: "completed" },
  },
  {
    name: "an inbound call that is over",
    body: formOf({ ...INBOUND, CallStatus: "completed", CallbackSource: "call-progress-events", CallDuration: "4" }),
    notice: { kind: "ended", carrierCallId: CALL, outcome: "completed" },
  },
  ended("a busy line", ["busy", "486"], "busy"),
  ended("a declined call, which Twilio calls busy", ["busy", "603"], "declined"),
  ended("no answer", ["no-answer"], "no_answer"),
  ended("a number that is not assigned", ["failed", "404"], "invalid_number"),
  ended("a failure of the network", ["failed", "503"], "failed"),
  ended("a failure without a code", ["failed"], "failed"),
  ended("a call that was canceled, whatever the far end answered", ["canceled", "487"], "canceled"),
  ...(
    [
      ["completed", "completed"],
      ["answered", "answered"],
      ["busy", "busy"],
      ["no-answer", "no_answer"],
      ["failed", "failed"],
      ["canceled", "failed"],
      ["constructor", "failed"],
    ] as const
  ).map(([status, outcome]) => ({
    name: `a transfer: ${status}`,
    body: formOf({ ...INBOUND, CallStatus: "in-progress", DialCallStatus: status, DialCallSid: "CA2" }),
    notice: { kind: "transfer", carrierCallId: CALL, outcome } as const,
  })),
  {
    name: "a transfer that its target has answered",
    body: formOf({
      CallSid: "CA2",
      ParentCallSid: CALL,
      CallStatus: "in-progress",
      CallbackSource: "call-progress-events",
    }),
    notice: { kind: "transfer", carrierCallId: CALL, outcome: "answered" },
  },
  {
    name: "the end of the leg that a transfer has dialled",
    body: formOf({
      CallSid: "CA2",
      ParentCallSid: CALL,
      CallStatus: "completed",
      CallbackSource: "call-progress-events",
    }),
    notice: { kind: "other" },
  },
  ...(
    [
      ["stream-started", "started"],
      ["stream-stopped", "stopped"],
      ["stream-error", "failed"],
    ] as const
  ).map(([StreamEvent, state]) => ({
    name: `a stream: ${StreamEvent}`,
    body: formOf({ AccountSid: CREDENTIALS.accountSid, CallSid: CALL, StreamSid: "MZ1", StreamEvent }),
    notice: { kind: "stream", carrierCallId: CALL, state } as const,
  })),
  {
    name: "an inbound call that asks for another document",
    body: formOf({ ...INBOUND, CallStatus: "in-progress" }),
    notice: { kind: "other" },
  },
  { name: "a status that is new", body: progress("constructor"), notice: { kind: "other" } },
];

/** The address of the samples, and what Twilio signs of a form: https://www.twilio.com/docs/usage/security#validating-requests */
export function signTwilio(body: string, secret = CREDENTIALS.authToken, url = VOICE_URL) {
  const pairs = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1));
  const signature = hmac("sha1", secret, url + pairs.flat().join(""));
  return { method: "POST", url, headers: { "x-twilio-signature": signature }, body: Buffer.from(body) };
}

export const telephonySubject: TelephonyUnderTest = {
  name: "carrier_a",
  telephony: TWILIO_TELEPHONY,
  credentials: CREDENTIALS,
  number: { number: "+442079460123", carrierNumberId: "PN2a0747eba6abf96b7e3c3ff0b4530f6e" },
  carrierCallId: CALL,
  webhooks: WEBHOOKS,
  sign: (body) => signTwilio(body),
  incoming: ({ id, from, to }) => formOf({ ...INBOUND, CallSid: id, From: from, To: to, CallStatus: "ringing" }),
  attachValues: [],
  dialled: (id) => ({ sid: id, status: "queued" }),
  refusal: (code) => ({ code: /^[0-9]+$/.test(code) ? Number(code) : code, message: "no", status: 400 }),
  hasCodes: true,
};
