import { type IncomingMessage, maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import cors, { type FastifyCorsOptions } from "@fastify/cors";
import helmet from "@fastify/helmet";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { serializerCompiler } from "fastify-type-provider-zod";
import type { Clock } from "../core/clock.ts";
import { type CallId, liveTranscriptionOf } from "../core/ids.ts";
import {
  ANSWER_READ_MS_MAX,
  BODY_BYTES_MAX,
  HEADERS_MAX,
  REQUEST_MS_MAX,
  STALL_MS_MAX,
} from "../core/limits/control-api/api.ts";
import type { ControlMetrics } from "../core/metrics/control-metrics.ts";
import { newId } from "../core/new-id.ts";
import type { ApiKeyStore } from "../store/accounts/api-key-store.ts";
import type { CallStore } from "../store/calls/call-store.ts";
import type { CorpusStore } from "../store/corpora/corpus-store.ts";
import type { DocumentStore } from "../store/corpora/document-store.ts";
import type { TranscriptionStore } from "../store/transcription-store.ts";
import type { SessionStore } from "../store/users/session-store.ts";
import type { EventStreamStore } from "../store/webhooks/event-stream-store.ts";
import type { PhoneCalls } from "../telephony/phone-calls.ts";
import { type AccountRoutesDeps, accountRoutes } from "./accounts/routes.ts";
import { agentCallRoutes } from "./agents/call-routes.ts";
import { agentRoutes } from "./agents/routes.ts";
import type { AgentRoutesDeps } from "./agents/saving.ts";
import { agentVersionRoutes } from "./agents/version-routes.ts";
import { apiKeyRoutes } from "./api-keys/routes.ts";
import { audioTranscriptionRoutes, callerOfOpenAiClient } from "./audio-transcriptions/routes.ts";
import { type AuditRoutesDeps, auditRoutes } from "./audit-events/routes.ts";
import { type CallEventRoutesDeps, callEventRoutes } from "./calls/events.ts";
import { callListRoutes } from "./calls/list.ts";
import { type CallEndDeps, callEndRoutes } from "./calls/live/end.ts";
import { callHoldRoutes } from "./calls/live/hold.ts";
import { type ListenDeps, listenRoutes } from "./calls/live/listen.ts";
import type { LiveRequestDeps } from "./calls/live/live-request.ts";
import { recordingPauseRoutes } from "./calls/live/recording-pause.ts";
import { type RecordingRoutesDeps, recordingRoutes } from "./calls/recordings/recordings.ts";
import { type WaveformRoutesDeps, waveformRoutes } from "./calls/recordings/waveform.ts";
import { type ReplayCheckDeps, replayCheckRoutes } from "./calls/replay-check.ts";
import { type CallRoutesDeps, callRoutes } from "./calls/routes.ts";
import { type CarrierRoutesDeps, carrierRoutes } from "./carrier-accounts/routes.ts";
import { type KnowledgeRoutesDeps, knowledgeRoutes } from "./corpora/routes.ts";
import { OwnerKnown } from "./dashboard/owner-known.ts";
import { dashboardRoutes } from "./dashboard/routes.ts";
import { type ActivitySource, EventFeed, type TranscriptionActivitySource } from "./events/feed.ts";
import { EVENT_STREAM_TYPE, eventStreamRoutes } from "./events/routes.ts";
import { type HomePageDeps, homePage } from "./home-page.ts";
import { ApiKeyCache } from "./http/access/api-key-cache.ts";
import { type Caller, callerOfApiKey, decorateRequests, requireApiKey, requireCaller } from "./http/access/auth.ts";
import { LastUse } from "./http/access/last-use.ts";
import type { RateScope, RequestRates } from "./http/access/request-rates.ts";
import { ApiError, notFound, toApiError } from "./http/errors.ts";
import { type HealthDeps, healthRoutes } from "./http/health.ts";
import { handleOtherMethods } from "./http/methods.ts";
import { startBodyDeadline } from "./http/requests/body-deadline.ts";
import { readJson, requirePlainUtf8 } from "./http/requests/json-body.ts";
import { validatorCompiler } from "./http/requests/validation.ts";
import { onResponseEnd } from "./http/responses/response-end.ts";
import { referencePage } from "./openapi/reference-page.ts";
import { HEADERS } from "./openapi/responses.ts";
import { openapiRoute } from "./openapi/route.ts";
import { type PhoneCallRoutesDeps, phoneCallRoutes } from "./phone-calls/routes.ts";
import { type PhoneNumberRoutesDeps, phoneNumberRoutes } from "./phone-numbers/routes.ts";
import { type CredentialRoutesDeps, credentialRoutes } from "./provider-credentials/routes.ts";
import { type PublishableKeyRoutesDeps, publishableKeyRoutes } from "./publishable-keys/routes.ts";
import { acceptPage } from "./session/accept-page.ts";
import { callerOfSession } from "./session/auth.ts";
import { type SessionRoutesDeps, sessionRoutes } from "./session/routes.ts";
import { SessionLookups } from "./session/session-lookups.ts";
import { type StatusRoutesDeps, statusRoutes } from "./status/routes.ts";
import { TALK_PATH, type TalkPageDeps, talkPage } from "./talk/page.ts";
import { type TalkRoutesDeps, talkRoutes } from "./talk/routes.ts";
import { type InboundSpecDeps, inboundSpecOf } from "./telephony/inbound-spec.ts";
import { type CarrierWebhookDeps, carrierWebhookRoutes } from "./telephony/routes.ts";
import { toolSecretRoutes } from "./tool-secrets/routes.ts";
import { type ToolRoutesDeps, toolRoutes } from "./tools/routes.ts";
import { type TranscriptionRoutesDeps, transcriptionRoutes } from "./transcriptions/routes.ts";
import { type UsageRoutesDeps, usageRoutes } from "./usage/routes.ts";
import { type UserRoutesDeps, userRoutes } from "./users/routes.ts";
import { voiceRoutes } from "./voices/routes.ts";
import { allowPreflight, type WebCallAccessDeps } from "./web-calls/access.ts";
import { WEB_CALLS_PATH, webCallRoutes } from "./web-calls/routes.ts";
import { webFileRoutes } from "./web-files/routes.ts";
import { type DeliveryRoutesDeps, deliveryRoutes } from "./webhooks/deliveries.ts";
import { type WebhookRoutesDeps, webhookRoutes } from "./webhooks/routes.ts";

export const API_BASE_PATH = "/api/v1";
/** What the cookies of people serve, and nothing else does. */
const SESSION_PATH = "/dashboard/session";
/** The API for people who are signed in. */
export const SESSION_API_PATH = `${SESSION_PATH}${API_BASE_PATH}`;

export interface ApiDeps
  extends Omit<AccountRoutesDeps, "apiKeyCache">,
    AgentRoutesDeps,
    AuditRoutesDeps,
    WebhookRoutesDeps,
    DeliveryRoutesDeps,
    CallEventRoutesDeps,
    CallEndDeps,
    LiveRequestDeps,
    CallRoutesDeps,
    CarrierRoutesDeps,
    Omit<CarrierWebhookDeps, "inboundSpec">,
    Pick<InboundSpecDeps, "inboundWebhookClient">,
    CredentialRoutesDeps,
    KnowledgeRoutesDeps,
    ListenDeps,
    HealthDeps,
    HomePageDeps,
    PhoneCallRoutesDeps,
    PhoneNumberRoutesDeps,
    PublishableKeyRoutesDeps,
    RecordingRoutesDeps,
    ReplayCheckDeps,
    SessionRoutesDeps,
    StatusRoutesDeps,
    TalkPageDeps,
    TalkRoutesDeps,
    ToolRoutesDeps,
    TranscriptionRoutesDeps,
    UsageRoutesDeps,
    UserRoutesDeps,
    WaveformRoutesDeps,
    Omit<WebCallAccessDeps, "metrics"> {
  audit: AuditRoutesDeps["audit"] & ListenDeps["audit"];
  accountSecrets: CredentialRoutesDeps["accountSecrets"] & ToolRoutesDeps["accountSecrets"];
  tools: ToolRoutesDeps["tools"];
  voices: CallRoutesDeps["voices"];
  schemas: ToolRoutesDeps["schemas"];
  agents: AgentRoutesDeps["agents"];
  callAdmission: PhoneCallRoutesDeps["callAdmission"];
  carriers: CarrierRoutesDeps["carriers"];
  phoneCalls: PhoneCalls | undefined;
  phoneNumbers: PhoneNumberRoutesDeps["phoneNumbers"];
  publishableKeys: PublishableKeyRoutesDeps["publishableKeys"];
  clock: Clock;
  calls: CallStore;
  transcriptions: TranscriptionStore;
  corpora: CorpusStore;
  documents: DocumentStore;
  apiKeys: ApiKeyStore;
  eventStreams: EventStreamStore;
  activity: ActivitySource;
  transcriptionActivity: TranscriptionActivitySource;
  sessions: SessionStore;
  requestRates: Pick<RequestRates, "take">;
  metrics: Pick<
    ControlMetrics,
    | "requestAnswered"
    | "requestLimited"
    | "callLimited"
    | "inboundWebhookAsked"
    | "signInAttempted"
    | "webCallStarted"
    | "eventStreamEnded"
    | "observeEventStreams"
  >;
  /** The addresses of this API as its OpenAPI document gives them; see `OpenapiOptions`. */
  publicApiUrls: readonly string[];
  /** The origins whose pages may read the responses; empty except in development. */
  corsOrigins: readonly string[];
  /** Addresses and networks of the proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  trustedProxies: readonly string[];
  /** From the first byte of a request to the end of its head, and from there to the last byte of its body; REQUEST_MS_MAX by default. */
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
    // Node's own time-out of bodies has no exceptions: see `startBodyDeadline`.
    requestTimeout: 0,
    // The supervisor decides how long a start may take: on a busy machine plugins take more than Fastify's 10 s.
    pluginTimeout: 0,
    connectionTimeout: stallMsMax,
    http: {
      // Node reads these when it creates the server, and checks for late requests at this interval.
      requestTimeout: 0,
      headersTimeout: requestMsMax,
      connectionsCheckingInterval: requestMsMax / 10,
      // Node's own response has no body; the hook below sends ours.
      requireHostHeader: false,
    },
    // Any part of a request's head that Node accepts may be an id. An id that is too long is simply unknown.
    routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    trustProxy: deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    return503OnClosing: false,
    frameworkErrors: answerError,
    clientErrorHandler: respondToUnreadable,
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerError(notFound("resource"), request, reply));
  readOnlyJson(app);
  // Unknown expectations are ignored (RFC 9110, section 10.1.1); Node would answer them without a body.
  app.server.on("checkExpectation", app.routing);
  decorateRequests(app);
  app.addHook("onRequest", async (request, reply) => {
    startBodyDeadline(request.raw, reply.raw, requestMsMax, () => respondToUnreadable(LATE, request.raw.socket));
    reply.headers({ "x-request-id": request.id, "cache-control": "no-store" });
    const problem = requestHeadProblem(request.raw);
    if (problem !== undefined) throw new ApiError("invalid_request", problem);
  });
  // The document describes these routes at the address for API keys.
  app.addHook("onRoute", (route) => {
    if (route.url.startsWith(`${SESSION_API_PATH}/`)) route.schema = { ...route.schema, hide: true };
  });
  const patternOf = handleOtherMethods(app);
  app.addHook("onRequest", async (request, reply) => {
    if (request.method !== "OPTIONS" || patternOf(request) !== API_BASE_PATH + WEB_CALLS_PATH) return;
    await allowPreflight(deps, request, reply);
  });
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

/** Other bodies are refused, but by the routes that read them themselves. */
function readOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    requirePlainUtf8(request.headers);
    return readJson(body);
  });
}

