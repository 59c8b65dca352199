import { strict as assert } from "node:assert";
import { providerFailed, TrunklineError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json.ts";
import {
  LLM_ANSWER_BYTES_MAX,
  LLM_BODY_END_WAIT_MS,
  LLM_ERROR_BODY_BYTES_MAX,
} from "../../../core/limits/speech-providers/llm.ts";
import { connectionErrorCode } from "../../../core/network/connection-error.ts";
import { headerOf, type KeepAliveResponse, keepAliveRequest } from "../../keep-alive-request.ts";
import { loggableCode, refusalFrom } from "../../resilience/provider-error.ts";
import { meansContextExceeded } from "./context-exceeded.ts";
import { type SseEvent, SseEventTooLong, SseReader } from "./sse.ts";

/** For clients that require a timeout: the longest that a timer accepts, because our policy has the deadlines. */
export const CLIENT_TIMEOUT_MS = 2 ** 31 - 1;

type Body = KeepAliveResponse["body"];

/** What an SDK gets of a response: its status. The body is left to `responseEvents`. */
class EventResponse extends Response {
  readonly events: Body;

  constructor(status: number, events: Body) {
    super(null, { status });
    this.events = events;
  }
}

/**
 * A `fetch` for the SDKs of LLM providers, which only post here. It follows no redirects (a 3xx response is a refusal),
 * requests and accepts no compression, and takes only the code from the body of a refusal. The SDK gets the response
 * without its body, which `responseEvents` reads: not every SDK parses every valid form of server-sent events, and none
 * limits their size. Throws TrunklineError `provider_failed`, whose cause on a refusal is a Refusal.
 */
export function sdkFetch(provider: string): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init = {}) => {
    const headers = { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" };
    const url = input instanceof Request ? input.url : String(input);
    assert.ok(typeof init.body === "string", "the SDKs send JSON");
    const response = await keepAliveRequest(url, { method: "POST", headers, body: init.body }, init.signal);
    const { statusCode, body } = response;
    if (statusCode < 200 || statusCode > 299) throw await refusal(provider, response);
    if ((headerOf(response, "content-encoding") ?? "identity") !== "identity") {
      body.destroy();
      throw providerFailed(provider, "sent a response with a content encoding that was not requested");
    }
    return new EventResponse(statusCode, body);
  };
}

/**
 * Reads the events of a response of `sdkFetch`, within the limits of an event and of a response. When `signal` aborts,
 * the connection is closed.
 */
export function responseEvents(
  provider: string,
  response: Response,
  isLast: (event: SseEvent) => boolean,
  signal: AbortSignal,
) {
  assert.ok(response instanceof EventResponse, "SDKs return the response that their fetch returned");
  const body = response.events;
  const chunks: AsyncIterator<Buffer> = body.iterator({ destroyOnReturn: false });
  const reader = new SseReader();
  let bytes = 0;
  const destroy = (): void => void body.destroy();
  if (signal.aborted) destroy();
  signal.addEventListener("abort", destroy, { once: true });
  return {
    /** The next events, and whether the response is over after them. Throws `provider_failed` or SseEventTooLong. */
    async next(): Promise<{ events: readonly SseEvent[]; isEnd: boolean }> {
      const { done = false, value } = await chunks.next().catch(() => {
        throw providerFailed(provider, "broke off during its reply");
      });
      bytes += value?.length ?? 0;
      if (bytes > LLM_ANSWER_BYTES_MAX) throw providerFailed(provider, "sent a reply over the size limit");
      const received = done ? reader.end() : reader.push(value);
      const last = received.findIndex(isLast);
      return last === -1 ? { events: received, isEnd: done } : { events: received.slice(0, last + 1), isEnd: true };
    },
    /** Frees the connection: a complete response is read to its end, any other one is cancelled. */
    async close(isComplete: boolean): Promise<void> {
      signal.removeEventListener("abort", destroy);
      await chunks.return?.();
      if (isComplete) readToEnd(body);
      else destroy();
    },
  };
}

/**
 * Reads the rest of a complete response, usually nothing, so that its connection can be reused. Cancels it after a
 * timeout.
 */
function readToEnd(body: Body): void {
  const signal = AbortSignal.timeout(LLM_BODY_END_WAIT_MS);
  // A connection that fails after the response was complete loses nothing.
  body.dump({ limit: LLM_ANSWER_BYTES_MAX, signal }).catch(() => {});
}

/** The failure for an error that arrived as an event within a reply. It quotes its code only. */
export function reportedError(provider: string, error: unknown): TrunklineError {
  const { type, code }: Readonly<Record<string, unknown>> = isObject(error) ? error : {};
  const reported = loggableCode(type) ?? loggableCode(code);
  const what = reported === undefined ? "violated its protocol" : `reported an error during its reply (${reported})`;
  return providerFailed(provider, what);
}

/** Converts an error of a provider's SDK to one that quotes no text of the provider. */
export function sdkFailure(provider: string, error: unknown): TrunklineError {
  if (error instanceof SseEventTooLong) return providerFailed(provider, "sent an event that is too long");
  let what = "violated its protocol";
  // The SDKs wrap the error of `fetch`, and `fetch` wraps that of the socket: the innermost cause is the most precise.
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TrunklineError) return cause;
    const code = connectionErrorCode(cause);
    if (code !== undefined) what = `could not be reached (${code})`;
  }
  return providerFailed(provider, what);
}

async function refusal(provider: string, response: KeepAliveResponse): Promise<TrunklineError> {
  const { statusCode: status, body } = response;
  const { code, message } = refusalIn(await readBodyStart(body));
  const isTooLong = meansContextExceeded(status, code, message);
  const cause = refusalFrom(status, headerOf(response, "retry-after"), isTooLong);
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
  const code = loggableCode(error.code) ?? loggableCode(type) ?? loggableCode(status);
  return { ...(code !== undefined && { code }), ...(typeof message === "string" && { message }) };
}

async function readBodyStart(body: Body): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= LLM_ERROR_BODY_BYTES_MAX) break;
    }
  } catch {
    // The status is known, so an incomplete body changes nothing.
  }
  return text;
}
