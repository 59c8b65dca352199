import { addMs, type EpochMs, millisecondsOf } from "../../../core/clocks.ts";
import { durationS, type EndCause, type Leg } from "../network.ts";
import type { RestResponse } from "../rest/endpoint.ts";

// The JSON of the REST API: https://www.twilio.com/docs/voice/api/call-resource and
// https://www.twilio.com/docs/phone-numbers/api/incomingphonenumber-resource

export const API_VERSION = "2010-04-01";

/** https://www.twilio.com/docs/voice/api/call-resource#call-status-values */
const ENDED: Readonly<Record<EndCause, string>> = {
  completed: "completed",
  busy: "busy",
  declined: "busy",
  no_answer: "no-answer",
  invalid_number: "failed",
  failed: "failed",
  canceled: "canceled",
};

/** SIP's response code of each end, as status callbacks have it. */
export const SIP_CODES: Readonly<Record<EndCause, string>> = {
  completed: "200",
  busy: "486",
  declined: "603",
  no_answer: "487",
  invalid_number: "404",
  failed: "503",
  canceled: "487",
};

export function statusOf({ state, direction, cause = "failed" }: Leg): string {
  if (state === "answered") return "in-progress";
  if (state !== "ended") return state;
  // A caller who gives up before the answer.
  return direction === "inbound" && cause === "canceled" ? "no-answer" : ENDED[cause];
}

/** RFC 2822, in UTC. */
export const rfc2822 = (time: EpochMs): string => new Date(millisecondsOf(time)).toUTCString().replace("GMT", "+0000");

const orNull = (time: EpochMs | undefined): string | null => (time === undefined ? null : rfc2822(time));

export const directionOf = ({ direction, parent }: Leg): string =>
  direction === "inbound" ? "inbound" : parent === undefined ? "outbound-api" : "outbound-dial";

export const callSidOf = (leg: Leg): string => `CA${leg.hex}`;

export function callResource(leg: Leg, accountSid: string, price: number | undefined): Record<string, unknown> {
  const sid = callSidOf(leg);
  const uri = `/${API_VERSION}/Accounts/${accountSid}/Calls/${sid}`;
  const names = ["notifications", "recordings", "streams", "transcriptions", "user_defined_messages"];
  return {
    sid,
    account_sid: accountSid,
    parent_call_sid: leg.parent === undefined ? null : callSidOf(leg.parent),
    to: leg.to,
    to_formatted: leg.to,
    from: leg.from,
    from_formatted: leg.from,
    phone_number_sid: null,
    status: statusOf(leg),
    start_time: orNull(leg.answeredAt),
    end_time: orNull(leg.endedAt),
    duration: leg.endedAt === undefined ? null : String(durationS(leg)),
    price: price === undefined ? null : (-price).toFixed(5),
    price_unit: "USD",
    direction: directionOf(leg),
    answered_by: null,
    api_version: API_VERSION,
    annotation: null,
    forwarded_from: null,
    group_sid: null,
    caller_name: null,
    queue_time: "0",
    trunk_sid: null,
    date_created: rfc2822(leg.createdAt),
    date_updated: rfc2822(leg.endedAt ?? leg.answeredAt ?? leg.createdAt),
    uri: `${uri}.json`,
    subresource_uris: Object.fromEntries(names.map((name) => [name, `${uri}/${camelCase(name)}.json`])),
  };
}

const camelCase = (name: string): string => name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

/** A number of the account; the members that the API can change. */
export interface TwilioNumber {
  readonly sid: string;
  readonly phoneNumber: string;
  friendlyName: string;
  voiceUrl: string;
  voiceMethod: string;
  voiceFallbackUrl: string;
  voiceFallbackMethod: string;
  voiceApplicationSid: string;
  trunkSid: string | null;
  statusCallback: string;
  statusCallbackMethod: string;
}

