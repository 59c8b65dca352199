import { type EpochMs, millisecondsOf } from "../../../core/clocks.ts";
import { reversedId, uuidOf } from "../../peers/carrier.ts";
import { durationS, type EndCause, type Leg } from "../network.ts";
import type { RestResponse } from "../rest/endpoint.ts";

// The JSON of the REST API: https://www.plivo.com/docs/voice/api/call/the-call-object,
// https://www.plivo.com/docs/numbers/api/account-phone-number/the-accountphonenumber-object and
// https://www.plivo.com/docs/account/api/application

/** As the simulated stream names its call. */
export const callUuidOf = (leg: Leg): string => uuidOf(reversedId(leg.hex));

/** The API writes numbers without their `+`. */
export const plain = (number: string): string => number.replace(/^\+/, "");

/** `yyyy-MM-dd HH:mm:ss`, in UTC. */
export const plivoTime = (time: EpochMs): string =>
  new Date(millisecondsOf(time)).toISOString().replace("T", " ").slice(0, 19);

/** https://support.plivo.com/hc/en-us/articles/360041432532 and https://www.plivo.com/docs/voice/troubleshooting/hangup-causes */
export const HANGUPS: Readonly<Record<EndCause, { status: string; cause: string; name: string; code: number }>> = {
  completed: { status: "completed", cause: "NORMAL_CLEARING", name: "Normal Hangup", code: 4000 },
  busy: { status: "busy", cause: "USER_BUSY", name: "Busy Line", code: 3010 },
  declined: { status: "busy", cause: "CALL_REJECTED", name: "Rejected", code: 3020 },
  no_answer: { status: "no-answer", cause: "NO_ANSWER", name: "No Answer", code: 3000 },
  invalid_number: { status: "failed", cause: "UNALLOCATED_NUMBER", name: "Invalid Destination Address", code: 2000 },
  failed: { status: "failed", cause: "NORMAL_TEMPORARY_FAILURE", name: "Network Congestion from Carrier", code: 5030 },
  canceled: { status: "cancel", cause: "ORIGINATOR_CANCEL", name: "Canceled", code: 1000 },
};

export function statusOf({ state, direction, cause = "failed" }: Leg): string {
  if (state === "answered") return "in-progress";
  if (state !== "ended") return state;
  // "the CallStatus will be set to completed for inbound calls": https://www.plivo.com/docs/voice/xml/request
  return direction === "inbound" ? "completed" : HANGUPS[cause].status;
}

export const sourceOf = ({ endedBy, direction }: Leg): string => {
  if (endedBy === "network") return "Carrier";
  if (endedBy === "account") return "API Request";
  return direction === "inbound" ? "Caller" : "Call recipient";
};

/** The record of a call that is over. */
export function recordOf(leg: Leg, authId: string, { price, rate }: { price: number | undefined; rate: number }) {
  const uuid = callUuidOf(leg);
  const { name, code } = HANGUPS[leg.cause ?? "failed"];
  const timeOrNull = (time: EpochMs | undefined): string | null =>
    time === undefined ? null : `${plivoTime(time)}+00:00`;
  return {
    call_uuid: uuid,
    parent_call_uuid: leg.parent === undefined ? null : callUuidOf(leg.parent),
    call_direction: leg.direction,
    from_number: plain(leg.from),
    to_number: plain(leg.to),
    call_state: leg.answeredAt === undefined ? HANGUPS[leg.cause ?? "failed"].status.toUpperCase() : "ANSWER",
    call_duration: durationS(leg),
    bill_duration: durationS(leg),
    billed_duration: Math.ceil(durationS(leg) / 60) * 60,
    initiation_time: timeOrNull(leg.createdAt),
    answer_time: timeOrNull(leg.answeredAt),
    end_time: timeOrNull(leg.endedAt),
    hangup_cause_name: name,
    hangup_cause_code: code,
    hangup_source: sourceOf(leg),
    total_amount: (price ?? 0).toFixed(5),
    total_rate: rate.toFixed(5),
    conference_uuid: null,
    resource_uri: `/v1/Account/${authId}/Call/${uuid}/`,
    stir_verification: "Not Applicable",
    stir_attestation: null,
    source_ip: null,
    cnam_lookup: null,
  };
}

