import { strict as assert } from "node:assert";
import type { PhoneCallOutcome } from "../core/calls/phone.ts";
import { parseObject } from "../core/json.ts";
import { CARRIER_ID_CHARS_MAX, ROUTING_TEXT_CHARS_MAX } from "../core/limits/phone/telephony.ts";
import { CARRIER_CODE_CHARS_MAX } from "../core/limits/streams/messages.ts";
import type { CarrierAnswer, CarrierCredentials, CarrierPrice, CarrierResponse, NumberRouting } from "./telephony.ts";

// What the REST APIs of several carriers have in common. A value in a request may come from a client or from a carrier: it can add no
// header, no member and no part of a path.

const CARRIER_ID = new RegExp(`^[A-Za-z0-9_:.=+~-]{1,${CARRIER_ID_CHARS_MAX}}$`);
const PLAIN_CODE = new RegExp(`^[A-Za-z0-9_.-]{1,${CARRIER_CODE_CHARS_MAX}}$`);
const E164 = /^\+[1-9][0-9]{6,14}$/;

/** Whether a value is an id as carriers make them. It can stand in a path: `.` and `..`, which have a meaning there, are none. */
export const isCarrierId = (value: unknown): value is string =>
  typeof value === "string" && CARRIER_ID.test(value) && /[A-Za-z0-9]/.test(value);

export const isE164 = (value: unknown): value is string => typeof value === "string" && E164.test(value);

/** A carrier's word in a table; undefined for words that are not in it. */
export const lookUp = <Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

/** An id, as one segment of a path. Nothing in an id needs an escape there, and the carriers' SDKs write none. */
export function segment(id: string): string {
  if (!isCarrierId(id)) assert.fail("an id of a carrier was not checked");
  return id;
}

/** A credential, which can stand in a header: its pattern was checked when it was saved. */
export function credential(credentials: CarrierCredentials, name: string): string {
  const { [name]: value = "" } = credentials;
  if (!/^[\x21-\x7e]+$/.test(value)) assert.fail(`the credential ${name} was not checked`);
  return value;
}

/** The header of RFC 7617. */
export const basicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** Pairs as `application/x-www-form-urlencoded`, for a body or a query; those of undefined are left out. */
export const formOf = (fields: readonly (readonly [name: string, value: string | undefined])[]): string =>
  new URLSearchParams(
    fields.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  ).toString();

/** Whole seconds, at least as long; within what a carrier accepts. */
export const secondsOf = (durationMs: number, minS: number, maxS: number): number =>
  Math.min(maxS, Math.max(minS, Math.ceil(durationMs / 1_000)));

/** A price, from the carrier's text or number; undefined for anything else. */
export function priceOf(amount: unknown, currency: unknown): CarrierPrice | undefined {
  const isWritten =
    typeof amount === "number" || (typeof amount === "string" && /^-?[0-9]{1,9}(\.[0-9]{1,9})?$/.test(amount));
  const value = isWritten ? Math.abs(Number(amount)) : Number.NaN;
  if (!Number.isFinite(value) || typeof currency !== "string" || !/^[A-Za-z]{3}$/.test(currency)) return undefined;
  return { amount: value, currency: currency.toUpperCase() };
}

/**
 * Members of an answer, each a text, or absent where the carrier has none. Undefined where one of them could not be restored as it is,
 * because it is no text or too long.
 */
export function routingOf(
  body: Readonly<Record<string, unknown>>,
  members: readonly string[],
): NumberRouting | undefined {
  const routing: Record<string, string> = {};
  for (const member of members) {
    const value = body[member] ?? "";
    if (typeof value !== "string" || value.length > ROUTING_TEXT_CHARS_MAX) return undefined;
    if (value !== "") routing[member] = value;
  }
  return routing;
}

/** A text of a stored routing; empty where the carrier had none. */
export const routingText = (routing: NumberRouting, member: string): string => {
  const { [member]: value = "" } = routing;
  return typeof value === "string" ? value : "";
};

/** How one operation's response is read. */
export interface AnswerReading<Value> {
  /** The value of a success; undefined where the body is none that the carrier can have sent. */
  value(body: Readonly<Record<string, unknown>>): { value: Value } | undefined;
  /** The carrier's own code, in the body of a refusal. */
  code(body: Readonly<Record<string, unknown>>): unknown;
  /** What a refusal means for a call that was to be placed, by the carrier's code; `failed` for the others. Given by `dial` alone. */
  outcomes?: Readonly<Record<string, PhoneCallOutcome>>;
  /** Codes that say that the call is over. With them, and for the status 404, the answer is `gone`. Given by operations on a call. */
  goneCodes?: readonly string[];
}

/** The meaning of a response, whatever its body holds. */
export function readAnswer<Value>(response: CarrierResponse, reading: AnswerReading<Value>): CarrierAnswer<Value> {
  const { status } = response;
  const body = parseObject(response.body);
  if (status >= 200 && status < 300) return readSuccess(response, body, reading);
  const retryAfter = response.headers["retry-after"];
  // A proxy before the carrier may say 503 when the carrier has placed the call.
  const isSafe503 = status === 503 && retryAfter !== undefined && reading.outcomes === undefined;
  if (status === 429 || isSafe503) return busy(retryAfter);
  if (reading.goneCodes !== undefined && status === 404) return { kind: "gone" };
  // Of the others, only those are refusals for sure that the carrier wrote, or that end before a request is carried out.
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 425;
  const isBeforeAll = status === 401 || status === 403;
  if (!isRefusal || (body === undefined && !isBeforeAll)) return { kind: "uncertain", status };
  const code = plainCode(body === undefined ? undefined : reading.code(body)) ?? `http_${status}`;
  if (reading.goneCodes?.includes(code)) return { kind: "gone" };
  const { outcomes } = reading;
  return {
    kind: "refused",
    status,
    code,
    ...(outcomes === undefined ? {} : { outcome: lookUp(outcomes, code) ?? "failed" }),
  };
}

function readSuccess<Value>(
  { status, body: text }: CarrierResponse,
  body: Readonly<Record<string, unknown>> | undefined,
  reading: AnswerReading<Value>,
): CarrierAnswer<Value> {
  const read = text === "" ? reading.value({}) : body && reading.value(body);
  return read === undefined ? { kind: "uncertain", status } : { kind: "done", value: read.value };
}

/** A time of day in `Retry-After` is as good as none: the answer has no clock. */
const busy = (retryAfter: string | undefined): CarrierAnswer<never> =>
  retryAfter !== undefined && /^[0-9]{1,5}$/.test(retryAfter)
    ? { kind: "busy", afterMs: Number(retryAfter) * 1_000 }
    : { kind: "busy" };

/** A carrier's code, a number or a plain text; undefined for anything else. */
export function plainCode(code: unknown): string | undefined {
  const text = typeof code === "number" ? String(code) : code;
  return typeof text === "string" && PLAIN_CODE.test(text) ? text : undefined;
}

/** The value of an operation that has none. */
export const NOTHING = (): { value: undefined } => ({ value: undefined });

/**
 * An address of this service that Twilio and Plivo ask again, up to five times, where it does not answer or answers with an error. The
 * fragment is for the carrier, and is not sent.
 * https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides, https://www.plivo.com/docs/voice/concepts/callback-configurations
 */
export const retriedUrl = (url: string): string => `${url}#rc=5&rp=all`;
