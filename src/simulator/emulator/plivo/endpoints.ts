import { addressOf } from "../call-script.ts";
import type { Leg } from "../network.ts";
import { type Endpoint, type RestRequest, type RestResponse, textOf } from "../rest/endpoint.ts";
import type { PlivoCarrier } from "./carrier.ts";
import { e164 } from "./plivo-xml.ts";
import {
  applicationResource,
  callUuidOf,
  liveCall,
  numberResource,
  type PlivoApplication,
  pageOf,
  plain,
  recordOf,
} from "./resources.ts";

const ACCOUNT = "/v1/Account/{account}";
/** https://docs.plivo.com/docs/voice/api/call/make-a-call */
const RING_TIMEOUT_S_DEFAULT = 120;
const DIALLED = /^(?:\+?[1-9]\d{6,14}|sips?:[^\s@]+@\S+)$/;

/** The members of an application that can be changed, by the names of the request. */
const APPLICATION_MEMBERS: Readonly<Record<string, Exclude<keyof PlivoApplication, "id">>> = {
  app_name: "name",
  answer_url: "answerUrl",
  answer_method: "answerMethod",
  hangup_url: "hangupUrl",
  hangup_method: "hangupMethod",
  fallback_answer_url: "fallbackAnswerUrl",
  fallback_method: "fallbackMethod",
};

/** The operations of the REST API that the emulator has. */
export function plivoEndpoints(carrier: PlivoCarrier): readonly Endpoint[] {
  const own = (endpoint: Endpoint): Endpoint => ({
    ...endpoint,
    handle: (request) => (request.params.account === carrier.authId ? endpoint.handle(request) : carrier.errorOf(404)),
  });
  return [
    accountEndpoint(carrier),
    ...callEndpoints(carrier),
    ...numberEndpoints(carrier),
    ...applicationEndpoints(carrier),
  ].map(own);
}

const accountEndpoint = (carrier: PlivoCarrier): Endpoint => ({
  id: "accounts.get",
  method: "GET",
  path: ACCOUNT,
  handle: () => ({
    status: 200,
    body: {
      api_id: carrier.apiId(),
      auth_id: carrier.authId,
      account_type: "standard",
      name: "Emulated account",
      address: "",
      city: "",
      state: "",
      timezone: "UTC",
      auto_recharge: false,
      billing_mode: "prepaid",
      cash_credits: "100.00000",
      resource_uri: `/v1/Account/${carrier.authId}/`,
    },
  }),
});

function callEndpoints(carrier: PlivoCarrier): Endpoint[] {
  const { network } = carrier.parts;
  return [
    { id: "calls.create", method: "POST", path: `${ACCOUNT}/Call`, handle: ({ body }) => createCall(carrier, body) },
    { id: "calls.list", method: "GET", path: `${ACCOUNT}/Call`, handle: (request) => listCalls(carrier, request) },
    {
      id: "calls.get",
      method: "GET",
      path: `${ACCOUNT}/Call/{call}`,
      handle: ({ params, query }) => {
        const leg = legOf(carrier, params.call);
        if (leg === undefined || !isAsked(leg, query.get("status"))) return carrier.errorOf(404, "call not found");
        const body =
          leg.state === "ended"
            ? recordOf(leg, carrier.authId, { price: network.priceOf(leg), rate: network.pricePerMinute })
            : liveCall(leg);
        return { status: 200, body: { api_id: carrier.apiId(), ...body } };
      },
    },
    {
      id: "calls.transfer",
      method: "POST",
      path: `${ACCOUNT}/Call/{call}`,
      handle: ({ params, body }) =>
        withLive(carrier, params.call, (leg) => {
          const url = textOf(body, "aleg_url");
          if (url === undefined) return carrier.errorOf(400, "aleg_url is required");
          carrier.redirect(leg, addressOf(url, textOf(body, "aleg_method")));
          const done = { message: "call transfered", call_uuids: [callUuidOf(leg)] };
          return { status: 202, body: { api_id: carrier.apiId(), ...done } };
        }),
    },
    {
      id: "calls.hangup",
      method: "DELETE",
      path: `${ACCOUNT}/Call/{call}`,
      handle: ({ params }) => hangUp(carrier, params.call),
    },
    {
      id: "calls.cancel",
      method: "DELETE",
      path: `${ACCOUNT}/Request/{call}`,
      handle: ({ params }) => hangUp(carrier, params.call),
    },
    {
      id: "calls.sendDigits",
      method: "POST",
      path: `${ACCOUNT}/Call/{call}/DTMF`,
      handle: ({ params, body }) =>
        withLive(carrier, params.call, (leg) => {
          const digits = textOf(body, "digits");
          if (digits === undefined) return carrier.errorOf(400, "digits is required");
          leg.receivedDigits += digits;
          return { status: 202, body: { api_id: carrier.apiId(), message: "digits sent" } };
        }),
    },
  ];
}

