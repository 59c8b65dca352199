import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { LLM_ERROR_BODY_BYTES_MAX } from "../core/limits/llm.ts";
import { PROVIDER_CONNECTION_IDLE_MS } from "../core/limits/providers.ts";

/*
 * Connections to providers stay open after a response, and all calls of a process share them. Node's `fetch` closes
 * idle connections after four seconds, and callers listen for longer than that: each turn would begin with a handshake.
 * If a server closes a connection sooner, or announces that it will, the next request opens a new one.
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
 * Sends a request over a keep-alive connection. It follows no redirects and decompresses nothing. Rejects with the
 * system's error when the connection fails. An abort of `signal` destroys the request and its response.
 */
export function keepAliveRequest(
  url: string,
  { method, headers, body }: KeepAliveRequest,
  signal?: AbortSignal | null,
): Promise<IncomingMessage> {
  const { request, agent } = url.startsWith("https:") ? HTTPS : HTTP;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, resolve);
    // Destroyed without an error. Node's own `signal` option passes one, and a connection whose response has arrived
    // but is
    // unread would then emit an unhandled error.
    const abort = (): void => {
      reject(new DOMException("aborted", "AbortError"));
      sent.destroy();
    };
    signal?.addEventListener("abort", abort, { once: true });
    sent.on("close", () => signal?.removeEventListener("abort", abort));
    sent.on("error", reject);
    if (signal?.aborted === true) abort();
    else sent.end(body);
  });
}

/**
 * As `fetch`, for request bodies of text or bytes. A response body that ends early throws a TypeError, as with `fetch`.
 */
export async function keepAliveFetch(
  url: string,
  { method = "GET", headers, body, signal }: RequestInit = {},
): Promise<Response> {
  const sent = typeof body === "string" || body instanceof Uint8Array ? body : undefined;
  const headerFields = Object.fromEntries(new Headers(headers));
  return responseOf(await keepAliveRequest(url, { method, headers: headerFields, body: sent }, signal));
}

/**
 * Opens a connection for the first request to `url`, by a GET without an API key: whatever the response is, the
 * handshakes are done. (HEAD would often achieve nothing: Node closes a connection on which a HEAD is answered without
 * a length.) Failures are ignored: the real request will report them.
 */
export function preconnect(url: string, signal: AbortSignal): void {
  keepAliveFetch(url, { headers: { "accept-encoding": "identity" }, signal })
    .then(({ body }) => drainBody(body))
    .catch(() => {});
}

/** An unread response blocks its connection, so its body is read; a long one is cancelled instead. */
async function drainBody(body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader();
  let bytes = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    bytes += part.value.length;
    if (bytes > LLM_ERROR_BODY_BYTES_MAX) await reader?.cancel();
  }
}

/** Statuses of responses that may have no body. */
const STATUSES_WITHOUT_BODY: readonly number[] = [204, 205, 304];

function responseOf(message: IncomingMessage): Response {
  const { statusCode = 0, headers: received } = message;
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) headers.set(name, String(value));
  // An unread rest of the response would block its connection.
  if (STATUSES_WITHOUT_BODY.includes(statusCode)) {
    message.resume();
    return new Response(null, { status: statusCode, headers });
  }
  return new Response(bodyOf(message), { status: statusCode, headers });
}

function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const parts = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  // The response may fail between two reads: the next read reports the error.
  message.on("error", () => {});
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next().catch(() => {
          throw new TypeError("terminated");
        });
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void message.destroy(),
    },
    { highWaterMark: 0 },
  );
}
