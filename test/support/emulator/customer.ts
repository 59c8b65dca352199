import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

/** A webhook as the customer of a carrier received it. */
export interface ReceivedWebhook {
  method: string;
  /** With the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Of a form. */
  form: Readonly<Record<string, string>>;
}

/** What the customer answers: a document, a status, or nothing at all for undefined. */
export type CustomerAnswer = { status?: number; body?: string } | undefined;

/** A customer of a carrier, on this machine until the test is over: an endpoint of webhooks and of streams. */
export class Customer {
  readonly received: ReceivedWebhook[] = [];
  readonly streams: { socket: WebSocket; path: string; headers: Record<string, unknown>; messages: unknown[] }[] = [];
  readonly url: string;
  readonly streamUrl: string;
  #waiting: (() => void)[] = [];

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.streamUrl = `ws://127.0.0.1:${port}`;
  }

  /** `answer` says what the customer answers; 200 without a body by default. */
  static async start(
    answer: (webhook: ReceivedWebhook, customer: Customer) => CustomerAnswer = () => ({}),
  ): Promise<Customer> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const webhook = {
          method: request.method ?? "",
          path: request.url ?? "",
          headers: request.headers as Record<string, string>,
          body,
          form: Object.fromEntries(new URLSearchParams(body)),
        };
        customer.received.push(webhook);
        const given = answer(webhook, customer);
        if (given !== undefined)
          response.writeHead(given.status ?? 200, { "content-type": "text/xml" }).end(given.body);
        customer.#notify();
      });
    });
    const streams = new WebSocketServer({ server });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const customer = new Customer((server.address() as AddressInfo).port);
    streams.on("connection", (socket, request) => {
      const stream = { socket, path: request.url ?? "", headers: request.headers, messages: [] as unknown[] };
      customer.streams.push(stream);
      socket.on("message", (data) => {
        stream.messages.push(JSON.parse(data.toString()));
        customer.#notify();
      });
      customer.#notify();
    });
    onTestFinished(() => {
      for (const { socket } of customer.streams) socket.terminate();
      server.close();
      server.closeAllConnections();
    });
    return customer;
  }

  /** Resolves when `condition` holds, which is checked at each webhook and message. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** Resolves when `condition` holds, for what happens without a message to the customer. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
