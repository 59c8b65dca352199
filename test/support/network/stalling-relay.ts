import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A network between clients and a server of this machine, on which a test can hold up what clients send. */
export class StallingRelay {
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  #isStalled = false;

  private constructor(port: number) {
    this.#server = createServer((client) => this.#relay(client, connect(port, "127.0.0.1")));
  }

  /** To the server at this port. */
  static async start(port: number): Promise<StallingRelay> {
    const relay = new StallingRelay(port);
    await new Promise<void>((resolve) => relay.#server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  /** The address of something on the server, through this. */
  through(address: string): string {
    const url = new URL(address);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Nothing that clients send arrives until `resume`; then all of it does. */
  stall(): void {
    this.#isStalled = true;
    for (const client of this.#clients) client.pause();
  }

  resume(): void {
    this.#isStalled = false;
    for (const client of this.#clients) client.resume();
  }

  close(): void {
    for (const client of this.#clients) client.destroy();
    this.#server.close();
  }

  #relay(client: Socket, server: Socket): void {
    this.#clients.add(client);
    client.on("error", () => {});
    server.on("error", () => {});
    client.on("data", (data) => server.write(data));
    server.on("data", (data) => client.write(data));
    client.once("close", () => {
      this.#clients.delete(client);
      server.destroy();
    });
    server.once("close", () => client.destroy());
    if (this.#isStalled) client.pause();
  }
}