function numberEndpoints(carrier: PlivoCarrier): Endpoint[] {
  const numberOf = (text = "") => carrier.numbers.find(({ number }) => number === e164(text));
  return [
    {
      id: "numbers.list",
      method: "GET",
      path: `${ACCOUNT}/Number`,
      handle: ({ path, query }) => {
        const start = query.get("number_startswith") ?? "";
        const numbers = carrier.numbers.filter(({ number }) => plain(number).startsWith(start));
        const shown = numbers.map((number) => numberResource(number, carrier.authId, carrier.startedAt));
        return pageOf(shown, carrier.apiId(), path, query);
      },
    },
    {
      id: "numbers.get",
      method: "GET",
      path: `${ACCOUNT}/Number/{number}`,
      handle: ({ params }) => {
        const number = numberOf(params.number);
        if (number === undefined) return carrier.errorOf(404);
        const shown = numberResource(number, carrier.authId, carrier.startedAt);
        return { status: 200, body: { api_id: carrier.apiId(), ...shown } };
      },
    },
    {
      id: "numbers.update",
      method: "POST",
      path: `${ACCOUNT}/Number/{number}`,
      handle: ({ params, body }) => {
        const number = numberOf(params.number);
        if (number === undefined) return carrier.errorOf(404);
        if ("app_id" in body) number.applicationId = textOf(body, "app_id") ?? "";
        if ("alias" in body) number.alias = textOf(body, "alias") ?? null;
        return { status: 202, body: { api_id: carrier.apiId(), message: "changed" } };
      },
    },
  ];
}

function applicationEndpoints(carrier: PlivoCarrier): Endpoint[] {
  const applicationOf = (id: string | undefined) => carrier.applications.find((one) => one.id === id);
  return [
    {
      id: "applications.list",
      method: "GET",
      path: `${ACCOUNT}/Application`,
      handle: ({ path, query }) => {
        const shown = carrier.applications.map((application) => applicationResource(application, carrier.authId));
        return pageOf(shown, carrier.apiId(), path, query);
      },
    },
    {
      id: "applications.create",
      method: "POST",
      path: `${ACCOUNT}/Application`,
      handle: ({ body }) => {
        const name = textOf(body, "app_name");
        if (name === undefined) return carrier.errorOf(400, "app_name is required");
        const application = carrier.newApplication(name);
        change(application, body);
        carrier.applications.push(application);
        return { status: 201, body: { api_id: carrier.apiId(), message: "created", app_id: application.id } };
      },
    },
    {
      id: "applications.get",
      method: "GET",
      path: `${ACCOUNT}/Application/{application}`,
      handle: ({ params }) => {
        const application = applicationOf(params.application);
        if (application === undefined) return carrier.errorOf(404);
        return { status: 200, body: { api_id: carrier.apiId(), ...applicationResource(application, carrier.authId) } };
      },
    },
    {
      id: "applications.update",
      method: "POST",
      path: `${ACCOUNT}/Application/{application}`,
      handle: ({ params, body }) => {
        const application = applicationOf(params.application);
        if (application === undefined) return carrier.errorOf(404);
        change(application, body);
        return { status: 202, body: { api_id: carrier.apiId(), message: "changed" } };
      },
    },
  ];
}

