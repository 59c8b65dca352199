import { generateKeyPairSync, sign } from "node:crypto";
import { TELNYX_TELEPHONY } from "../../../src/carriers/telnyx/telephony.ts";
import { NOW_MS, type SampleWebhook, type TelephonyUnderTest } from "../../support/telephony/telephony-under-test.ts";

const CALL = "v3:MdI91X4lWFEs7IgbBEOT9M4AigoY08M0WWZFISt1Yw2axZ_IiE4pqg";
const TARGET_LEG = "v3:2EC-70CTEjlUq3tDM0CxKXIt5-5N4iP4wo7_-PfH-qub97Sk4EqO5w";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const CREDENTIALS = {
  apiKey: "KEY01A2B3C4D5E6F708192A3B4C5D6E7F80_Zyxwvutsrqponm",
  publicKey: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64"),
  connectionId: "2811212257810187875",
};

export const stateOf = (state: object): string => Buffer.from(JSON.stringify(state)).toString("base64");

/** An event as Telnyx sends it: https://developers.telnyx.com/docs/voice/programmable-voice/receiving-webhooks */
const event = (event_type: string, payload: object = {}): string =>
  JSON.stringify({
    data: {
      event_type,
      id: "b97d4d5e-6fe7-4432-911f-79637bf6ebb7",
      occurred_at: "2026-11-27T12:00:00.076316Z",
      payload: {
        call_control_id: CALL,
        call_leg_id: "b0e6224c-c81c-11f0-afbb-02420aef93a0",
        call_session_id: "b0e6141e-c81c-11f0-abac-02420aef93a0",
        client_state: null,
        connection_id: CREDENTIALS.connectionId,
        from: "+14155550123",
        to: "+442079460123",
        ...payload,
      },
      record_type: "event",
    },
    meta: { attempt: 1, delivered_to: "https://api.example.com/telephony/k/voice" },
  });

const hangup = (
  cause: string,
  sip: string,
  outcome: "busy" | "no_answer" | "declined" | "invalid_number" | "canceled" | "failed",
): SampleWebhook => ({
  name: `a call that ended: ${cause}, ${sip}`,
  body: event("call.hangup", { hangup_cause: cause, hangup_source: "callee", sip_hangup_cause: sip }),
  notice: { kind: "ended", carrierCallId: CALL, outcome, code: cause },
});

/** An event of the leg of a transfer's target. */
const target = (event_type: string, more: object = {}): string =>
  event(event_type, { call_control_id: TARGET_LEG, client_state: stateOf({ transferOf: CALL }), ...more });

