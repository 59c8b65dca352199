import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../../core/clock.ts";
import { millisecondsOf } from "../../../core/clocks.ts";
import type { EmulatedCarrier } from "../carrier-model.ts";
import type { RestFault } from "../scenario.ts";
import { type Endpoint, findEndpoint, type RestRequest, type RestResponse } from "./endpoint.ts";
import type { RestFaults } from "./faults.ts";
import { type LoggedRequest, redactedBody, withoutSecrets } from "./request-log.ts";

const BODY_BYTES_MAX = 1_048_576;
const HTML = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";

/** A request that is not for the carrier's API: the page and the control API. Undefined: the path is none of theirs. */
export type OwnRoutes = (request: Omit<RestRequest, "params">) => Promise<RestResponse | undefined>;

export interface RestServerOptions {
  readonly clock: Clock;
  readonly carrier: EmulatedCarrier;
  readonly faults: RestFaults;
  readonly own: OwnRoutes;
  /** Called with each entry of the log, at once. */
  readonly onRequest?: (request: LoggedRequest) => void;
}

/** Serves the carrier's REST API, and what the emulator adds to it, on one port of this machine. */
export class RestServer {
  readonly #options: RestServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #log: LoggedRequest[] = [];

  constructor(options: RestServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        // A defect of the emulator: a test must notice it.
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        response.writeHead(599).end();
      });
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  /** Every request to the carrier's API, in order. */
  get log(): readonly LoggedRequest[] {
    return this.#log;
  }

  /** For requests that reach the emulator by another way, such as a proxy. */
  get server(): Server {
    return this.#server;
  }

  /** Listens on 127.0.0.1; 0 for any free port. Resolves with the port. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await bodyOf(message);
    if (bytes === undefined) {
      send(response, { status: 413 });
      return;
    }
    const request = requestOf(message, bytes);
    const { carrier, own } = this.#options;
    const found = findEndpoint(carrier.endpoints, request.method, request.path);
    if (found === undefined) {
      const answer = await own(request);
      if (answer === undefined) this.#record(request, 404);
      send(response, answer ?? carrier.errorOf(404));
      return;
    }
    this.#answer(request, found, response);
  }

  #answer(
    request: Omit<RestRequest, "params">,
    { endpoint, params }: { endpoint: Endpoint; params: Record<string, string> },
    response: ServerResponse,
  ): void {
    const { carrier, faults } = this.#options;
    const refusal = carrier.unauthorized(request);
    const fault = refusal === undefined ? faults.take(endpoint.id) : undefined;
    const isCarriedOut = refusal === undefined && (fault === undefined || fault.isCarriedOut === true);
    const done = isCarriedOut ? endpoint.handle({ ...request, params }) : undefined;
    const answer = refusal ?? (fault === undefined ? done : faultAnswer(fault, carrier));
    this.#record(request, answer?.status ?? 0, endpoint.id, fault);
    if (answer !== undefined) send(response, answer);
    else if (fault?.kind === "unreachable") response.socket?.destroy();
  }

  #record(
    { method, path, query, body }: Omit<RestRequest, "params">,
    status: number,
    endpoint?: string,
    fault?: RestFault,
  ): void {
    const logged: LoggedRequest = {
      atMs: millisecondsOf(this.#options.clock.epochMs()),
      ...(endpoint !== undefined && { endpoint }),
      method,
      path: withoutSecrets(path),
      ...(query.size > 0 && { query: redactedBody(Object.fromEntries(query)) }),
      body: redactedBody(body),
      status,
      ...(fault !== undefined && { fault: fault.kind }),
    };
    this.#log.push(logged);
    this.#options.onRequest?.(logged);
  }
}

/** Undefined: no answer is sent. */
function faultAnswer(
  { kind, status = 500, retryAfterS }: RestFault,
  carrier: EmulatedCarrier,
): RestResponse | undefined {
  if (kind === "silence" || kind === "unreachable") return undefined;
  if (kind === "html") return { status, headers: { "content-type": "text/html" }, body: HTML };
  const retry = retryAfterS === undefined ? {} : { headers: { "retry-after": String(retryAfterS) } };
  return { ...carrier.errorOf(status), ...retry };
}

async function bodyOf(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function requestOf(message: IncomingMessage, bytes: Buffer): Omit<RestRequest, "params"> {
  const url = new URL(message.url ?? "/", "http://emulator.invalid");
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  const body = parsedBody(headers["content-type"] ?? "", bytes.toString());
  return { method: message.method ?? "GET", path: url.pathname, query: url.searchParams, headers, body };
}

/** Empty for a body that is none of the two kinds, and for one that cannot be read. */
function parsedBody(contentType: string, text: string): Record<string, unknown> {
  if (/json/i.test(contentType)) {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
    } catch {
      return {};
    }
  }
  const form: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(/form/i.test(contentType) ? text : "")) {
    const former = form[name];
    form[name] = former === undefined ? value : [former, value].flat();
  }
  return form;
}

function send(response: ServerResponse, { status, headers = {}, body }: RestResponse): void {
  const isText = typeof body === "string";
  const type = isText ? "text/html; charset=utf-8" : "application/json";
  response.writeHead(status, { ...(body !== undefined && { "content-type": type }), ...headers });
  response.end(isText ? body : body === undefined ? undefined : JSON.stringify(body));
}
