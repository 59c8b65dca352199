import { isObject } from "../../core/json.ts";
import { CARRIER_CLOCK_MS_MAX } from "../../core/limits/phone/telephony.ts";
import {
  type AnswerReading,
  basicAuthorization,
  credential,
  formOf,
  isCarrierId,
  isE164,
  NOTHING,
  priceOf,
  readAnswer,
  retriedUrl,
  routingOf,
  routingText,
  secondsOf,
  segment,
} from "../rest.ts";
import type {
  CallbackUrls,
  CarrierCredentials,
  CarrierNumber,
  CarrierOperation,
  CarrierPrice,
  CarrierRequest,
  DialOrder,
  Exchange,
  FoundCall,
  NumberRouting,
} from "../telephony.ts";
import { rfc2822Ms } from "./dates.ts";
import { TWILIO_DIAL_REFUSALS, twilioOutcome } from "./outcomes.ts";

// Requests to Twilio's REST API: https://www.twilio.com/docs/usage/requests-to-twilio

type Fields = readonly (readonly [name: string, value: string | undefined])[];

/** `Timeout` of a call, seconds: https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource */
const RING_S_MIN = 5;
const RING_S_MAX = 600;
const PAGE_SIZE = "100";

/** No such resource, and a call that is not in progress: https://www.twilio.com/docs/api/errors/20404, /21220 */
const GONE_CODES = ["20404", "21220"];

/** Where calls to a number go: https://www.twilio.com/docs/phone-numbers/api/incomingphonenumber-resource */
const ROUTING = [
  ...["voice_url", "voice_method", "status_callback", "status_callback_method"],
  ...["voice_application_sid", "trunk_sid", "voice_receive_mode"],
];

function request(
  credentials: CarrierCredentials,
  operation: CarrierOperation,
  resource: string,
  { query = [], form }: { query?: Fields; form?: Fields } = {},
): CarrierRequest {
  const account = credential(credentials, "accountSid");
  const search = formOf(query);
  const headers = {
    accept: "application/json",
    authorization: basicAuthorization(account, credential(credentials, "authToken")),
  };
  const path = `/2010-04-01/Accounts/${segment(account)}${resource}.json${search === "" ? "" : `?${search}`}`;
  if (form === undefined) return { operation, method: "GET", path, headers };
  return {
    operation,
    method: "POST",
    path,
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    body: formOf(form),
  };
}

function exchange<Value>(
  built: CarrierRequest,
  value: AnswerReading<Value>["value"],
  options: Pick<AnswerReading<Value>, "goneCodes" | "outcomes"> = {},
): Exchange<Value> {
  return {
    request: built,
    read: (response) => readAnswer(response, { value, code: (body) => body.code, ...options }),
  };
}

export const verify = (credentials: CarrierCredentials): Exchange<undefined> =>
  exchange(request(credentials, "verify", ""), ({ sid }) => (isCarrierId(sid) ? NOTHING() : undefined));

/** `page` names no address: only its number and its token are used. */
export function listNumbers(
  credentials: CarrierCredentials,
  page = "",
): Exchange<{ numbers: readonly CarrierNumber[]; nextPage?: string }> {
  const query = [["PageSize", PAGE_SIZE] as const, ...pageParameters(page)];
  return exchange(request(credentials, "list_numbers", "/IncomingPhoneNumbers", { query }), (body) => {
    if (!Array.isArray(body.incoming_phone_numbers)) return undefined;
    const numbers = body.incoming_phone_numbers.filter(isObject).flatMap((number) => {
      const { phone_number: e164, sid, capabilities } = number;
      const hasVoice = !isObject(capabilities) || capabilities.voice !== false;
      return hasVoice && isE164(e164) && isCarrierId(sid) ? [{ number: e164, carrierNumberId: sid }] : [];
    });
    const nextPage = formOf(pageParameters(searchOf(body.next_page_uri)));
    return { value: nextPage === "" ? { numbers } : { numbers, nextPage } };
  });
}

const searchOf = (uri: unknown): string => (typeof uri === "string" ? (uri.split("?", 2)[1] ?? "") : "");

/** https://www.twilio.com/docs/usage/twilios-response#pagination */
function pageParameters(search: string): [string, string][] {
  const given = new URLSearchParams(search);
  return ["Page", "PageToken"].flatMap((name) => {
    const value = given.get(name);
    return isCarrierId(value) ? [[name, value] as [string, string]] : [];
  });
}

export const readNumber = (credentials: CarrierCredentials, number: CarrierNumber): Exchange<NumberRouting> =>
  exchange(request(credentials, "read_number", `/IncomingPhoneNumbers/${segment(number.carrierNumberId)}`), (body) => {
    const routing = isCarrierId(body.sid) ? routingOf(body, ROUTING) : undefined;
    return routing && { value: routing };
  });

/** Messages are not touched. An application or a trunk would take the calls from the address, so they are removed. */
export const attachNumber = (
  credentials: CarrierCredentials,
  number: CarrierNumber,
  { voice, status }: CallbackUrls,
): readonly (() => Exchange<unknown>)[] => [
  () =>
    updateNumber(credentials, number, "attach_number", [
      ["VoiceUrl", retriedUrl(voice)],
      ["VoiceMethod", "POST"],
      ["StatusCallback", retriedUrl(status)],
      ["StatusCallbackMethod", "POST"],
      ["VoiceReceiveMode", "voice"],
      ["VoiceApplicationSid", ""],
      ["TrunkSid", ""],
    ]),
];

