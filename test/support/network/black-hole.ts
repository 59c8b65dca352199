import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * A network between a peer and a port of this machine that can lose everything: from `swallow` on nothing passes in either direction,
 * and neither side is notified.
 */
export class BlackHole {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  #swallows = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<BlackHole> {
    const server = createServer();
    const hole = new BlackHole(server);
    server.on("connection", (near) => {
      const far = connect(port, "127.0.0.1");
      hole.#join(near, far);
      hole.#join(far, near);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return hole;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  swallow(): void {
    this.#swallows = true;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.push(from);
    from.setNoDelay(true);
    from.on("error", () => {});
    from.on("data", (bytes) => void (this.#swallows || to.write(bytes)));
    from.on("close", () => void (this.#swallows || to.destroy()));
  }
}
