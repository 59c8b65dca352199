import { randomBytes } from "node:crypto";
import { type ClientRequest, get } from "node:http";
import type { UwsApp, UwsModule, UwsResponse } from "./module.ts";

/**
 * The `cork` in which upgrades are sent. uWebSockets.js requires a response to be written in `cork`, and warns on
 * stderr otherwise. But after an upgrade, `cork` still reads the state of the response, in memory that has been freed
 * by then, and the content there may close the stream: 3 of 1,000 opened at once, and sometimes the first of a process.
 * So upgrades are sent in the `cork` of another response, which is never sent: the response to a request of our own, on
 * loopback. It is Node's request, because it needs neither a pool nor a response.
 *
 * Upstream: https://github.com/uNetworking/uWebSockets/issues/1928 has the symptom, and
 * https://github.com/uNetworking/uWebSockets/pull/1929 (merged) the cause and its repair: `cork` recognised an upgrade by
 * the socket's address, which `realloc` may leave unchanged. Once the binaries contain it, this class can go.
 */
export class UpgradeCork {
  readonly #app: UwsApp;
  readonly #request: ClientRequest;
  /** Undefined once it is lost, which only a fault of the machine can cause. */
  #response: UwsResponse | undefined;

  private constructor(app: UwsApp, request: ClientRequest, response: UwsResponse) {
    this.#app = app;
    this.#request = request;
    this.#response = response.onAborted(() => {
      this.#response = undefined;
    });
  }

  static async open(uws: UwsModule): Promise<UpgradeCork> {
    const app = uws.App();
    const path = `/${randomBytes(16).toString("hex")}`;
    return await new Promise((resolve, reject) => {
      app.listen("127.0.0.1", 0, (socket) => {
        if (socket === false) {
          reject(new Error("cannot listen on any port of 127.0.0.1"));
          return;
        }
        const request = get({ host: "127.0.0.1", port: uws.us_socket_local_port(socket), path, agent: false });
        request.on("error", reject).on("socket", (client) => client.unref());
        app.get(path, (response) => {
          uws.us_listen_socket_close(socket);
          resolve(new UpgradeCork(app, request, response));
        });
      });
    });
  }

  /** Calls `answer` before it returns. */
  run(answer: () => void): void {
    if (this.#response === undefined) answer();
    else this.#response.cork(answer);
  }

  close(): void {
    this.#request.destroy();
    this.#app.close();
  }
}
