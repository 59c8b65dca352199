import { addMs, epochMs } from "../../../core/clocks.ts";
import { type Address, addressOf, type ScriptStep } from "../call-script.ts";
import type { Leg } from "../network.ts";
import { type Endpoint, type RestRequest, type RestResponse, textOf } from "../rest/endpoint.ts";
import type { TwilioCarrier, TwilioStates } from "./carrier.ts";
import {
  accountResource,
  callResource,
  callSidOf,
  numberResource,
  pageOf,
  statusOf,
  type TwilioNumber,
  twilioError,
} from "./resources.ts";
import { readTwiml } from "./twiml.ts";

const ACCOUNT = "/2010-04-01/Accounts/{account}";
/** https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource */
const TIMEOUT_S_DEFAULT = 60;
const DIALLED = /^(?:\+[1-9]\d{6,14}|sips?:[^\s@]+@\S+)$/;

/** The members of a number that can be changed, by the names of the request. */
const NUMBER_MEMBERS: Readonly<Record<string, Exclude<keyof TwilioNumber, "sid" | "phoneNumber">>> = {
  FriendlyName: "friendlyName",
  VoiceUrl: "voiceUrl",
  VoiceMethod: "voiceMethod",
  VoiceFallbackUrl: "voiceFallbackUrl",
  VoiceFallbackMethod: "voiceFallbackMethod",
  VoiceApplicationSid: "voiceApplicationSid",
  TrunkSid: "trunkSid",
  StatusCallback: "statusCallback",
  StatusCallbackMethod: "statusCallbackMethod",
};

/** The operations of the REST API that the emulator has. */
export function twilioEndpoints(carrier: TwilioCarrier): readonly Endpoint[] {
  const own = (endpoint: Endpoint): Endpoint => ({
    ...endpoint,
    handle: (request) => (request.params.account === carrier.accountSid ? endpoint.handle(request) : twilioError(404)),
  });
  const endpoints: Endpoint[] = [
    {
      id: "accounts.fetch",
      method: "GET",
      path: `${ACCOUNT}.json`,
      handle: () => ({ status: 200, body: accountResource(carrier.accountSid, carrier.startedAt) }),
    },
    {
      id: "calls.create",
      method: "POST",
      path: `${ACCOUNT}/Calls.json`,
      handle: ({ body }) => createCall(carrier, body),
    },
    {
      id: "calls.list",
      method: "GET",
      path: `${ACCOUNT}/Calls.json`,
      handle: (request) => listCalls(carrier, request),
    },
    {
      id: "calls.fetch",
      method: "GET",
      path: `${ACCOUNT}/Calls/{call}.json`,
      handle: ({ params }) => withCall(carrier, params.call, (leg) => shownCall(carrier, leg)),
    },
    {
      id: "calls.update",
      method: "POST",
      path: `${ACCOUNT}/Calls/{call}.json`,
      handle: ({ params, body }) => withCall(carrier, params.call, (leg) => updateCall(carrier, leg, body)),
    },
    {
      id: "incomingPhoneNumbers.list",
      method: "GET",
      path: `${ACCOUNT}/IncomingPhoneNumbers.json`,
      handle: (request) => listNumbers(carrier, request),
    },
    {
      id: "incomingPhoneNumbers.fetch",
      method: "GET",
      path: `${ACCOUNT}/IncomingPhoneNumbers/{number}.json`,
      handle: ({ params }) => withNumber(carrier, params.number, (number) => shownNumber(carrier, number)),
    },
    {
      id: "incomingPhoneNumbers.update",
      method: "POST",
      path: `${ACCOUNT}/IncomingPhoneNumbers/{number}.json`,
      handle: ({ params, body }) =>
        withNumber(carrier, params.number, (number) => {
          for (const [name, member] of Object.entries(NUMBER_MEMBERS)) {
            if (name in body) Object.assign(number, { [member]: textOf(body, name) ?? "" });
          }
          return shownNumber(carrier, number);
        }),
    },
  ];
  return endpoints.map(own);
}

function createCall(carrier: TwilioCarrier, body: RestRequest["body"]): RestResponse {
  const [to = "", from = "", url] = ["To", "From", "Url"].map((name) => textOf(body, name));
  if (!DIALLED.test(to)) return twilioError(400, 21211, "Invalid 'To' Phone Number");
  if (!carrier.numbers.some(({ phoneNumber }) => phoneNumber === from)) {
    return twilioError(400, 21210, "The source phone number provided is not yet verified for your account");
  }
  const { network } = carrier.parts;
  const ringMsMax = Number(textOf(body, "Timeout") ?? TIMEOUT_S_DEFAULT) * 1_000;
  const states = statesOf(body);
  const atAnswer = instructionOf(body, to);
  if (atAnswer === undefined) return twilioError(400, 21205, "Url is not a valid URL");
  const detectsMachines = textOf(body, "MachineDetection") !== undefined;
  const leg = network.dial({ from, to, ringMsMax });
  carrier.placed.push({
    leg,
    carrierCallId: callSidOf(leg),
    from,
    to,
    urls: [url, states?.url].filter((address) => address !== undefined),
  });
  carrier.place(leg, { atAnswer, states, detectsMachines });
  return { ...shownCall(carrier, leg), status: 201 };
}

