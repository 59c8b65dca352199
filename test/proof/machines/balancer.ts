import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that requests are led to. */
export interface Backend {
  readonly apiUrl: string;
  readonly isUp: boolean;
}

/**
 * One address for the API of all nodes: each request goes to the next node that is up, and to the one after it where that takes no
 * connection. A request that a node has taken, and not answered, is answered with 502: it may have been carried out.
 */
export class Balancer {
  readonly #server: Server;
  #backends: readonly Backend[] = [];
  #next = 0;
  /** How many requests each address has taken. */
  readonly taken = new Map<string, number>();

  private constructor() {
    this.#server = createServer((incoming, response) => void this.#serve(incoming, response));
  }

  /** Its address has to be known before the nodes start; until it has some it answers with 502. */
  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    await new Promise<void>((resolve) => void balancer.#server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  leadTo(backends: readonly Backend[]): void {
    this.#backends = backends;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    for (const { apiUrl } of this.#inTurn()) {
      if (await this.#forward(apiUrl, { incoming, body, response })) return;
    }
    response.writeHead(502).end();
  }

  /** Those that are up, beginning with another one each time. */
  #inTurn(): readonly Backend[] {
    const up = this.#backends.filter(({ isUp }) => isUp);
    this.#next += 1;
    return up.map((_, index) => up[(index + this.#next) % up.length] as Backend);
  }

  /** False where no connection was made. */
  async #forward(
    apiUrl: string,
    { incoming, body, response }: { incoming: IncomingMessage; body: Buffer; response: ServerResponse },
  ): Promise<boolean> {
    const { method = "GET", url = "/", headers } = incoming;
    return await new Promise((resolve) => {
      const forwarded = request(new URL(url, apiUrl), { method, headers, agent: false }, (answer) => {
        this.taken.set(apiUrl, (this.taken.get(apiUrl) ?? 0) + 1);
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.on("error", () => response.destroy());
        resolve(true);
      });
      forwarded.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") return resolve(false);
        if (response.headersSent) response.destroy();
        else response.writeHead(502).end();
        resolve(true);
      });
      forwarded.end(body);
    });
  }
}
