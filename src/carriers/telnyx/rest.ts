import { isObject } from "../../core/json.ts";
import {
  type AnswerReading,
  credential,
  formOf,
  isCarrierId,
  isE164,
  NOTHING,
  readAnswer,
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
  CarrierRequest,
  DialOrder,
  Exchange,
  FoundCall,
  NumberRouting,
} from "../telephony.ts";
import { decodeClientState, encodeClientState } from "./client-state.ts";
import { TELNYX_DIAL_REFUSALS } from "./outcomes.ts";

// Requests to Telnyx's API, version 2: https://developers.telnyx.com/api-reference

type Members = Readonly<Record<string, unknown>>;

/** `timeout_secs` of dial and transfer: https://developers.telnyx.com/api-reference/call-commands/dial */
export const RING_S_MIN = 5;
export const RING_S_MAX = 600;
const PAGE_SIZE = "100";

/** The call has already ended: https://developers.telnyx.com/development/api-fundamentals/api-errors */
const GONE_CODES = ["90018"];

function request(
  credentials: CarrierCredentials,
  operation: CarrierOperation,
  method: "GET" | "POST" | "PATCH",
  resource: string,
  body?: Members,
): CarrierRequest {
  const headers = { accept: "application/json", authorization: `Bearer ${credential(credentials, "apiKey")}` };
  const path = `/v2${resource}`;
  if (body === undefined) return { operation, method, path, headers };
  return {
    operation,
    method,
    path,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** The first error: https://developers.telnyx.com/development/api-fundamentals/api-errors */
function codeOf({ errors }: Members): unknown {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return isObject(first) ? first.code : undefined;
}

/** `value` is given `data` of the answer. */
function exchange<Value>(
  built: CarrierRequest,
  value: AnswerReading<Value>["value"],
  options: Pick<AnswerReading<Value>, "goneCodes" | "outcomes"> = {},
): Exchange<Value> {
  return {
    request: built,
    read: (response) =>
      readAnswer(response, {
        value: ({ data }) => (isObject(data) ? value(data) : undefined),
        code: codeOf,
        ...options,
      }),
  };
}

const applicationOf = (credentials: CarrierCredentials): string =>
  `/call_control_applications/${segment(credential(credentials, "connectionId"))}`;

/** Proves the API key, and that the application is the account's. */
export const verify = (credentials: CarrierCredentials): Exchange<undefined> =>
  exchange(request(credentials, "verify", "GET", applicationOf(credentials)), NOTHING);

export function listNumbers(
  credentials: CarrierCredentials,
  page = "1",
): Exchange<{ numbers: readonly CarrierNumber[]; nextPage?: string }> {
  const query = formOf([
    ["filter[status]", "active"],
    ["page[number]", page],
    ["page[size]", PAGE_SIZE],
  ]);
  const value: AnswerReading<{ numbers: readonly CarrierNumber[]; nextPage?: string }>["value"] = ({ data, meta }) => {
    if (!Array.isArray(data)) return undefined;
    const numbers = data
      .filter(isObject)
      .flatMap(({ id, phone_number: number }) =>
        isE164(number) && isCarrierId(id) ? [{ number, carrierNumberId: id }] : [],
      );
    const { page_number: current, total_pages: last } = isObject(meta) ? meta : {};
    const hasMore =
      Number.isSafeInteger(current) && Number.isSafeInteger(last) && (current as number) < (last as number);
    return { value: hasMore ? { numbers, nextPage: String((current as number) + 1) } : { numbers } };
  };
  return {
    request: request(credentials, "list_numbers", "GET", `/phone_numbers?${query}`),
    read: (response) => readAnswer(response, { value, code: codeOf }),
  };
}

export const readNumber = (credentials: CarrierCredentials, number: CarrierNumber): Exchange<NumberRouting> =>
  exchange(request(credentials, "read_number", "GET", `/phone_numbers/${segment(number.carrierNumberId)}`), (data) => {
    const routing = routingOf(data, ["connection_id"]);
    return routing && { value: routing };
  });

/**
 * A number has no address of its own: its application has one, which all of its calls' webhooks go to, so the number is given to the
 * application of the credentials. The application belongs to the service, and its address stays when a number is detached.
 */
export const attachNumber = (
  credentials: CarrierCredentials,
  number: CarrierNumber,
  { voice }: CallbackUrls,
): readonly ((before: readonly unknown[]) => Exchange<unknown>)[] => [
  () =>
    exchange<unknown>(request(credentials, "attach_number", "GET", applicationOf(credentials)), (data) =>
      typeof data.application_name === "string" ? { value: data.application_name } : undefined,
    ),
  // An update needs the name: https://developers.telnyx.com/api-reference/call-control-applications/update-a-call-control-application
  ([application]) =>
    exchange<unknown>(
      request(credentials, "attach_number", "PATCH", applicationOf(credentials), {
        application_name: application,
        webhook_event_url: voice,
        webhook_api_version: "2",
        call_cost_in_webhooks: true,
      }),
      NOTHING,
    ),
  () => updateNumber(credentials, number, "attach_number", credential(credentials, "connectionId")),
];

export const detachNumber = (
  credentials: CarrierCredentials,
  number: CarrierNumber,
  before: NumberRouting,
): readonly (() => Exchange<unknown>)[] => [
  () => updateNumber(credentials, number, "detach_number", routingText(before, "connection_id")),
];

const updateNumber = (
  credentials: CarrierCredentials,
  { carrierNumberId }: CarrierNumber,
  operation: "attach_number" | "detach_number",
  connectionId: string,
): Exchange<unknown> =>
  exchange<unknown>(
    request(credentials, operation, "PATCH", `/phone_numbers/${segment(carrierNumberId)}`, {
      connection_id: connectionId,
    }),
    NOTHING,
  );

/** One `command_id` for all attempts: Telnyx ignores a second dial with it. */
export const dial = (credentials: CarrierCredentials, order: DialOrder): Exchange<{ carrierCallId: string }> =>
  exchange(
    request(credentials, "dial", "POST", "/calls", {
      connection_id: credential(credentials, "connectionId"),
      to: order.to,
      from: order.from,
      command_id: order.callId,
      client_state: encodeClientState({ callId: order.callId }),
      timeout_secs: secondsOf(order.ringMsMax, RING_S_MIN, RING_S_MAX),
      // Otherwise each further route to the number rings as long again.
      retry_on_timeout: false,
      webhook_url: order.urls.status,
      webhook_url_method: "POST",
    }),
    ({ call_control_id: id }) => (isCarrierId(id) ? { value: { carrierCallId: id } } : undefined),
    { outcomes: TELNYX_DIAL_REFUSALS },
  );

/** Only calls that are not over are listed, so that a call that is not there may have been placed all the same. */
export const findCalls = (
  credentials: CarrierCredentials,
  order: DialOrder,
): Exchange<{ calls: readonly FoundCall[]; isComplete: boolean }> => ({
  request: request(
    credentials,
    "find_call",
    "GET",
    `/connections/${segment(credential(credentials, "connectionId"))}/active_calls?${formOf([["page[size]", PAGE_SIZE]])}`,
  ),
  read: (response) =>
    readAnswer<{ calls: readonly FoundCall[]; isComplete: boolean }>(response, {
      value: ({ data }) => {
        if (!Array.isArray(data)) return undefined;
        const calls = data.filter(isObject).flatMap(({ call_control_id: id, client_state: state }): FoundCall[] => {
          const { callId } = decodeClientState(state);
          return isCarrierId(id) && callId === order.callId ? [{ carrierCallId: id, callId, isLive: true }] : [];
        });
        return { value: { calls, isComplete: false } };
      },
      code: codeOf,
    }),
});

/** A command to one call: https://developers.telnyx.com/api-reference/call-commands */
export const command = (
  credentials: CarrierCredentials,
  operation: CarrierOperation,
  carrierCallId: string,
  action: "answer" | "reject" | "hangup" | "transfer" | "send_dtmf" | "streaming_start",
  body: Members,
): Exchange<undefined> =>
  exchange(
    request(credentials, operation, "POST", `/calls/${segment(carrierCallId)}/actions/${action}`, body),
    ({ result }) => (result === "ok" ? NOTHING() : undefined),
    { goneCodes: GONE_CODES },
  );