const WEBHOOKS: readonly SampleWebhook[] = [
  {
    name: "an inbound call",
    body: event("call.initiated", {
      direction: "incoming",
      state: "parked",
      sip_headers: [{ name: "User-to-User", value: "3132;encoding=hex" }],
      custom_headers: [{ name: "X-Order", value: "A-17\r\nb" }, { name: "a b", value: "1" }, { name: "X-None" }, 7],
    }),
    notice: {
      kind: "incoming",
      carrierCallId: CALL,
      from: "+14155550123",
      to: "+442079460123",
      headers: { "user-to-user": "3132;encoding=hex", "x-order": "A-17b" },
    },
  },
  {
    name: "a call that was dialled",
    body: event("call.initiated", { direction: "outgoing", client_state: stateOf({ callId: "call_1" }) }),
    notice: { kind: "initiated", carrierCallId: CALL },
  },
  {
    name: "an answered call",
    body: event("call.answered"),
    notice: { kind: "answered", carrierCallId: CALL, awaitsInstruction: false },
  },
  ...["normal_clearing", "time_limit"].map((hangup_cause) => ({
    name: `a call that is over: ${hangup_cause}`,
    body: event("call.hangup", { hangup_cause, sip_hangup_cause: "200" }),
    notice: { kind: "ended", carrierCallId: CALL, outcome: "completed" } as const,
  })),
  hangup("user_busy", "486", "busy"),
  hangup("no_answer", "480", "no_answer"),
  hangup("timeout", "487", "no_answer"),
  hangup("call_rejected", "603", "declined"),
  hangup("not_found", "404", "invalid_number"),
  hangup("originator_cancel", "487", "canceled"),
  hangup("unspecified", "unspecified", "failed"),
  hangup("unspecified", "484", "invalid_number"),
  hangup("a_new_cause", "503", "failed"),
  hangup("constructor", "constructor", "failed"),
  ...["call.answered", "call.bridged"].map((name) => ({
    name: `the target of a transfer: ${name}`,
    body: target(name),
    notice: { kind: "transfer", carrierCallId: CALL, outcome: "answered" } as const,
  })),
  ...(
    [
      ["normal_clearing", "completed"],
      ["user_busy", "busy"],
      ["timeout", "no_answer"],
      ["call_rejected", "failed"],
      ["not_found", "failed"],
    ] as const
  ).map(([hangup_cause, outcome]) => ({
    name: `the target of a transfer: ${hangup_cause}`,
    body: target("call.hangup", { hangup_cause }),
    notice: { kind: "transfer", carrierCallId: CALL, outcome } as const,
  })),
  { name: "the target of a transfer: dialled", body: target("call.initiated"), notice: { kind: "other" } },
  { name: "the transferred call is bridged", body: event("call.bridged"), notice: { kind: "other" } },
  ...(
    [
      ["streaming.started", "started"],
      ["streaming.stopped", "stopped"],
      ["streaming.failed", "failed"],
    ] as const
  ).map(([name, state]) => ({
    name: `a stream: ${name}`,
    body: event(name, { stream_id: "32de0dea-53cb-4b21-89a4-9e1819c043bc", failure_reason: "connection_failed" }),
    notice: { kind: "stream", carrierCallId: CALL, state } as const,
  })),
  {
    name: "a stream, of which the state names the connection",
    body: event("streaming.failed", { client_state: stateOf({ callId: "call_1", connect: 2 }) }),
    notice: { kind: "stream", carrierCallId: CALL, state: "failed", connect: 2 },
  },
  {
    name: "the cost of a call",
    body: event("call.cost", {
      total_cost: "0.0220",
      status: "success",
      cost_parts: [
        { call_part: "sip-trunking", cost: "0.0200", currency: "USD" },
        { call_part: "call-control", cost: "0.0020" },
      ],
    }),
    notice: { kind: "price", carrierCallId: CALL, price: { amount: 0.022, currency: "USD" } },
  },
  {
    name: "a cost that could not be calculated",
    body: event("call.cost", { total_cost: null, status: "error", cost_parts: [] }),
    notice: { kind: "other" },
  },
  {
    name: "a state that another program wrote",
    body: event("call.answered", { client_state: "aGF2ZSBhIG5pY2UgZGF5ID1d" }),
    notice: { kind: "answered", carrierCallId: CALL, awaitsInstruction: false },
  },
  { name: "digits", body: event("call.dtmf.received", { digit: "1" }), notice: { kind: "other" } },
  {
    name: "an event of another product",
    body: JSON.stringify({ data: { event_type: "message.received", payload: { id: "1" } } }),
    notice: { kind: "other" },
  },
];

/** https://developers.telnyx.com/development/api-fundamentals/webhooks/receiving-webhooks */
export function signTelnyx(body: string, atMs = NOW_MS) {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64");
  const headers = { "telnyx-signature-ed25519": signature, "telnyx-timestamp": timestamp };
  return { method: "POST", url: "https://api.example.com/telephony/k/voice", headers, body: Buffer.from(body) };
}

export const telephonySubject: TelephonyUnderTest = {
  name: "carrier_b",
  telephony: TELNYX_TELEPHONY,
  credentials: CREDENTIALS,
  number: { number: "+442079460123", carrierNumberId: "1293384261075731499" },
  carrierCallId: CALL,
  webhooks: WEBHOOKS,
  sign: (body) => signTelnyx(body),
  incoming: ({ id, from, to }) =>
    event("call.initiated", { call_control_id: id, from, to, direction: "incoming", state: "parked" }),
  attachValues: ["call-router"],
  dialled: (id) => ({ data: { call_control_id: id, record_type: "call", is_alive: false } }),
  refusal: (code) => ({ errors: [{ code, title: "no", detail: "no" }] }),
  hasCodes: true,
};