function registerRoutes(app: FastifyInstance, deps: ApiDeps): void {
  openapiRoute(app, { publicApiUrls: deps.publicApiUrls, basePath: API_BASE_PATH });
  referencePage(app, { basePath: API_BASE_PATH });
  const owner = new OwnerKnown(deps.users);
  void app.register(async (scope) => {
    healthRoutes(scope, deps);
    homePage(scope, { ...deps, basePath: API_BASE_PATH, owner });
  });
  void app.register(async (scope) => dashboardRoutes(scope, { ...deps, owner }));
  const lastUse = new LastUse(deps);
  app.addHook("onClose", () => lastUse.flush());
  const apiKeyCache = new ApiKeyCache({ ...deps, onFound: (principal) => lastUse.note(principal) });
  const eventFeed = new EventFeed({ ...deps, events: deps.eventStreams, documents: deps });
  deps.metrics.observeEventStreams(() => eventFeed.count);
  // Before the server waits for its connections.
  app.addHook("preClose", async () => eventFeed.close());
  const access = { ...deps, apiKeyCache, onRateLimited: (limit: RateScope) => deps.metrics.requestLimited(limit) };
  const shared = { eventFeed, apiKeyCache };
  const forApiKeys = (scope: FastifyInstance, _options: object, done: () => void): void => {
    requireApiKey(scope, access);
    resourceRoutes(scope, deps, { ...shared, authenticate: (request) => callerOfApiKey(request, apiKeyCache) });
    done();
  };
  const forOpenAiClients = (scope: FastifyInstance, _options: object, done: () => void): void => {
    requireCaller(scope, access, (request) => callerOfOpenAiClient(request, apiKeyCache));
    audioTranscriptionRoutes(scope, deps);
    done();
  };
  const forPeople = (scope: FastifyInstance, _options: object, done: () => void): void => {
    requireCaller(scope, access, (request) => callerOfSession(request, deps));
    const lookups = { ...deps, sessions: new SessionLookups(deps.sessions) };
    resourceRoutes(scope, deps, { ...shared, authenticate: (request) => callerOfSession(request, lookups) });
    done();
  };
  void app.register(forApiKeys, { prefix: API_BASE_PATH });
  void app.register(forOpenAiClients, { prefix: API_BASE_PATH });
  void app.register(forPeople, { prefix: SESSION_API_PATH });
  void app.register(async (scope) => sessionRoutes(scope, deps), { prefix: SESSION_PATH });
  void app.register(async (scope) => acceptPage(scope));
  void app.register(async (scope) => carrierWebhookRoutes(scope, { ...deps, inboundSpec: inboundSpecOf(deps) }));
  void app.register(async (scope) => {
    talkPage(scope, deps);
    webFileRoutes(scope, deps);
  });
  void app.register(async (scope) => talkRoutes(scope, deps), { prefix: TALK_PATH });
}

