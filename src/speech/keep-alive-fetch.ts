import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { LLM_ERROR_BODY_BYTES_MAX } from "../core/limits/llm.ts";
import { PROVIDER_CONNECTION_IDLE_MS } from "../core/limits/providers.ts";

/*
 * Connections to providers outlive the answer that they were opened for, and are shared by all calls of a process. Node's `fetch` drops
 * them after four seconds, and callers listen for longer than that: each turn would begin with a handshake. Where a server drops them
 * sooner, or says that it will, they are opened anew.
 */
const AGENT_OPTIONS = { keepAlive: true, timeout: PROVIDER_CONNECTION_IDLE_MS };
const HTTP = { request: httpRequest, agent: new HttpAgent(AGENT_OPTIONS) };
const HTTPS = { request: httpsRequest, agent: new HttpsAgent(AGENT_OPTIONS) };

export interface KeepAliveRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
}

/**
 * Asks over a connection that is kept; redirects are not followed and nothing is unpacked. Rejects with what the system says of a
 * connection that fails. When `signal` aborts the request is gone, and so is the answer.
 */
export function keepAliveRequest(
  url: string,
  { method, headers, body }: KeepAliveRequest,
  signal?: AbortSignal | null,
): Promise<IncomingMessage> {
  const { request, agent } = url.startsWith("https:") ? HTTPS : HTTP;
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent }, resolve);
    // Destroyed for a reason, as Node's own `signal` has it, a connection whose answer is there and unread throws it at nobody.
    const abort = (): void => {
      reject(new DOMException("aborted", "AbortError"));
      asked.destroy();
    };
    signal?.addEventListener("abort", abort, { once: true });
    asked.on("close", () => signal?.removeEventListener("abort", abort));
    asked.on("error", reject);
    if (signal?.aborted === true) abort();
    else asked.end(body);
  });
}

/** The same as `fetch`, with bodies of text and bytes alone. One that breaks off before its end throws a TypeError, as there. */
export async function keepAliveFetch(
  url: string,
  { method = "GET", headers, body, signal }: RequestInit = {},
): Promise<Response> {
  const sent = typeof body === "string" || body instanceof Uint8Array ? body : undefined;
  const told = Object.fromEntries(new Headers(headers));
  return responseOf(await keepAliveRequest(url, { method, headers: told, body: sent }, signal));
}

/**
 * Opens a connection that the first request to `url` finds open, by a GET that shows nobody's key: whatever the answer to it is, the
 * handshakes are over. (By HEAD it would often be for nothing: Node keeps no connection on which one was answered without a length.)
 * That it fails is nobody's error: whoever asks in earnest will see.
 */
export function preconnect(url: string, signal: AbortSignal): void {
  keepAliveFetch(url, { headers: { "accept-encoding": "identity" }, signal })
    .then(({ body }) => drainBody(body))
    .catch(() => {});
}

/** An answer that nobody wants holds its connection until it has been read; a long one is not worth that. */
async function drainBody(body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader();
  let bytes = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    bytes += part.value.length;
    if (bytes > LLM_ERROR_BODY_BYTES_MAX) await reader?.cancel();
  }
}

/** Statuses of answers that may have no body. */
const STATUSES_WITHOUT_BODY: readonly number[] = [204, 205, 304];

function responseOf(answer: IncomingMessage): Response {
  const { statusCode = 0, headers: told } = answer;
  const headers = new Headers();
  for (const [name, value] of Object.entries(told)) headers.set(name, String(value));
  // What is left of an answer that nobody reads holds its connection.
  if (STATUSES_WITHOUT_BODY.includes(statusCode)) {
    answer.resume();
    return new Response(null, { status: statusCode, headers });
  }
  return new Response(bodyOf(answer), { status: statusCode, headers });
}

function bodyOf(answer: IncomingMessage): ReadableStream<Uint8Array> {
  const parts = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  // An answer may break off while nobody reads it: whoever reads on is told.
  answer.on("error", () => {});
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next().catch(() => {
          throw new TypeError("terminated");
        });
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void answer.destroy(),
    },
    { highWaterMark: 0 },
  );
}
