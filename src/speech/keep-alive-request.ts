import { Socket } from "node:net";
import { Agent, buildConnector, Client, type Dispatcher, Pool, request } from "undici";
import { LLM_ERROR_BODY_BYTES_MAX } from "../core/limits/speech-providers/llm.ts";
import { PROVIDER_CONNECTION_IDLE_MS } from "../core/limits/speech-providers/providers.ts";

/*
 * Connections to providers stay open after a response, and all calls of a process share them. Node's `fetch` closes
 * idle connections after four seconds, and callers listen for longer than that: each turn would begin with a handshake.
 * If a server closes a connection sooner, or announces that it will, the next request opens a new one. There are no time
 * limits here: how long a request may take is decided by speech/resilience, with the clock of the process.
 */
const openConnection = buildConnector({ timeout: 0 });

/** One connection, which is opened for a request and serves one at a time. */
class Connection extends Client {
  #signal: AbortSignal | null = null;

  constructor(origin: URL, options: object) {
    super(origin, { ...options, connect: (target, callback) => connect(target, callback, this.#signal) });
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#signal = "signal" in request && request.signal instanceof AbortSignal ? request.signal : null;
    return super.dispatch(request, handler);
  }
}

const AGENT = new Agent({
  factory: (origin, options) =>
    new Pool(origin, { ...options, factory: (server, ofServer) => new Connection(server, ofServer) }),
  keepAliveTimeout: PROVIDER_CONNECTION_IDLE_MS,
  keepAliveMaxTimeout: PROVIDER_CONNECTION_IDLE_MS,
  headersTimeout: 0,
  bodyTimeout: 0,
});

/**
 * Opens the connection of a request. If that is aborted before it is open, it is closed; undici would go on opening it,
 * and it would open another one for a request that was aborted later.
 */
function connect(options: buildConnector.Options, callback: buildConnector.Callback, signal: AbortSignal | null): void {
  if (signal?.aborted === true) {
    callback(aborted(), null);
    return;
  }
  // undici's types leave out the socket.
  const socket: unknown = openConnection(options, (...outcome) => {
    signal?.removeEventListener("abort", close);
    callback(...outcome);
  });
  const close = (): void => {
    if (socket instanceof Socket) socket.destroy(aborted());
  };
  signal?.addEventListener("abort", close, { once: true });
}

const aborted = (): DOMException => new DOMException("aborted", "AbortError");

interface KeepAliveRequest {
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
}

/** `headers` have names in lower case. `body` is the reader's: read to its end or destroyed, it frees the connection. */
export type KeepAliveResponse = Pick<Dispatcher.ResponseData, "statusCode" | "headers" | "body">;

/**
 * Sends a request over a keep-alive connection. It follows no redirects and decompresses nothing. Rejects when the
 * connection fails, with an error for `connectionErrorCode`. An abort of `signal` rejects at once, and destroys the
 * request, its response, and a connection that is being opened for it.
 */
export async function keepAliveRequest(
  url: string,
  { method, headers, body }: KeepAliveRequest,
  signal?: AbortSignal | null,
): Promise<KeepAliveResponse> {
  if (signal?.aborted === true) throw aborted();
  const response = await request(url, {
    dispatcher: AGENT,
    method,
    headers,
    body: body ?? null,
    signal: signal ?? null,
  });
  // The response may fail between two reads: the next read reports the error.
  response.body.on("error", () => {});
  return response;
}

/**
 * Opens a connection for the first request to `url`, by a GET without an API key: whatever the response is, the
 * handshakes are done. (HEAD would often achieve nothing: a connection on which a HEAD is answered without a length is
 * closed.) Failures are ignored: the real request will report them.
 */
export function preconnect(url: string, signal: AbortSignal): void {
  // An unread response blocks its connection, so its body is read; a long one is cancelled instead.
  keepAliveRequest(url, { method: "GET", headers: { "accept-encoding": "identity" } }, signal)
    .then(({ body }) => body.dump({ limit: LLM_ERROR_BODY_BYTES_MAX, signal }))
    .catch(() => {});
}

/** The whole body of a response; undefined where it is longer than `bytesMax`, and its rest is cancelled. */
export async function readBody({ body }: KeepAliveResponse, bytesMax: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A header of a response, by its name in lower case; undefined without it. Repeated ones are joined by commas. */
export const headerOf = ({ headers }: KeepAliveResponse, name: string): string | undefined => headers[name]?.toString();