interface SharedByRoutes {
  authenticate: (request: FastifyRequest) => Promise<Caller>;
  apiKeyCache: ApiKeyCache;
  eventFeed: EventFeed;
}

/** The resources of accounts, for API keys and for people alike. */
function resourceRoutes(
  scope: FastifyInstance,
  deps: ApiDeps,
  { authenticate, apiKeyCache, eventFeed }: SharedByRoutes,
): void {
  scope.addHook("preHandler", async ({ routeOptions: { url }, params }) => {
    const { id } = params as { id?: CallId };
    // Such a call is a transcription to its account.
    if (url?.includes("/calls/:id") && id !== undefined && liveTranscriptionOf(id) !== undefined)
      throw notFound("call");
  });
  callRoutes(scope, deps);
  callListRoutes(scope, deps);
  callEndRoutes(scope, deps);
  callHoldRoutes(scope, deps);
  recordingPauseRoutes(scope, deps);
  recordingRoutes(scope, deps);
  listenRoutes(scope, deps);
  waveformRoutes(scope, deps);
  replayCheckRoutes(scope, deps);
  callEventRoutes(scope, deps);
  transcriptionRoutes(scope, deps);
  knowledgeRoutes(scope, deps);
  voiceRoutes(scope, deps.voices, deps.largeResponses);
  agentRoutes(scope, deps);
  agentVersionRoutes(scope, deps);
  agentCallRoutes(scope, deps);
  webCallRoutes(scope, deps);
  webhookRoutes(scope, deps);
  deliveryRoutes(scope, deps);
  accountRoutes(scope, { ...deps, apiKeyCache });
  credentialRoutes(scope, deps);
  carrierRoutes(scope, deps);
  phoneNumberRoutes(scope, deps);
  phoneCallRoutes(scope, deps);
  toolSecretRoutes(scope, deps);
  toolRoutes(scope, deps);
  apiKeyRoutes(scope, { ...deps, apiKeyCache });
  publishableKeyRoutes(scope, deps);
  userRoutes(scope, deps);
  auditRoutes(scope, deps);
  usageRoutes(scope, deps);
  statusRoutes(scope, deps);
  eventStreamRoutes(scope, { eventFeed, authenticate });
}

