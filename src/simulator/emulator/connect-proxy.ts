import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";

export interface ConnectProxyOptions {
  /** Of the carrier's host, in PEM. The client must trust the authority that signed it. */
  readonly cert: string;
  readonly key: string;
  /** Serves what comes through the proxy. */
  readonly server: Server;
}

/**
 * An HTTP proxy that leads every tunnel to the emulator, whatever host it is for: for SDKs whose address cannot be changed. It ends
 * the TLS of the tunnel.
 */
export class ConnectProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor({ cert, key, server }: ConnectProxyOptions) {
    const secureContext = createSecureContext({ cert, key });
    this.#server = createServer((_, response) => response.writeHead(405).end());
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("connect", (_, socket: Socket) => {
      socket.on("error", () => socket.destroy());
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      const tunnel = new TLSSocket(socket, { isServer: true, secureContext });
      // A client that does not trust the certificate breaks off.
      tunnel.on("error", () => socket.destroy());
      server.emit("connection", tunnel);
    });
  }

  /** Listens on 127.0.0.1; 0 for any free port. Resolves with the proxy's address. */
  async start(port = 0): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}