/** A call that is queued or live. */
export const liveCall = (leg: Leg): Record<string, unknown> => ({
  call_uuid: callUuidOf(leg),
  request_uuid: callUuidOf(leg),
  call_status: statusOf(leg),
  caller_name: plain(leg.from),
  direction: leg.direction,
  from: plain(leg.from),
  to: plain(leg.to),
  session_start: plivoTime(leg.createdAt),
  stir_verification: "Not Applicable",
  stir_attestation: null,
});

export interface PlivoApplication {
  readonly id: string;
  name: string;
  answerUrl: string;
  answerMethod: string;
  hangupUrl: string;
  hangupMethod: string;
  fallbackAnswerUrl: string;
  fallbackMethod: string;
}

export const applicationUri = (authId: string, id: string): string => `/v1/Account/${authId}/Application/${id}/`;

export const applicationResource = (application: PlivoApplication, authId: string): Record<string, unknown> => ({
  app_id: application.id,
  app_name: application.name,
  answer_url: application.answerUrl,
  answer_method: application.answerMethod,
  hangup_url: application.hangupUrl,
  hangup_method: application.hangupMethod,
  fallback_answer_url: application.fallbackAnswerUrl,
  fallback_method: application.fallbackMethod,
  message_url: "",
  message_method: "POST",
  application_type: "XML",
  default_app: false,
  default_endpoint_app: false,
  enabled: true,
  log_incoming_messages: true,
  public_uri: false,
  sub_account: null,
  sip_uri: `sip:${application.id}@app.plivo.com`,
  resource_uri: applicationUri(authId, application.id),
});

export interface PlivoNumber {
  /** E.164. */
  readonly number: string;
  applicationId: string;
  alias: string | null;
}

export const numberResource = (
  { number, applicationId, alias }: PlivoNumber,
  authId: string,
  addedAt: EpochMs,
): Record<string, unknown> => ({
  number: plain(number),
  alias,
  sub_account: null,
  added_on: plivoTime(addedAt).slice(0, 10),
  application: applicationId === "" ? null : applicationUri(authId, applicationId),
  carrier: "Plivo",
  region: "Washington, D.C., UNITED STATES",
  country: "US",
  type: "local",
  number_type: "local",
  monthly_rental_rate: "0.80000",
  sms_enabled: false,
  sms_rate: "0.00000",
  mms_enabled: false,
  mms_rate: "0.00000",
  voice_enabled: true,
  voice_rate: "0.00850",
  active: true,
  resource_uri: `/v1/Account/${authId}/Number/${plain(number)}/`,
});

const LIMIT_MAX = 20;

/** One page of a list: https://www.plivo.com/docs/voice/api/pagination */
export function pageOf(items: readonly unknown[], apiId: string, path: string, query: URLSearchParams): RestResponse {
  const limit = Math.min(Math.max(Number(query.get("limit") ?? LIMIT_MAX) || 1, 1), LIMIT_MAX);
  const offset = Math.max(Number(query.get("offset") ?? 0) || 0, 0);
  const uriOf = (from: number): string => `${path}?limit=${limit}&offset=${from}`;
  const meta = {
    limit,
    offset,
    total_count: items.length,
    next: offset + limit < items.length ? uriOf(offset + limit) : null,
    previous: offset > 0 ? uriOf(Math.max(offset - limit, 0)) : null,
  };
  return { status: 200, body: { api_id: apiId, meta, objects: items.slice(offset, offset + limit) } };
}

const ERRORS: Readonly<Record<number, string>> = {
  400: "bad request",
  401: "authentication failed",
  403: "forbidden",
  404: "not found",
  405: "method not allowed",
  409: "conflict",
  422: "unprocessable entity",
  429: "too many requests",
  500: "internal server error",
  503: "service unavailable",
};

/** https://www.plivo.com/docs/voice/api/response */
export function plivoError(status: number, apiId: string, error?: string): RestResponse {
  // Without credentials the API answers with a plain text.
  if (status === 401) {
    return {
      status,
      headers: { "content-type": "text/html", "www-authenticate": 'Basic realm="Plivo"' },
      body: "Could not verify your access level for that URL.\nYou have to login with proper credentials",
    };
  }
  return { status, body: { api_id: apiId, error: error ?? ERRORS[status] ?? "error" } };
}