/** For pages of other origins. Their preflights are answered in methods.ts, which knows the methods of each path. */
const corsOptions = (origins: readonly string[]): FastifyCorsOptions => ({
  origin: [...origins],
  methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  allowedHeaders: [
    "X-API-Key",
    "Content-Type",
    "Idempotency-Key",
    "Range",
    "If-Range",
    "If-None-Match",
    "If-Match",
    "Last-Event-ID",
  ],
  exposedHeaders: [...Object.keys(HEADERS), "Allow"],
  maxAge: PREFLIGHT_S,
  strictPreflight: false,
  preflightContinue: true,
});
/** A browser may cache a preflight for this long. */
const PREFLIGHT_S = 600;

/** Logs the route's pattern instead of the URL: paths and queries hold client data that must not be stored. */
function recordResponse({ metrics, log }: ApiDeps, request: FastifyRequest, reply: FastifyReply, route: string): void {
  const { method, id: requestId, accountId, apiKeyId, userId, webCall } = request;
  const { statusCode: status, elapsedTime } = reply;
  // A stream lasts as long as its client likes, which says nothing about the API.
  const isStream = reply.getHeader("content-type") === EVENT_STREAM_TYPE;
  metrics.requestAnswered(method, route, status, isStream ? undefined : elapsedTime);
  const durationMs = Math.round(elapsedTime);
  const caller = {
    accountId,
    ...(webCall === undefined ? { apiKeyId } : { publishableKeyId: webCall.publishableKeyId }),
    ...(userId !== "" && { userId }),
  };
  log.info({ requestId, method, route, status, durationMs, ...caller }, "request completed");
}

/** A problem of the request's head that Node accepts. RFC 9112, section 3.2 requires exactly one Host header. */
function requestHeadProblem({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  if (rawHeaders.length > 2 * HEADERS_MAX) return `the request must not have more than ${HEADERS_MAX} headers`;
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1) return "the request must have exactly one Host header";
  return hosts === 0 && httpVersion === "1.1" ? "the request must carry the header Host" : undefined;
}

const LATE = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

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