/** An application and a trunk exclude each other; where there was none, the one that may be there now is removed. */
export function detachNumber(
  credentials: CarrierCredentials,
  number: CarrierNumber,
  before: NumberRouting,
): readonly (() => Exchange<unknown>)[] {
  const was = (member: string): string => routingText(before, member);
  const orAbsent = (value: string): string | undefined => (value === "" ? undefined : value);
  const owner: Fields =
    was("trunk_sid") === ""
      ? [["VoiceApplicationSid", was("voice_application_sid")]]
      : [["TrunkSid", was("trunk_sid")]];
  return [
    () =>
      updateNumber(credentials, number, "detach_number", [
        ["VoiceUrl", was("voice_url")],
        ["VoiceMethod", orAbsent(was("voice_method"))],
        ["StatusCallback", was("status_callback")],
        ["StatusCallbackMethod", orAbsent(was("status_callback_method"))],
        ["VoiceReceiveMode", orAbsent(was("voice_receive_mode"))],
        ...owner,
      ]),
  ];
}

const updateNumber = (
  credentials: CarrierCredentials,
  { carrierNumberId }: CarrierNumber,
  operation: "attach_number" | "detach_number",
  form: Fields,
): Exchange<unknown> =>
  exchange(request(credentials, operation, `/IncomingPhoneNumbers/${segment(carrierNumberId)}`, { form }), ({ sid }) =>
    isCarrierId(sid) ? NOTHING() : undefined,
  );

/** The stream's document is fetched from `urls.voice` when the person answers. */
export const dial = (credentials: CarrierCredentials, order: DialOrder): Exchange<{ carrierCallId: string }> =>
  exchange(
    request(credentials, "dial", "/Calls", {
      form: [
        ["To", order.to],
        ["From", order.from],
        ["Url", retriedUrl(order.urls.voice)],
        ["Method", "POST"],
        ["StatusCallback", retriedUrl(order.urls.status)],
        ["StatusCallbackMethod", "POST"],
        ...["initiated", "ringing", "answered", "completed"].map((event) => ["StatusCallbackEvent", event] as const),
        ["Timeout", String(secondsOf(order.ringMsMax, RING_S_MIN, RING_S_MAX))],
      ],
    }),
    ({ sid }) => (isCarrierId(sid) ? { value: { carrierCallId: sid } } : undefined),
    { outcomes: TWILIO_DIAL_REFUSALS },
  );

/**
 * The list cannot name an order, and its filter by start time leaves out calls that Twilio has queued and not dialled yet: so all calls
 * of the two numbers are asked for, and those that are too old are left out here.
 */
export const findCalls = (
  credentials: CarrierCredentials,
  { to, from }: DialOrder,
  sinceMs: number,
): Exchange<{ calls: readonly FoundCall[]; isComplete: boolean }> =>
  exchange(
    request(credentials, "find_call", "/Calls", {
      query: [
        ["To", to],
        ["From", from],
        ["PageSize", PAGE_SIZE],
      ],
    }),
    ({ calls: listed, next_page_uri: nextPage }) => {
      if (!Array.isArray(listed)) return undefined;
      const rows = listed.filter(isObject);
      const createdMs = rows.map(({ date_created: date }) => rfc2822Ms(date) ?? Number.POSITIVE_INFINITY);
      const earliestMs = sinceMs - CARRIER_CLOCK_MS_MAX;
      const calls = rows.flatMap(({ sid, status, direction }, index): FoundCall[] => {
        const isOurs = direction === undefined || direction === "outbound-api";
        if (!isOurs || !isCarrierId(sid) || (createdMs[index] as number) < earliestMs) return [];
        return [{ carrierCallId: sid, isLive: typeof status !== "string" || twilioOutcome(status) === undefined }];
      });
      const isNewestFirst = createdMs.every((ms, index) => index === 0 || ms <= (createdMs[index - 1] as number));
      const isLastPage = nextPage === undefined || nextPage === null || nextPage === "";
      const isComplete = isLastPage || (isNewestFirst && (createdMs.at(-1) ?? earliestMs) < earliestMs);
      return { value: { calls, isComplete } };
    },
  );

/** Ends a call that is queued, rings or was answered: https://www.twilio.com/docs/voice/api/call-resource#update-a-call-resource */
export const hangUp = (credentials: CarrierCredentials, carrierCallId: string): Exchange<undefined> =>
  updateCall(credentials, "hang_up", carrierCallId, [["Status", "completed"]]);

/** Replaces the document of a call that was answered, which ends its stream. */
export const replaceDocument = (
  credentials: CarrierCredentials,
  operation: "connect" | "transfer" | "hang_up",
  carrierCallId: string,
  document: string,
): Exchange<undefined> => updateCall(credentials, operation, carrierCallId, [["Twiml", document]]);

const updateCall = (
  credentials: CarrierCredentials,
  operation: CarrierOperation,
  carrierCallId: string,
  form: Fields,
): Exchange<undefined> =>
  exchange(
    request(credentials, operation, `/Calls/${segment(carrierCallId)}`, { form }),
    ({ sid }) => (isCarrierId(sid) ? NOTHING() : undefined),
    { goneCodes: GONE_CODES },
  );

/** Negative, and null until the call is billed: https://www.twilio.com/docs/voice/api/call-resource#call-properties */
export const readPrice = (credentials: CarrierCredentials, carrierCallId: string): Exchange<CarrierPrice | undefined> =>
  exchange(request(credentials, "read_price", `/Calls/${segment(carrierCallId)}`), (body) =>
    isCarrierId(body.sid) ? { value: priceOf(body.price, body.price_unit) } : undefined,
  );
