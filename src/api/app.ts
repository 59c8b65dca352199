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
import { readJson } from "./json-body.ts";
import { validatorCompiler } from "./validation.ts";
import { voiceRoutes } from "./voices.ts";

export const API_BASE_PATH = "/api/v1";

export interface ApiDeps extends CallRoutesDeps {
  apiKeys: Pick<ApiKeyStore, "authenticate">;
  agents: Pick<AgentStore, "list">;
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

  const app = Fastify({
    // Fastify's own lines carry whole URLs and messages of errors; ours below carry what is listed there and no more.
    logger: false,
    genReqId: () => newId("req"),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_MS_MAX,
    return503OnClosing: false,
    frameworkErrors: answerError,
    clientErrorHandler: answerUnreadable,
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerError(notFound("resource"), request, reply));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (_request: FastifyRequest, body: Buffer) =>
    readJson(body),
  );
  app.decorateRequest("accountId", "");
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ "x-request-id": request.id, "cache-control": "no-store" });
  });
  app.addHook("onResponse", async (request, reply) => {
    // The route's pattern instead of its URL: what strangers put into a path or a query is not ours to keep.
    const route = request.routeOptions.url ?? "none";
    const { method, id: requestId, accountId } = request;
    const durationMs = Math.round(reply.elapsedTime);
    deps.log.info({ requestId, method, route, status: reply.statusCode, durationMs, accountId }, "request answered");
  });
  void app.register(helmet);
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
  const body = JSON.stringify(new ApiError("invalid_request", "the request could not be read").body(newId("req")));
  const head = [
    "HTTP/1.1 400 Bad Request",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
