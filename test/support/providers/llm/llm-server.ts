import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** How a fake LLM server handles a request. Steps apply in order, and the last one is repeated. */
export type LlmServerStep =
  /** Sends these server-sent events, each in a write of its own, and ends the response unless `staysOpen`. */
  | { kind: "events"; events: readonly string[]; staysOpen?: boolean; bytesAtOnce?: number }
  /** Sends these server-sent events, each `afterMs` after the previous one, and ends the response. */
  | { kind: "timed"; events: readonly (readonly [afterMs: number, event: string])[] }
  /** Responds with `status` and a body. */
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: string }
  /** Accepts the request and never responds. */
  | { kind: "silent" }
  /** Sends these events, then only comments, as fast as they are read, until the client disconnects. */
  | { kind: "keep-alive"; events: readonly string[] }
  /** Sends these events, then closes the connection. */
  | { kind: "cut"; events: readonly string[] }
  /** Sends a body in gzip, which was not requested. */
  | { kind: "gzip"; events: readonly string[] };

/** One request as the server received it. */
interface ReceivedLlmRequest {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

/** A fake LLM server on a loopback socket: plays its steps and records the requests. */
export class LlmServer {
  readonly requests: ReceivedLlmRequest[] = [];
  /** How many sockets were opened. */
  connections = 0;
  /** Responses that the client aborted. */
  brokenOff = 0;
  readonly #steps: readonly LlmServerStep[];
  readonly #server: Server;
  #wake: () => void = () => {};

  private constructor(steps: readonly LlmServerStep[]) {
    this.#steps = steps;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", () => {
      this.connections += 1;
    });
  }

  static async start(...steps: readonly LlmServerStep[]): Promise<LlmServer> {
    const server = new LlmServer(steps);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when `condition` holds; it is checked at each request and at each end of a response. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Closes all connections; a server that has stopped stays so. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      response.writeHead(404).end();
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    const step = this.#steps[Math.min(this.requests.length, this.#steps.length - 1)] ?? { kind: "silent" };
    this.requests.push({ path: request.url ?? "", headers: request.headers, body });
    response.on("close", () => {
      if (!response.writableFinished) this.brokenOff += 1;
      this.#wake();
    });
    this.#wake();
    await this.#play(step, response);
  }

  async #play(step: LlmServerStep, response: ServerResponse): Promise<void> {
    const begin = (headers: Record<string, string> = {}): void => {
      response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    };
    switch (step.kind) {
      case "silent":
        return;
      case "status":
        response.writeHead(step.status, { "content-type": "application/json", ...step.headers }).end(step.body ?? "");
        return;
      case "gzip":
        begin({ "content-encoding": "gzip" });
        response.end(gzipSync(step.events.join("")));
        return;
      case "events":
        begin();
        for (const bytes of inParts(step.events, step.bytesAtOnce)) await written(response, bytes);
        if (step.staysOpen !== true) response.end();
        return;
      case "timed":
        begin();
        response.flushHeaders();
        for (const [afterMs, event] of step.events) {
          await new Promise((resolve) => setTimeout(resolve, afterMs));
          await written(response, event);
        }
        response.end();
        return;
      case "keep-alive":
        begin();
        for (const event of step.events) await written(response, event);
        while (!response.destroyed) {
          await written(response, ": keep-alive\n\n");
          await new Promise<void>((resolve) => setImmediate(resolve));
        }
        return;
      case "cut":
        begin();
        for (const event of step.events) await written(response, event);
        response.destroy();
        return;
    }
  }
}

function inParts(events: readonly string[], bytesAtOnce: number | undefined): readonly (string | Uint8Array)[] {
  if (bytesAtOnce === undefined) return events;
  const all = Buffer.from(events.join(""));
  return Array.from({ length: Math.ceil(all.length / bytesAtOnce) }, (_, part) =>
    all.subarray(part * bytesAtOnce, (part + 1) * bytesAtOnce),
  );
}

/** Resolves when the kernel has taken the bytes or the connection has closed. */
function written(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write(bytes, () => {
      response.off("close", resolve);
      resolve();
    });
  });
}
