import { providerFailed, TrunklineError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json.ts";
import { LLM_ANSWER_BYTES_MAX, LLM_BODY_END_WAIT_MS, LLM_ERROR_BODY_BYTES_MAX } from "../../../core/limits/llm.ts";
import { keepAliveFetch } from "../../keep-alive-fetch.ts";
import { refusalFrom } from "../../resilience/provider-error.ts";
import { meansContextExceeded } from "./context-exceeded.ts";
import { formatSseEvent, type SseEvent, SseEventTooLong, SseReader } from "./sse.ts";

/** For clients that require a timeout: the longest that a timer accepts, because our policy has the deadlines. */
export const CLIENT_TIMEOUT_MS = 2 ** 31 - 1;

type Bytes = ReadableStream<Uint8Array>;
type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** A code of a refusal that is safe to log: neither a sentence nor an API key. */
const CODE = /^[A-Za-z][A-Za-z_]{2,47}$/;
/** Error codes of the system and of undici: ECONNREFUSED, CERT_HAS_EXPIRED, UND_ERR_SOCKET. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,47}$/;

/**
 * A `fetch` for the SDKs of LLM providers, with limits that they lack. It follows no redirects (a 3xx response is a
 * refusal), requests and accepts no compression, bounds the size of a response, and takes only the code from the body
 * of a refusal. Server-sent events are rewritten in the simplest form, because not every SDK parses every valid form.
 * The response ends after the event for which `isLast` holds, even if the server never ends it. Throws TrunklineError
 * `provider_failed`, whose cause on a refusal is a Refusal.
 */
export function sdkFetch(
  provider: string,
  isLast: (event: SseEvent) => boolean,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("accept-encoding", "identity");
    const url = input instanceof Request ? input.url : String(input);
    const response = await keepAliveFetch(url, { ...init, headers });
    const { body, status } = response;
    if (!response.ok) throw await refusal(provider, response);
    if (body === null) throw providerFailed(provider, "sent a response without a body");
    const encoding = response.headers.get("content-encoding") ?? "identity";
    if (encoding !== "identity") {
      await body.cancel();
      throw providerFailed(provider, "sent a response with a content encoding that was not requested");
    }
    return new Response(rewrittenEvents(body, provider, isLast), { status, headers: response.headers });
  };
}

/** Converts an error of a provider's SDK to one that quotes no text of the provider. */
export function sdkFailure(provider: string, error: unknown): TrunklineError {
  let what: string | undefined;
  // The SDKs wrap the error of `fetch`, and `fetch` wraps that of the socket: the innermost cause is the most precise.
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TrunklineError) return cause;
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
    if (SYSTEM_CODE.test(code)) what = `could not be reached (${code})`;
    else if (cause instanceof TypeError && cause.message === "terminated") what ??= "broke off during its reply";
  }
  if (what !== undefined) return providerFailed(provider, what);
  const reported = reportedCode(error);
  if (reported !== undefined) return providerFailed(provider, `reported an error during its reply (${reported})`);
  return providerFailed(provider, "violated its protocol");
}

/** The code of an error that arrived as an event within a reply. */
function reportedCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { type, code, status } = error as { type?: unknown; code?: unknown; status?: unknown };
  for (const candidate of [type, code]) if (typeof candidate === "string" && CODE.test(candidate)) return candidate;
  return typeof status === "number" ? String(status) : undefined;
}

async function refusal(provider: string, response: Response): Promise<TrunklineError> {
  const { status, headers } = response;
  const { code, message } = refusalIn(await readBodyStart(response.body));
  const isTooLong = meansContextExceeded(status, code, message);
  const cause = refusalFrom(status, headers.get("retry-after") ?? undefined, isTooLong);
  return providerFailed(provider, `refused with ${status}${code === undefined ? "" : ` (${code})`}`, cause);
}

/**
 * The code and the message in the body of a refusal; the message must not leave this file. OpenAI has `error.code` and
 * `error.type`, Anthropic `error.type`, Google `error.status`, within an array where a stream was requested. Compatible
 * servers vary.
 */
function refusalIn(body: string): { code?: string; message?: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return {};
  }
  const outer: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isObject(outer)) return {};
  // Some OpenAI-compatible servers omit the `error` object around the fields.
  const error = isObject(outer.error) ? outer.error : outer;
  const { type, status, message } = error;
  const code = [error.code, type, status].find(
    (value): value is string => typeof value === "string" && CODE.test(value),
  );
  return { ...(code !== undefined && { code }), ...(typeof message === "string" && { message }) };
}

async function readBodyStart(body: Bytes | null): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  try {
    while (text.length < LLM_ERROR_BODY_BYTES_MAX) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The status is known, so an incomplete body changes nothing.
  }
  reader.cancel().catch(() => {});
  return text;
}

function rewrittenEvents(body: Bytes, provider: string, isLast: (event: SseEvent) => boolean): Bytes {
  const reader = body.getReader();
  const events = new SseReader();
  const encoder = new TextEncoder();
  let bytes = 0;
  /** The next events, up to the last one, and whether the response is over. */
  const next = async (): Promise<{ received: SseEvent[]; isOver: boolean }> => {
    const { done, value } = await reader.read();
    if (done) return { received: events.end(), isOver: true };
    bytes += value.length;
    if (bytes > LLM_ANSWER_BYTES_MAX) throw providerFailed(provider, "sent a reply over the size limit");
    const received = events.push(value);
    const last = received.findIndex(isLast);
    if (last === -1) return { received, isOver: false };
    void readToEnd(reader);
    return { received: received.slice(0, last + 1), isOver: true };
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // Chunks with comments only contain no event, so read on until there is one.
        for (let isEmpty = true; isEmpty; ) {
          const { received, isOver } = await next();
          if (received.length > 0) controller.enqueue(encoder.encode(received.map(formatSseEvent).join("")));
          if (isOver) controller.close();
          isEmpty = received.length === 0 && !isOver;
        }
      } catch (error) {
        reader.cancel().catch(() => {});
        throw error instanceof SseEventTooLong ? providerFailed(provider, "sent an event that is too long") : error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * Reads the rest of a complete response, usually nothing, so that its connection can be reused. Cancels it after a
 * timeout.
 */
async function readToEnd(reader: Reader): Promise<void> {
  const timer = setTimeout(() => reader.cancel().catch(() => {}), LLM_BODY_END_WAIT_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The connection failed after the response was complete: nothing is lost.
  } finally {
    clearTimeout(timer);
  }
}