/** The address or the document of a request. Undefined where it has neither, or the document cannot be read. */
function instructionOf(body: RestRequest["body"], callerId: string): Address | ScriptStep[] | undefined {
  const [url, twiml] = [textOf(body, "Url"), textOf(body, "Twiml")];
  if (url !== undefined) return addressOf(url, textOf(body, "Method"));
  try {
    return readTwiml(twiml ?? "", { url: "http://twiml.invalid/", callerId });
  } catch {
    return undefined;
  }
}

function statesOf(body: RestRequest["body"]): TwilioStates | undefined {
  const url = textOf(body, "StatusCallback");
  if (url === undefined) return undefined;
  const { StatusCallbackEvent: given = ["completed"] } = body;
  const events = [given].flat().flatMap((event) => String(event).split(" "));
  return { url, events, method: textOf(body, "StatusCallbackMethod")?.toUpperCase() === "GET" ? "GET" : "POST" };
}

/** https://www.twilio.com/docs/voice/api/call-resource#update-a-call-resource */
function updateCall(carrier: TwilioCarrier, leg: Leg, body: RestRequest["body"]): RestResponse {
  const { network } = carrier.parts;
  const status = textOf(body, "Status");
  if (status === "completed" || status === "canceled") {
    // Seen of the real API: https://github.com/pipecat-ai/pipecat/blob/main/src/pipecat/serializers/twilio.py
    if (leg.state === "ended") return twilioError(404);
    if (status === "completed" || leg.state !== "answered") network.hangUp(leg, "account");
    return shownCall(carrier, leg);
  }
  if (leg.state !== "answered") {
    return twilioError(400, 21220, "Call is not in-progress. Cannot redirect.");
  }
  const instruction = instructionOf(body, leg.from);
  if (instruction === undefined) return twilioError(400);
  carrier.redirect(leg, instruction);
  return shownCall(carrier, leg);
}

function listCalls(carrier: TwilioCarrier, { query, path }: RestRequest): RestResponse {
  const [after, before] = ["StartTime>", "StartTime<"].map((name) => Date.parse(query.get(name) ?? ""));
  const matches = (leg: Leg): boolean =>
    ["To", "From"].every(
      (name) => (query.get(name) ?? leg[name === "To" ? "to" : "from"]) === leg[name === "To" ? "to" : "from"],
    ) &&
    (query.get("Status") ?? statusOf(leg)) === statusOf(leg) &&
    !(leg.createdAt < addMs(epochMs(after ?? Number.NaN), 0)) &&
    !(leg.createdAt > addMs(epochMs(before ?? Number.NaN), 0));
  const legs = carrier.parts.network.legs.filter(matches).toReversed();
  return pageOf(
    "calls",
    legs.map((leg) => shownCall(carrier, leg).body),
    path,
    query,
  );
}

function listNumbers(carrier: TwilioCarrier, { query, path }: RestRequest): RestResponse {
  const wanted = query.get("PhoneNumber") ?? "";
  const numbers = carrier.numbers.filter(({ phoneNumber }) => phoneNumber.includes(wanted));
  return pageOf(
    "incoming_phone_numbers",
    numbers.map((number) => shownNumber(carrier, number).body),
    path,
    query,
  );
}

function withCall(carrier: TwilioCarrier, sid: string | undefined, then: (leg: Leg) => RestResponse): RestResponse {
  const leg = carrier.parts.network.legs.find((one) => callSidOf(one) === sid);
  return leg === undefined ? twilioError(404) : then(leg);
}

function withNumber(
  carrier: TwilioCarrier,
  sid: string | undefined,
  then: (number: TwilioNumber) => RestResponse,
): RestResponse {
  const number = carrier.numbers.find((one) => one.sid === sid);
  return number === undefined ? twilioError(404) : then(number);
}

const shownCall = (carrier: TwilioCarrier, leg: Leg): RestResponse => ({
  status: 200,
  body: callResource(leg, carrier.accountSid, carrier.parts.network.priceOf(leg)),
});

const shownNumber = (carrier: TwilioCarrier, number: TwilioNumber): RestResponse => ({
  status: 200,
  body: numberResource(number, carrier.accountSid, carrier.startedAt),
});
