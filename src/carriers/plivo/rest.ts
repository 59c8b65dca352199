import { strict as assert } from "node:assert";
import { isObject } from "../../core/json.ts";
import {
  type AnswerReading,
  basicAuthorization,
  credential,
  formOf,
  isCarrierId,
  isE164,
  NOTHING,
  readAnswer,
  retriedUrl,
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
import { e164Of, plivoPrice } from "./numbers.ts";

// Requests to Plivo's API: https://www.plivo.com/docs/voice/api/overview

type Members = Readonly<Record<string, unknown>>;

/** `ring_timeout` is 120 s by default: https://www.plivo.com/docs/voice/api/call/make-a-call */
const RING_S_MIN = 5;
const RING_S_MAX = 120;
/** The most that a list has: https://www.plivo.com/docs/voice/api/overview */
const PAGE_SIZE = 20;

function request(
  credentials: CarrierCredentials,
  operation: CarrierOperation,
  method: "GET" | "POST" | "DELETE",
  resource: string,
  body?: Members,
): CarrierRequest {
  const account = credential(credentials, "authId");
  const headers = {
    accept: "application/json",
    authorization: basicAuthorization(account, credential(credentials, "authToken")),
  };
  const path = `/v1/Account/${segment(account)}/${resource}`;
  if (body === undefined) return { operation, method, path, headers };
  return {
    operation,
    method,
    path,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** Plivo's errors are sentences without a code: https://www.plivo.com/docs/voice/api/response */
const noCode = (): undefined => undefined;

function exchange<Value>(
  built: CarrierRequest,
  value: AnswerReading<Value>["value"],
  options: Pick<AnswerReading<Value>, "goneCodes" | "outcomes"> = {},
): Exchange<Value> {
  return { request: built, read: (response) => readAnswer(response, { value, code: noCode, ...options }) };
}

/** Plivo writes numbers without the plus. A text with `<` would call two. */
function digitsOf(e164: string): string {
  if (!isE164(e164)) assert.fail("a number was not checked");
  return e164.slice(1);
}

export const verify = (credentials: CarrierCredentials): Exchange<undefined> =>
  exchange(request(credentials, "verify", "GET", ""), ({ auth_id: id }) => (isCarrierId(id) ? NOTHING() : undefined));

/** `page` is an offset. */
export function listNumbers(
  credentials: CarrierCredentials,
  page = "0",
): Exchange<{ numbers: readonly CarrierNumber[]; nextPage?: string }> {
  const offset = /^[0-9]{1,6}$/.test(page) ? Number(page) : 0;
  const query = formOf([
    ["limit", String(PAGE_SIZE)],
    ["offset", String(offset)],
  ]);
  return exchange(request(credentials, "list_numbers", "GET", `Number/?${query}`), ({ objects, meta }) => {
    if (!Array.isArray(objects)) return undefined;
    const numbers = objects.filter(isObject).flatMap(({ number: digits, voice_enabled: hasVoice }) => {
      const number = typeof digits === "string" ? e164Of(digits) : undefined;
      return hasVoice !== false && isE164(number) ? [{ number, carrierNumberId: number.slice(1) }] : [];
    });
    const hasMore = isObject(meta) && typeof meta.next === "string";
    return { value: hasMore ? { numbers, nextPage: String(offset + PAGE_SIZE) } : { numbers } };
  });
}

/** A number has an application, whose addresses its calls use: https://www.plivo.com/docs/numbers/api/account-phone-number */
export const readNumber = (credentials: CarrierCredentials, number: CarrierNumber): Exchange<NumberRouting> =>
  exchange(
    request(credentials, "read_number", "GET", `Number/${segment(number.carrierNumberId)}/`),
    ({ number: digits, application, app_id: appId }) => {
      if (typeof digits !== "string") return undefined;
      const id = isCarrierId(appId) ? appId : applicationIn(application);
      return { value: id === undefined ? {} : { app_id: id } };
    },
  );

/** The id in the address of an application. */
const applicationIn = (uri: unknown): string | undefined =>
  typeof uri === "string" ? /\/Application\/([0-9A-Za-z-]{1,64})\/$/.exec(uri)?.[1] : undefined;

/** The application of this service for a number has this name, so that a second attachment finds it. */
export const applicationName = ({ carrierNumberId }: CarrierNumber): string => `trunkline-${carrierNumberId}`;

/** The application that the number had is not touched. */
export const attachNumber = (
  credentials: CarrierCredentials,
  number: CarrierNumber,
  urls: CallbackUrls,
): readonly ((before: readonly unknown[]) => Exchange<unknown>)[] => [
  () => findApplication(credentials, applicationName(number)),
  ([found]) => writeApplication(credentials, applicationName(number), found, urls),
  ([, applicationId]) => updateNumber(credentials, number, "attach_number", String(applicationId)),
];

/** The id of the application with this name; undefined where there is none. */
export const findApplication = (credentials: CarrierCredentials, name: string): Exchange<unknown> =>
  exchange<unknown>(
    request(
      credentials,
      "attach_number",
      "GET",
      `Application/?${formOf([
        ["app_name", name],
        ["limit", String(PAGE_SIZE)],
      ])}`,
    ),
    ({ objects }) => {
      if (!Array.isArray(objects)) return undefined;
      const found = objects.filter(isObject).find(({ app_name: its, app_id: id }) => its === name && isCarrierId(id));
      return { value: found?.app_id };
    },
  );

/** https://www.plivo.com/docs/account/api/application/update-an-application */
function writeApplication(
  credentials: CarrierCredentials,
  name: string,
  found: unknown,
  { voice, status }: CallbackUrls,
): Exchange<unknown> {
  const addresses = {
    answer_url: retriedUrl(voice),
    answer_method: "POST",
    hangup_url: retriedUrl(status),
    hangup_method: "POST",
  };
  if (isCarrierId(found)) {
    const update = request(credentials, "attach_number", "POST", `Application/${segment(found)}/`, addresses);
    return exchange<unknown>(update, () => ({ value: found }));
  }
  return exchange<unknown>(
    request(credentials, "attach_number", "POST", "Application/", { app_name: name, ...addresses }),
    ({ app_id: id }) => (isCarrierId(id) ? { value: id } : undefined),
  );
}

export const detachNumber = (
  credentials: CarrierCredentials,
  number: CarrierNumber,
  before: NumberRouting,
): readonly (() => Exchange<unknown>)[] => [
  () => updateNumber(credentials, number, "detach_number", routingText(before, "app_id")),
];

const updateNumber = (
  credentials: CarrierCredentials,
  { carrierNumberId }: CarrierNumber,
  operation: "attach_number" | "detach_number",
  applicationId: string,
): Exchange<unknown> =>
  exchange<unknown>(
    request(credentials, operation, "POST", `Number/${segment(carrierNumberId)}/`, { app_id: applicationId }),
    NOTHING,
  );

/** The `request_uuid` of one call is its `CallUUID`, too: the live call in the fixtures of Plivo's SDK for Python has one id for both. */
export const dial = (credentials: CarrierCredentials, order: DialOrder): Exchange<{ carrierCallId: string }> =>
  exchange(
    request(credentials, "dial", "POST", "Call/", {
      from: digitsOf(order.from),
      to: digitsOf(order.to),
      answer_url: retriedUrl(order.urls.voice),
      answer_method: "POST",
      ring_url: retriedUrl(order.urls.status),
      ring_method: "POST",
      hangup_url: retriedUrl(order.urls.status),
      hangup_method: "POST",
      ring_timeout: secondsOf(order.ringMsMax, RING_S_MIN, RING_S_MAX),
    }),
    ({ request_uuid: id }) => (isCarrierId(id) ? { value: { carrierCallId: id } } : undefined),
    { outcomes: {} },
  );

/**
 * Only live calls are listed: one that is queued by the account's limit of calls a second, or over, is not there.
 * https://www.plivo.com/docs/voice/api/call/retrieve-all-live-calls
 */
export const findCalls = (
  credentials: CarrierCredentials,
  order: DialOrder,
): Exchange<{ calls: readonly FoundCall[]; isComplete: boolean }> => {
  const query = formOf([
    ["status", "live"],
    ["call_direction", "outbound"],
    ["from_number", digitsOf(order.from)],
    ["to_number", digitsOf(order.to)],
  ]);
  return exchange(request(credentials, "find_call", "GET", `Call/?${query}`), ({ calls }) => {
    if (!Array.isArray(calls)) return undefined;
    const found = calls.filter(isCarrierId).map((carrierCallId) => ({ carrierCallId, isLive: true }));
    return { value: { calls: found, isComplete: false } };
  });
};

/** Ends a call, also before it is answered: https://www.plivo.com/docs/voice/api/call/hangup-a-call */
export const hangUp = (credentials: CarrierCredentials, carrierCallId: string): Exchange<undefined> =>
  exchange(request(credentials, "hang_up", "DELETE", `Call/${segment(carrierCallId)}/`), NOTHING, { goneCodes: [] });

/** https://www.plivo.com/docs/voice/api/dtmf/send-digits */
export const sendDtmf = (credentials: CarrierCredentials, carrierCallId: string, digits: string): Exchange<undefined> =>
  exchange(
    request(credentials, "send_dtmf", "POST", `Call/${segment(carrierCallId)}/DTMF/`, { digits, leg: "aleg" }),
    NOTHING,
    { goneCodes: [] },
  );

/** The call fetches a document from another address: https://www.plivo.com/docs/voice/api/call/transfer-a-call */
export const redirect = (
  credentials: CarrierCredentials,
  operation: "connect" | "transfer" | "hang_up",
  carrierCallId: string,
  documentUrl: string,
): Exchange<undefined> =>
  exchange(
    request(credentials, operation, "POST", `Call/${segment(carrierCallId)}/`, {
      legs: "aleg",
      aleg_url: retriedUrl(documentUrl),
      aleg_method: "POST",
    }),
    NOTHING,
    { goneCodes: [] },
  );

/** The record of a call is made after its end: https://www.plivo.com/docs/voice/api/call/retrieve-a-call */
export function readPrice(credentials: CarrierCredentials, carrierCallId: string): Exchange<CarrierPrice | undefined> {
  const built = request(credentials, "read_price", "GET", `Call/${segment(carrierCallId)}/`);
  const { read } = exchange<CarrierPrice | undefined>(built, (body) =>
    isCarrierId(body.call_uuid)
      ? { value: plivoPrice(body.total_amount, [body.from_number, body.to_number]) }
      : undefined,
  );
  return {
    request: built,
    read: (response) => (response.status === 404 ? { kind: "done", value: undefined } : read(response)),
  };
}