function change(application: PlivoApplication, body: RestRequest["body"]): void {
  for (const [name, member] of Object.entries(APPLICATION_MEMBERS)) {
    if (name in body) application[member] = textOf(body, name) ?? "";
  }
}

function createCall(carrier: PlivoCarrier, body: RestRequest["body"]): RestResponse {
  const [to = "", from = "", answerUrl] = ["to", "from", "answer_url"].map((name) => textOf(body, name));
  if (answerUrl === undefined || from === "" || to === "") {
    return carrier.errorOf(400, "mandatory parameters missing: from, to, answer_url");
  }
  if (!DIALLED.test(to)) return carrier.errorOf(400, `${to} is not a valid phone number`);
  const ringMsMax = Number(textOf(body, "ring_timeout") ?? RING_TIMEOUT_S_DEFAULT) * 1_000;
  const leg = carrier.parts.network.dial({ from: e164(from), to: e164(to), ringMsMax });
  const [ringUrl, hangupUrl] = [textOf(body, "ring_url"), textOf(body, "hangup_url")];
  carrier.place(leg, {
    answer: addressOf(answerUrl, textOf(body, "answer_method")),
    detectsMachines: textOf(body, "machine_detection") !== undefined,
    ...(ringUrl !== undefined && { ring: addressOf(ringUrl, textOf(body, "ring_method")) }),
    ...(hangupUrl !== undefined && { hangup: addressOf(hangupUrl, textOf(body, "hangup_method")) }),
  });
  carrier.placed.push({
    leg,
    carrierCallId: callUuidOf(leg),
    from: leg.from,
    to: leg.to,
    urls: [answerUrl, ringUrl, hangupUrl].filter((url) => url !== undefined),
  });
  // The ids of the request and of its call are the same here; the documentation does not say that they are.
  return { status: 201, body: { api_id: carrier.apiId(), message: "call fired", request_uuid: callUuidOf(leg) } };
}

/** Live and queued calls are lists of ids; the others are records: https://www.plivo.com/docs/voice/api/call */
function listCalls(carrier: PlivoCarrier, { query, path }: RestRequest): RestResponse {
  const { network } = carrier.parts;
  const status = query.get("status");
  const is = (name: string, value: string): boolean => plain(query.get(name) ?? value) === plain(value);
  const legs = network.legs.filter(
    (leg) =>
      isAsked(leg, status) &&
      is("from_number", leg.from) &&
      is("to_number", leg.to) &&
      (query.get("call_direction") ?? leg.direction) === leg.direction,
  );
  if (status !== null) return { status: 200, body: { api_id: carrier.apiId(), calls: legs.map(callUuidOf) } };
  const records = legs
    .toReversed()
    .map((leg) => recordOf(leg, carrier.authId, { price: network.priceOf(leg), rate: network.pricePerMinute }));
  return pageOf(records, carrier.apiId(), path, query);
}

/** Whether a call is one of those that `status` asks for. */
function isAsked({ state }: Leg, status: string | null): boolean {
  if (status === "queued") return state === "queued";
  if (status === "live") return state === "ringing" || state === "answered";
  return state === "ended";
}

function hangUp(carrier: PlivoCarrier, id: string | undefined): RestResponse {
  return withLive(carrier, id, (leg) => {
    carrier.parts.network.hangUp(leg, "account");
    return { status: 204 };
  });
}

const legOf = (carrier: PlivoCarrier, id: string | undefined): Leg | undefined =>
  carrier.parts.network.legs.find((leg) => callUuidOf(leg) === id);

function withLive(carrier: PlivoCarrier, id: string | undefined, then: (leg: Leg) => RestResponse): RestResponse {
  const leg = legOf(carrier, id);
  return leg === undefined || leg.state === "ended" ? carrier.errorOf(404, "call not found") : then(leg);
}
