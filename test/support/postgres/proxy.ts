import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A connection between a client and a Postgres server through which a test can do harm. */
export class PostgresProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut: { text: string; when: "before" | "after" } | undefined;
  #delayMs = 0;
  #port: number;
  /** How many connections were cut. */
  cuts = 0;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((client) => this.#connect(client));
  }

  /** Before the server at `port`, at an address of this machine. */
  static async start(port: number, host = "127.0.0.1"): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, host, resolve));
    return proxy;
  }

  /** Where clients connect to. */
  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  /** The address of a database of the server, through this. */
  url(direct: string): string {
    const url = new URL(direct);
    url.hostname = this.address.address;
    url.port = String(this.address.port);
    return url.href;
  }

  /**
   * Cuts the next connection whose client sends this text: before the server gets it, or after the server has done it,
   * so that the client cannot know.
   */
  cutAt(text: string, when: "before" | "after"): void {
    this.#cut = { text, when };
  }

  /** Delays everything that clients send. */
  delay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Connects clients to another server from now on. */
  pointTo(port: number): void {
    this.#port = port;
  }

  /** Ends all connections; new ones are accepted. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connect(client: Socket): void {
    const upstream = connect(this.#port, "127.0.0.1");
    let isSilent = false;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    upstream.on("data", (data) => {
      if (isSilent) {
        // The server has answered, so it has committed.
        this.cuts += 1;
        client.destroy();
      } else client.write(data);
    });
    client.on("data", (data) => {
      const cut = this.#cut;
      const matches = cut !== undefined && data.includes(cut.text);
      if (matches) this.#cut = undefined;
      if (matches && cut.when === "before") {
        this.cuts += 1;
        client.destroy();
        return;
      }
      isSilent ||= matches;
      if (this.#delayMs === 0) upstream.write(data);
      else setTimeout(() => upstream.write(data), this.#delayMs);
    });
  }
}
