import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { type OtlpSpan, spansIn } from "../../../src/cli/traces/otlp-request.ts";

/** A collector of OTLP over HTTP that keeps the spans it is sent, and answers as a test says. */
export class Collector {
  readonly spans: OtlpSpan[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly paths: string[] = [];
  /** The status of its answers; 0 for none. */
  status = 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.headers.push(request.headers);
        this.paths.push(request.url ?? "");
        if (this.status === 0) return;
        if (this.status === 200) {
          const body = Buffer.concat(chunks);
          this.spans.push(...spansIn(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body));
        }
        response.writeHead(this.status, { "content-type": "application/x-protobuf" }).end();
      });
    });
  }

  static async listen(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => collector.#server.listen(0, "127.0.0.1", resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
