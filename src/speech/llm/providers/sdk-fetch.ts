import { providerFailed, TrunklineError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json.ts";
import { LLM_ANSWER_BYTES_MAX, LLM_BODY_END_WAIT_MS, LLM_ERROR_BODY_BYTES_MAX } from "../../../core/limits/llm.ts";
import { keepAliveFetch } from "../../keep-alive-fetch.ts";
import { refusalFrom } from "../../resilience/provider-error.ts";
import { meansContextExceeded } from "./context-exceeded.ts";
import { formatSseEvent, type SseEvent, SseEventTooLong, SseReader } from "./sse.ts";

/** Handed to clients that insist on a deadline of their own, the longest a timer takes: deadlines are the wrappers'. */
export const CLIENT_TIMEOUT_MS = 2 ** 31 - 1;

type Bytes = ReadableStream<Uint8Array>;
type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** A code of a refusal that is safe to log: neither a sentence nor a key. */
const CODE = /^[A-Za-z][A-Za-z_]{2,47}$/;
/** What the system and undici call their failures: ECONNREFUSED, CERT_HAS_EXPIRED, UND_ERR_SOCKET. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,47}$/;

/**
 * `fetch` as the clients of models use it, with what they leave open: no redirect is followed (an answer of 3xx is a refusal), no
 * compression is asked for or taken, an answer has a bound, and the body of a refusal goes no further than the code in it. Server-sent
 * events are handed on in the plainest form, since not every client reads every legal one. After the event for which `isLast` holds the
 * answer is over, even if the server never ends it. Throws TrunklineError `provider_failed`, whose cause, on a refusal, is a Refusal.
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
    if (body === null) throw providerFailed(provider, "answered without a body");
    const encoding = response.headers.get("content-encoding") ?? "identity";
    if (encoding !== "identity") {
      await body.cancel();
      throw providerFailed(provider, "answered with a content encoding that it was not asked for");
    }
    return new Response(rewrittenEvents(body, provider, isLast), { status, headers: response.headers });
  };
}

/** What `error`, thrown by a client of a model, says without foreign words. */
export function sdkFailure(provider: string, error: unknown): TrunklineError {
  let what: string | undefined;
  // The clients wrap what `fetch` throws, and `fetch` wraps what the socket threw: the innermost reason is the plainest.
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof TrunklineError) return at;
    const code = "code" in at && typeof at.code === "string" && SYSTEM_CODE.test(at.code) ? at.code : undefined;
    if (code !== undefined) what = `could not be reached (${code})`;
    else if (at instanceof TypeError && at.message === "terminated") what ??= "broke off in the middle of an answer";
  }
  if (what !== undefined) return providerFailed(provider, what);
  const reported = reportedCode(error);
  if (reported !== undefined) return providerFailed(provider, `reported an error during its reply (${reported})`);
  return providerFailed(provider, "violated its protocol");
}

/** The code of an error that came as an event of the answer itself. */
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
 * The code in the body of a refusal, and its message, which goes no further than this file. OpenAI has `error.code` and `error.type`, Anthropic `error.type`, Google `error.status`, in an
 * array where the answer was to be a stream; servers that are compatible with them have anything.
 */
function refusalIn(body: string): { code?: string; message?: string } {
  let told: unknown;
  try {
    told = JSON.parse(body);
  } catch {
    return {};
  }
  const outer: unknown = Array.isArray(told) ? told[0] : told;
  if (!isObject(outer)) return {};
  // Some servers that are compatible with OpenAI's have no `error` around it.
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
    // The status is known: that its reason broke off changes nothing.
  }
  reader.cancel().catch(() => {});
  return text;
}

function rewrittenEvents(body: Bytes, provider: string, isLast: (event: SseEvent) => boolean): Bytes {
  const reader = body.getReader();
  const events = new SseReader();
  const encoder = new TextEncoder();
  let bytes = 0;
  /** The events that came next, none of them behind the last; and whether there are no more. */
  const next = async (): Promise<{ came: SseEvent[]; over: boolean }> => {
    const { done, value } = await reader.read();
    if (done) return { came: events.end(), over: true };
    bytes += value.length;
    if (bytes > LLM_ANSWER_BYTES_MAX) throw providerFailed(provider, "sent a reply over the size limit");
    const came = events.push(value);
    const last = came.findIndex(isLast);
    if (last === -1) return { came, over: false };
    void readToEnd(reader);
    return { came: came.slice(0, last + 1), over: true };
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // Comments keep a connection alive and say nothing.
        for (let empty = true; empty; ) {
          const { came, over } = await next();
          if (came.length > 0) controller.enqueue(encoder.encode(came.map(formatSseEvent).join("")));
          if (over) controller.close();
          empty = came.length === 0 && !over;
        }
      } catch (error) {
        reader.cancel().catch(() => {});
        throw error instanceof SseEventTooLong ? providerFailed(provider, "sent an event that is too long") : error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The answer is over: what is left of its body, as a rule nothing, is read, or else its connection is closed. */
async function readToEnd(reader: Reader): Promise<void> {
  const timer = setTimeout(() => reader.cancel().catch(() => {}), LLM_BODY_END_WAIT_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // It broke off, which is no loss any more.
  } finally {
    clearTimeout(timer);
  }
}
