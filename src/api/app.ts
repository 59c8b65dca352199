import { type IncomingMessage, maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import cors, { type FastifyCorsOptions } from "@fastify/cors";
import helmet from "@fastify/helmet";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { serializerCompiler } from "fastify-type-provider-zod";
import type { Clock } from "../core/clock.ts";
import { asAccountId, asApiKeyId } from "../core/ids.ts";
import { ANSWER_READ_MS_MAX, BODY_BYTES_MAX, HEADERS_MAX, REQUEST_MS_MAX, STALL_MS_MAX } from "../core/limits/api.ts";
import type { ControlMetrics } from "../core/metrics/control-metrics.ts";
import { newId } from "../core/new-id.ts";
import type { ApiKeyStore } from "../store/api-key-store.ts";
import type { CallStore } from "../store/call-store.ts";
import { type AgentRoutesDeps, agentRoutes } from "./agents/routes.ts";
import { type CallEndDeps, callEndRoutes } from "./calls/end.ts";
import { type CallEventRoutesDeps, callEventRoutes } from "./calls/events.ts";
import { callListRoutes } from "./calls/list.ts";
import { type RecordingRoutesDeps, recordingRoutes } from "./calls/recordings.ts";
import { type CallRoutesDeps, callRoutes } from "./calls/routes.ts";
import { type HomePageDeps, homePage } from "./home-page.ts";
import { requireApiKey } from "./http/auth.ts";
import { ApiError, notFound, toApiError } from "./http/errors.ts";
import { type HealthDeps, healthRoutes } from "./http/health.ts";
import { readJson, requirePlainUtf8 } from "./http/json-body.ts";
import { handleOtherMethods } from "./http/methods.ts";
import { onResponseEnd } from "./http/response-end.ts";
import { validatorCompiler } from "./http/validation.ts";
import { referencePage } from "./openapi/reference-page.ts";
import { HEADERS } from "./openapi/responses.ts";
import { openapiRoute } from "./openapi/route.ts";
import { voiceRoutes } from "./voices/routes.ts";
import { type WebhookRoutesDeps, webhookRoutes } from "./webhooks/routes.ts";

export const API_BASE_PATH = "/api/v1";

export interface ApiDeps
  extends AgentRoutesDeps,
    WebhookRoutesDeps,
    CallEventRoutesDeps,
    CallEndDeps,
    CallRoutesDeps,
    HealthDeps,
    HomePageDeps,
    RecordingRoutesDeps {
  clock: Clock;
  calls: CallStore;
  apiKeys: Pick<ApiKeyStore, "authenticate">;
  metrics: Pick<ControlMetrics, "requestAnswered">;
  /** The addresses of this API as its OpenAPI document gives them; see `OpenapiOptions`. */
  publicApiUrls: readonly string[];
  /** The origins whose pages may read the responses; empty except in development. */
  corsOrigins: readonly string[];
  /** From the first byte of a request to the last byte of its body; REQUEST_MS_MAX by default. */
  requestMsMax?: number;
  /** STALL_MS_MAX by default. */
  stallMsMax?: number;
}

/** The control API. It does not listen yet: `listen` opens a port, `inject` handles a request without one. */
export function buildApi(deps: ApiDeps): FastifyInstance {
  const answerError = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = toApiError(thrown);
    if (error.status === 500) deps.log.error({ requestId: request.id, err: thrown }, "request failed");
    else if (error !== thrown && error.status > 500) {
      deps.log.warn({ requestId: request.id, err: thrown }, "request could not be served");
    }
    void reply
      .code(error.status)
      .headers({ "x-request-id": request.id, ...error.headers })
      .type("application/json; charset=utf-8")
      .serializer(JSON.stringify)
      .send(error.body(request.id));
  };

  const { requestMsMax = REQUEST_MS_MAX, stallMsMax = STALL_MS_MAX } = deps;
  const app = Fastify({
    // Fastify's own log lines contain whole URLs and error messages; ours contain only the listed fields.
    logger: false,
    genReqId: () => newId("req"),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: requestMsMax,
    connectionTimeout: stallMsMax,
    http: {
      // Node reads these when it creates the server, and checks for late requests at this interval.
      requestTimeout: requestMsMax,
      headersTimeout: requestMsMax,
      connectionsCheckingInterval: requestMsMax / 10,
      // Node's own response has no body; the hook below sends ours.
      requireHostHeader: false,
    },
    // Any part of a request's head that Node accepts may be an id. An id that is too long is simply unknown.
    routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    return503OnClosing: false,
    frameworkErrors: answerError,
    clientErrorHandler: respondToUnreadable,
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerError(notFound("resource"), request, reply));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    requirePlainUtf8(request.headers);
    return readJson(body);
  });
  // Unknown expectations are ignored (RFC 9110, section 10.1.1); Node would answer them without a body.
  app.server.on("checkExpectation", app.routing);
  app.decorateRequest("accountId", asAccountId(""));
  app.decorateRequest("apiKeyId", asApiKeyId(""));
  app.decorateRequest("sentBody", undefined);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ "x-request-id": request.id, "cache-control": "no-store" });
    const problem = requestHeadProblem(request.raw);
    if (problem !== undefined) throw new ApiError("invalid_request", problem);
  });
  const patternOf = handleOtherMethods(app);
  app.addHook("onResponse", async (request, reply) =>
    recordResponse(deps, request, reply, patternOf(request) ?? "none"),
  );
  app.addHook("onSend", async (request, reply, payload) => {
    // Streams buffer little, and are closed when no byte moves.
    if (typeof payload !== "string" && !Buffer.isBuffer(payload)) return;
    // Closes the socket, not the response: a response queued after another one has no connection of its own to close.
    const cancel = deps.clock.after(ANSWER_READ_MS_MAX, () => request.raw.socket.destroy());
    onResponseEnd(request.raw, reply.raw, cancel);
  });
  // The API is no web site: content policy and Strict-Transport-Security are decisions of the domain's owner.
  void app.register(helmet, { strictTransportSecurity: false, contentSecurityPolicy: false });
  if (deps.corsOrigins.length > 0) void app.register(cors, corsOptions(deps.corsOrigins));
  registerRoutes(app, deps);
  return app;
}

