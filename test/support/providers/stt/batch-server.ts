import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** One request, as the server saw it. */
export interface ReceivedRequest {
  method: string;
  url: URL;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** Answers one request. */
export type BatchAnswer = (response: ServerResponse) => void;

export const answerWith =
  (body: object): BatchAnswer =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

/** What goes wrong with a server of any provider. */
export const FAULTS = {
  status:
    (status: number, headers: Readonly<Record<string, string>> = {}): BatchAnswer =>
    (response) =>
      response.writeHead(status, headers).end('{"error":"my secret words"}'),
  html: (response: ServerResponse) => response.writeHead(200).end("<html>my secret words</html>"),
  otherJson: answerWith({ hello: "my secret words" }),
  hangs: () => {},
  breaksOff: (response: ServerResponse) => response.destroy(),
  neverEnds(response: ServerResponse) {
    response.writeHead(200).write('{"text":"');
    const more = setInterval(() => response.write("a"), 5);
    response.on("close", () => clearInterval(more));
  },
  tooLarge(response: ServerResponse) {
    const part = Buffer.alloc(1024 * 1024, " ");
    response.writeHead(200);
    const more = (): void => {
      if (!response.destroyed) response.write(part, more);
    };
    more();
  },
} as const;

/** A server of a provider that transcribes recordings, on loopback. `answer` says how each request is answered. */
export class BatchServer {
  readonly seen: ReceivedRequest[] = [];
  /** Requests whose client disconnected before the response was complete. */
  cancelled = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #answer: (request: ReceivedRequest) => BatchAnswer;

  private constructor(answer: (request: ReceivedRequest) => BatchAnswer) {
    this.#answer = answer;
  }

  /** It is closed when the test ends. */
  static async listen(answer: (request: ReceivedRequest) => BatchAnswer): Promise<BatchServer> {
    const server = new BatchServer(answer);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    onTestFinished(() => {
      server.#server.closeAllConnections();
      server.#server.close();
    });
    return server;
  }

  /** The host and the port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("close", () => {
      if (!response.writableFinished) this.cancelled += 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", headers } = request;
    const url = new URL(request.url ?? "/", `http://${this.host}`);
    const received = { method, url, headers, body: Buffer.concat(chunks) };
    this.seen.push(received);
    this.#answer(received)(response);
  }
}
