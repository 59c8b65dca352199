import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Clock } from "../../../core/clock.ts";
import { codeOf } from "../../../core/errors.ts";
import { METRICS_CONNECTIONS_MAX, REQUEST_MS_MAX, STALL_MS_MAX } from "../../../core/limits/control-api/api.ts";
import type { Logger } from "../../../core/log/logger.ts";
import { EXPOSITION_TYPE } from "../../../core/metrics/instruments.ts";
import { isSameText } from "../../../core/same-text.ts";
import { type ConnectionCloseReason, HttpConnections } from "./http-connections.ts";

/** The response of `/healthz` and `/readyz`, the same as on the API port. */
export interface HealthAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: object;
}

export interface MetricsServerOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** The text of all metrics, made at each scrape. */
  exposition: () => Promise<string>;
  health: () => HealthAnswer;
  readiness: () => HealthAnswer;
  /** Who has the token may ask that the service drains; undefined where none may. */
  drain: { token: string; request: () => void } | undefined;
  clock: Clock;
  /** Called for each connection that was closed because the limit was reached. */
  onClosed: (reason: ConnectionCloseReason) => void;
  log: Logger;
}

/** The metrics port and its open connections. */
export interface MetricsServer {
  server: Server;
  connections: HttpConnections;
}

/**
 * Serves only `GET /metrics`, `/healthz` and `/readyz`, without an API key, and `POST /drain` with the operator's token: the port is
 * for the operator's machines. Their probes are answered here however busy the API port is. Rejects with an error that names the
 * variable when the port cannot be used.
 */
export function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, clock, onClosed } = options;
  const server = createServer(
    {
      requestTimeout: REQUEST_MS_MAX,
      headersTimeout: REQUEST_MS_MAX,
      connectionsCheckingInterval: REQUEST_MS_MAX / 10,
    },
    (request, response) => {
      // The body is discarded.
      request.resume();
      void responseTo(request, options).then(({ status, headers, body }) => {
        response.writeHead(status, { ...headers, "cache-control": "no-store", "x-content-type-options": "nosniff" });
        response.end(body);
      });
    },
  );
  // A connection without progress is closed, also while a response waits to be read.
  server.setTimeout(STALL_MS_MAX);
  const connections = new HttpConnections(server, { max: METRICS_CONNECTIONS_MAX, clock, onClosed });
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Error(`METRICS_PORT ${port} on ${host} cannot be used: ${error.message}`)),
    );
    server.listen(port, host, () => resolve({ server, connections }));
  });
}

async function responseTo(
  { method, url = "", headers }: IncomingMessage,
  { exposition, health, readiness, drain, log }: MetricsServerOptions,
): Promise<PlainResponse> {
  const path = plainPath(url);
  if (path === "/drain") return drainResponse(method, headers.authorization, drain, log);
  if (!["/metrics", "/healthz", "/readyz"].includes(path)) {
    return plainText(404, "there is nothing here but /metrics, /healthz, /readyz and /drain\n");
  }
  if (method !== "GET" && method !== "HEAD") return plainText(405, "only GET is known here\n", { allow: "GET, HEAD" });
  if (path === "/healthz") return json(health());
  if (path === "/readyz") return json(readiness());
  try {
    return { status: 200, headers: { "content-type": EXPOSITION_TYPE }, body: await exposition() };
  } catch (error) {
    log.error({ err: error, code: codeOf(error), fault: "bug" }, "metrics could not be collected");
    return plainText(500, "internal error\n");
  }
}

function drainResponse(
  method: string | undefined,
  authorization: string | undefined,
  drain: MetricsServerOptions["drain"],
  log: Logger,
): PlainResponse {
  if (drain === undefined) return plainText(404, "a request drains the service only where OPERATOR_TOKEN is set\n");
  if (method !== "POST") return plainText(405, "only POST is known here\n", { allow: "POST" });
  if (!isSameText(authorization ?? "", `Bearer ${drain.token}`)) {
    log.warn("drain refused: the token is wrong");
    const error = { code: "unauthorized", message: "Authorization must be `Bearer` and the value of OPERATOR_TOKEN" };
    return json({ status: 401, headers: { "www-authenticate": "Bearer" }, body: { error } });
  }
  drain.request();
  return json({ status: 202, headers: {}, body: { status: "draining" } });
}

interface PlainResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

const plainText = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): PlainResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  body,
});

const json = ({ status, headers, body }: HealthAnswer): PlainResponse => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(body),
});

/** The path of a URL without its query, doubled and trailing slashes: as the control API reads it. */
const plainPath = (url: string): string =>
  url
    .replace(/\?.*$/s, "")
    .replace(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "");
