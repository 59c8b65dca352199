import { createServer, type Server } from "node:http";
import { codeOf } from "./core/errors.ts";
import { REQUEST_MS_MAX } from "./core/limits.ts";
import type { Logger } from "./core/log.ts";
import { EXPOSITION_TYPE } from "./core/metrics-kit.ts";

export interface MetricsServerOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Everything there is to tell, asked for at each scrape. */
  exposition: () => Promise<string>;
  log: Logger;
}

/**
 * Serves `GET /metrics` and nothing else, and asks for no key: it is a port of its own, for the machines of those who run the
 * service. Rejects, naming the variable, when the port cannot be had.
 */
export function serveMetrics({ host, port, exposition, log }: MetricsServerOptions): Promise<Server> {
  const answer = async (method: string | undefined, path: string | undefined): Promise<Answer> => {
    if (path !== "/metrics") return { status: 404, body: "there is nothing here but /metrics\n" };
    if (method !== "GET" && method !== "HEAD") return { status: 405, body: "only GET is known here\n" };
    try {
      return { status: 200, body: await exposition() };
    } catch (error) {
      log.error({ err: error, code: codeOf(error), fault: "bug" }, "the metrics could not be told");
      return { status: 500, body: "something went wrong on our side\n" };
    }
  };
  const server = createServer(
    { requestTimeout: REQUEST_MS_MAX, headersTimeout: REQUEST_MS_MAX },
    (request, response) => {
      // The body is discarded.
      request.resume();
      void answer(request.method, plainPath(request.url ?? "")).then(({ status, body }) => {
        response.writeHead(status, {
          "content-type": status === 200 ? EXPOSITION_TYPE : "text/plain; charset=utf-8",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          ...(status === 405 && { allow: "GET, HEAD" }),
        });
        response.end(body);
      });
    },
  );
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Error(`METRICS_PORT ${port} on ${host} cannot be used: ${error.message}`)),
    );
    server.listen(port, host, () => resolve(server));
  });
}

/** The path of a URL without its query, doubled and trailing slashes: as the control API reads it. */
const plainPath = (url: string): string =>
  url
    .replace(/\?.*$/s, "")
    .replace(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "");

interface Answer {
  status: 200 | 404 | 405 | 500;
  body: string;
}
