import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook as Signature } from "standardwebhooks";
import type { Random } from "../../support/random.ts";

interface Delivered {
  type: string;
  data: { call: { id: string; status: string } };
}

/** An endpoint of webhooks that fails for a share of what it receives, and remembers what it has accepted. */
export class FailingEndpoint {
  readonly #server: Server;
  /** The ids of messages that were accepted, by event type and call. */
  readonly accepted = new Map<string, Set<string>>();
  received = 0;
  wrong = 0;
  secret = "";
  /** The share that fails: with 500, or by closing the connection before or after it was read. */
  failures = 0.5;

  private constructor(random: Random) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("error", () => {});
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.received += 1;
        const body = Buffer.concat(chunks).toString();
        const fails = random.between(0, 1) < this.failures;
        const accepts = !fails || random.between(0, 1) < 0.3;
        if (accepts) this.#accept(body, request.headers as Record<string, string>);
        if (!fails) response.writeHead(204).end();
        // Accepted, and yet the sender cannot know.
        else if (accepts) response.destroy();
        else response.writeHead(500).end();
      });
    });
  }

  static async start(random: Random): Promise<FailingEndpoint> {
    const endpoint = new FailingEndpoint(random);
    await new Promise<void>((resolve) => endpoint.#server.listen(0, "127.0.0.1", resolve));
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** The accepted ids of this event of a call. */
  idsOf(type: string, callId: string): ReadonlySet<string> {
    return this.accepted.get(`${type} ${callId}`) ?? new Set();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #accept(body: string, headers: Readonly<Record<string, string>>): void {
    try {
      const { type, data } = new Signature(this.secret).verify(body, { ...headers }) as Delivered;
      const name = `${type} ${data.call.id}`;
      const ids = this.accepted.get(name) ?? new Set();
      ids.add(headers["webhook-id"] ?? "");
      this.accepted.set(name, ids);
    } catch {
      this.wrong += 1;
    }
  }
}
