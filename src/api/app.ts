import { maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import helmet from "@fastify/helmet";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { serializerCompiler } from "fastify-type-provider-zod";
import { newId } from "../core/ids.ts";
import { BODY_BYTES_MAX, REQUEST_MS_MAX } from "../core/limits.ts";
import type { AgentStore } from "../store/agent-store.ts";
import type { ApiKeyStore } from "../store/api-key-store.ts";
import { agentRoutes } from "./agents.ts";
import { requireApiKey } from "./auth.ts";
import { type CallRoutesDeps, callRoutes } from "./calls.ts";
import { ApiError, notFound, toApiError } from "./errors.ts";
import { healthRoutes } from "./health.ts";
import { readJson, requirePlainUtf8 } from "./json-body.ts";
import { validatorCompiler } from "./validation.ts";
import { voiceRoutes } from "./voices.ts";

export const API_BASE_PATH = "/api/v1";

export interface ApiDeps extends CallRoutesDeps {
  apiKeys: Pick<ApiKeyStore, "authenticate">;
  agents: Pick<AgentStore, "list">;
  /** From the first byte of a request to the last of its body; REQUEST_MS_MAX unless told. */
  requestMsMax?: number;
}

/** The control API. It does not listen yet: `listen` opens a port, `inject` answers a request without one. */
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

  const { requestMsMax = REQUEST_MS_MAX } = deps;
  const app = Fastify({
    // Fastify's own lines carry whole URLs and messages of errors; ours below carry what is listed there and no more.
    logger: false,
    genReqId: () => newId("req"),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: requestMsMax,
    http: {
      // Node reads these when it makes the server, and looks for requests that are late only so often.
      requestTimeout: requestMsMax,
      headersTimeout: requestMsMax,
      connectionsCheckingInterval: requestMsMax / 10,
      // Its own answer has no body; the hook below gives ours.
      requireHostHeader: false,
    },
    // Whatever Node reads of a request's head may be an id: one that is too long is only one that nobody has.
    routerOptions: { maxParamLength: maxHeaderSize },
    return503OnClosing: false,
    frameworkErrors: answerError,
    clientErrorHandler: answerUnreadable,
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
  // Expectations that we do not know are passed over (RFC 9110, section 10.1.1); Node would answer them without a body.
  app.server.on("checkExpectation", app.routing);
  app.decorateRequest("accountId", "");
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ "x-request-id": request.id, "cache-control": "no-store" });
    // RFC 9112, section 3.2.
    if (request.raw.httpVersion === "1.1" && request.headers.host === undefined) {
      throw new ApiError("invalid_request", "the request must carry the header Host");
    }
  });
  app.addHook("onResponse", async (request, reply) => {
    // The route's pattern instead of its URL: what strangers put into a path or a query is not ours to keep.
    const route = request.routeOptions.url ?? "none";
    const { method, id: requestId, accountId } = request;
    const durationMs = Math.round(reply.elapsedTime);
    deps.log.info({ requestId, method, route, status: reply.statusCode, durationMs, accountId }, "request answered");
  });
  // This is no site: what a browser may load and whether the domain is bound to TLS is for those to say whose domain it is.
  void app.register(helmet, { strictTransportSecurity: false, contentSecurityPolicy: false });
  healthRoutes(app, deps.newCalls);
  const keyedRoutes = (scope: FastifyInstance, _options: object, done: () => void): void => {
    requireApiKey(scope, deps.apiKeys);
    callRoutes(scope, API_BASE_PATH, deps);
    voiceRoutes(scope, deps.voices);
    agentRoutes(scope, deps.agents);
    done();
  };
  void app.register(keyedRoutes, { prefix: API_BASE_PATH });
  return app;
}

/** Bytes that are no HTTP, headers beyond all measure, a request that never ends: there is no request to answer in. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const message = isLate ? "the request took too long to arrive" : "the request could not be read";
  const body = JSON.stringify(new ApiError("invalid_request", message).body(newId("req")));
  const head = [
    `HTTP/1.1 ${isLate ? "408 Request Timeout" : "400 Bad Request"}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  // Not `end`, which would wait for a peer that never closes its own side.
  socket.destroySoon();
}