export function numberResource(number: TwilioNumber, accountSid: string, createdAt: EpochMs): Record<string, unknown> {
  return {
    sid: number.sid,
    account_sid: accountSid,
    phone_number: number.phoneNumber,
    friendly_name: number.friendlyName,
    voice_url: number.voiceUrl,
    voice_method: number.voiceMethod,
    voice_fallback_url: number.voiceFallbackUrl,
    voice_fallback_method: number.voiceFallbackMethod,
    voice_application_sid: number.voiceApplicationSid,
    voice_caller_id_lookup: false,
    voice_receive_mode: "voice",
    status_callback: number.statusCallback,
    status_callback_method: number.statusCallbackMethod,
    trunk_sid: number.trunkSid,
    sms_url: "",
    sms_method: "POST",
    sms_fallback_url: "",
    sms_fallback_method: "POST",
    sms_application_sid: "",
    address_sid: null,
    address_requirements: "none",
    identity_sid: null,
    bundle_sid: null,
    emergency_status: "Inactive",
    emergency_address_sid: null,
    emergency_address_status: "unregistered",
    beta: false,
    origin: "twilio",
    status: "in-use",
    type: null,
    capabilities: { voice: true, sms: false, mms: false, fax: false },
    api_version: API_VERSION,
    date_created: rfc2822(createdAt),
    date_updated: rfc2822(createdAt),
    uri: `/${API_VERSION}/Accounts/${accountSid}/IncomingPhoneNumbers/${number.sid}.json`,
  };
}

export const accountResource = (accountSid: string, createdAt: EpochMs): Record<string, unknown> => ({
  sid: accountSid,
  owner_account_sid: accountSid,
  friendly_name: "Emulated account",
  status: "active",
  type: "Full",
  auth_token: "(not shown)",
  date_created: rfc2822(createdAt),
  date_updated: rfc2822(addMs(createdAt, 0)),
  uri: `/${API_VERSION}/Accounts/${accountSid}.json`,
  subresource_uris: { calls: `/${API_VERSION}/Accounts/${accountSid}/Calls.json` },
});

const PAGE_SIZE_DEFAULT = 50;
const PAGE_SIZE_MAX = 1_000;

/** One page of a list, with the addresses of those around it: https://www.twilio.com/docs/usage/twilios-response#response-formats-list-paging-information */
export function pageOf(name: string, items: readonly unknown[], path: string, query: URLSearchParams): RestResponse {
  const size = Math.min(Math.max(Number(query.get("PageSize") ?? PAGE_SIZE_DEFAULT) || 1, 1), PAGE_SIZE_MAX);
  const page = Number(query.get("Page") ?? 0) || 0;
  const uriOf = (number: number): string => {
    const asked = new URLSearchParams(query);
    asked.set("PageSize", String(size));
    asked.set("Page", String(number));
    return `${path}?${asked}`;
  };
  const start = page * size;
  const shown = items.slice(start, start + size);
  const body = {
    [name]: shown,
    page,
    page_size: size,
    start,
    end: start + Math.max(shown.length - 1, 0),
    uri: uriOf(page),
    first_page_uri: uriOf(0),
    next_page_uri: start + size < items.length ? uriOf(page + 1) : null,
    previous_page_uri: page > 0 ? uriOf(page - 1) : null,
  };
  return { status: 200, body };
}

const ERRORS: Readonly<Record<number, { code: number; message: string }>> = {
  400: { code: 20001, message: "Bad request" },
  401: { code: 20003, message: "Authenticate" },
  403: { code: 20003, message: "Permission Denied" },
  404: { code: 20404, message: "The requested resource was not found" },
  409: { code: 20409, message: "Conflict" },
  422: { code: 20422, message: "Unprocessable entity" },
  429: { code: 20429, message: "Too Many Requests" },
  500: { code: 20500, message: "An internal server error has occurred" },
  503: { code: 20503, message: "Service unavailable" },
};

/** https://www.twilio.com/docs/usage/twilios-response#response-formats-exceptions */
export function twilioError(status: number, code?: number, message?: string): RestResponse {
  const known = ERRORS[status] ?? { code: 20500, message: "Error" };
  const shown = code ?? known.code;
  const more = `https://www.twilio.com/docs/errors/${shown}`;
  return { status, body: { code: shown, message: message ?? known.message, more_info: more, status } };
}