function registerRoutes(app: FastifyInstance, deps: ApiDeps): void {
  openapiRoute(app, { publicApiUrls: deps.publicApiUrls, basePath: API_BASE_PATH });
  referencePage(app, { basePath: API_BASE_PATH });
  void app.register(async (scope) => {
    healthRoutes(scope, deps);
    homePage(scope, { ...deps, basePath: API_BASE_PATH });
  });
  const keyedRoutes = (scope: FastifyInstance, _options: object, done: () => void): void => {
    requireApiKey(scope, deps.apiKeys);
    callRoutes(scope, deps);
    callListRoutes(scope, deps);
    callEndRoutes(scope, deps);
    recordingRoutes(scope, deps);
    callEventRoutes(scope, deps);
    voiceRoutes(scope, deps.voices, deps.largeResponses);
    agentRoutes(scope, deps);
    webhookRoutes(scope, deps);
    done();
  };
  void app.register(keyedRoutes, { prefix: API_BASE_PATH });
}

/** For pages of other origins. Their preflights are answered in methods.ts, which knows the methods of each path. */
const corsOptions = (origins: readonly string[]): FastifyCorsOptions => ({
  origin: [...origins],
  methods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
  allowedHeaders: ["X-API-Key", "Content-Type", "Idempotency-Key", "Range", "If-Range", "If-None-Match"],
  exposedHeaders: [...Object.keys(HEADERS), "Allow"],
  maxAge: PREFLIGHT_S,
  strictPreflight: false,
  preflightContinue: true,
});
/** A browser may cache a preflight for this long. */
const PREFLIGHT_S = 600;

/** Logs the route's pattern instead of the URL: paths and queries hold client data that must not be stored. */
function recordResponse({ metrics, log }: ApiDeps, request: FastifyRequest, reply: FastifyReply, route: string): void {
  const { method, id: requestId, accountId, apiKeyId } = request;
  const { statusCode: status, elapsedTime } = reply;
  metrics.requestAnswered(method, route, status, elapsedTime);
  const durationMs = Math.round(elapsedTime);
  log.info({ requestId, method, route, status, durationMs, accountId, apiKeyId }, "request completed");
}

/** A problem of the request's head that Node accepts. RFC 9112, section 3.2 requires exactly one Host header. */
function requestHeadProblem({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  if (rawHeaders.length > 2 * HEADERS_MAX) return `the request must not have more than ${HEADERS_MAX} headers`;
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1) return "the request must have exactly one Host header";
  return hosts === 0 && httpVersion === "1.1" ? "the request must carry the header Host" : undefined;
}

/** For bytes that are not HTTP, oversized headers, and requests that never end: there is no request object to answer. */
function respondToUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const message = isLate ? "the request took too long to arrive" : "the request could not be read";
  const requestId = newId("req");
  const body = JSON.stringify(new ApiError("invalid_request", message).body(requestId));
  const head = [
    `HTTP/1.1 ${isLate ? "408 Request Timeout" : "400 Bad Request"}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Connection: close",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  // Not `end`, which would wait for a peer that never closes its own side.
  socket.destroySoon();
}
