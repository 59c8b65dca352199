import { strict as assert } from "node:assert";
import type { FastifyRequest, preValidationHookHandler } from "fastify";
import type { z } from "zod";
import type { SpendUnit } from "../../core/billing/spend.ts";
import type { CallSpec, ConnectionType } from "../../core/calls/spec.ts";
import { isoTime } from "../../core/clock.ts";
import type { AccountId, NodeName } from "../../core/ids.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ControlMetrics } from "../../core/metrics/control-metrics.ts";
import { type MediaUrls, mediaUrlOf } from "../../core/network/media-urls.ts";
import type { CallAdmission, Refused } from "../../store/admission/call-admission.ts";
import type { CallAgent, CallRecord, WebCallRefusal } from "../../store/calls/call-store.ts";
import { hashSecret } from "../../store/secrets.ts";
import {
  ApiError,
  accountLimitError,
  callsRefused,
  invalidRequest,
  type Problem,
  tooManyCalls,
  tooManyCreations,
  unauthorized,
  webrtcCallsRefused,
} from "../http/errors.ts";
import type { CallAcceptance } from "../http/health.ts";
import { IdempotencyHeaders, IdempotencySealer } from "../http/requests/idempotency.ts";
import { noQueryProblems } from "../http/requests/query.ts";
import { withTraceparent } from "../http/requests/traceparent.ts";
import { problemsOf, schemaProblems } from "../http/requests/validation.ts";
import type { CreatedCall } from "./schemas/response-schemas.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** On the routes that create calls: the body as received; validation replaces `body` with the checked one. */
    sentBody: unknown;
  }
}

export interface CallCreationDeps {
  callAdmission: Pick<CallAdmission, "create">;
  callAcceptance: () => CallAcceptance;
  /** The limit that the account's calls have reached within the last minute; undefined when none is reached. */
  accountLimitReached: (accountId: AccountId) => SpendUnit | undefined;
  /** The beginning of every `websocketUrl`. */
  mediaUrls: MediaUrls;
  /** In a cluster, that of the calls of a node. */
  mediaUrlsOf?: ((node: NodeName) => MediaUrls) | undefined;
  tokenTtlMs: number;
  /** A new stream token, signed so that workers accept it. */
  mintToken: () => string;
  metrics: Pick<ControlMetrics, "callLimited" | "webCallStarted">;
  log: Logger;
}

const captureBody: preValidationHookHandler = (request, _reply, done) => {
  request.sentBody = request.body;
  done();
};

/**
 * Options of every route that creates a call, in addition to a schema with `IdempotencyHeaders`. The schema's problems are not
 * thrown at once, because the response also reports those that only the handler can find: it calls `problemsOfRequest`.
 */
export const CREATE_CALL_OPTIONS = { attachValidation: true, preValidation: captureBody } as const;

/** The problems that the schema finds in a request (`schemaProblems`), and those of its query and its idempotency key. */
export const problemsOfRequest = (request: FastifyRequest): readonly Problem[] => [
  ...schemaProblems(request),
  ...problemsOfHead(request),
];

/** The problems of the query and the idempotency key of a request: Fastify stops at the first part that is wrong. */
export function problemsOfHead({ headers, query }: Pick<FastifyRequest, "headers" | "query">): readonly Problem[] {
  const named = IdempotencyHeaders.safeParse(headers, { reportInput: true });
  return [...noQueryProblems(query), ...(named.success ? [] : problemsOf(named.error))];
}

/**
 * Throws the ApiError that `createCall` would throw for any body, before anything of this one is looked up or compiled. When the
 * request already has `problems`, throws those instead. An idempotent request may be refused for spending only after the store
 * has checked whether it was answered before.
 */
export function refuseEarly(
  deps: Pick<CallCreationDeps, "callAcceptance" | "accountLimitReached">,
  request: Pick<FastifyRequest, "accountId" | "headers">,
  problems: readonly Problem[] = [],
): void {
  const refusal = earlyRefusalOf(deps, request);
  if (refusal !== undefined) throw problems.length > 0 ? invalidRequest(problems) : refusal;
}

function earlyRefusalOf(
  { callAcceptance, accountLimitReached: limitOf }: Pick<CallCreationDeps, "callAcceptance" | "accountLimitReached">,
  { accountId, headers }: Pick<FastifyRequest, "accountId" | "headers">,
): ApiError | undefined {
  const state = callAcceptance();
  // When only the call slots are used up, the store still answers a repeated request.
  if (!state.accepted && state.reason !== "overloaded") return callsRefused(state.reason);
  const limit = headers["idempotency-key"] === undefined ? limitOf(accountId) : undefined;
  return limit && accountLimitError(limit);
}

/** The part of Fastify's reply that `createCall` uses. */
interface CreationReply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/**
 * Creates the call of a request that has been checked, or finds the call that the same request created before. Sets the status
 * and the headers of the response and returns its body. `agent` is the saved agent from which `spec` was made. Throws ApiError as
 * `admitCall`.
 */
export async function createCall(
  deps: CallCreationDeps,
  request: FastifyRequest,
  reply: CreationReply,
  spec: CallSpec,
  agent?: CallAgent,
): Promise<z.output<typeof CreatedCall>> {
  const { call, websocketUrl, isNew } = await admitCall(deps, request, reply, spec, agent);
  if (isNew) logCreated(deps, request, call);
  reply.header("location", `${request.server.prefix}/calls/${call.id}`);
  return {
    id: call.id,
    websocketUrl,
    status: call.status,
    connectionType: call.settings.connectionType,
    createdAt: isoTime(call.createdAtMs),
  };
}

function logCreated(
  { log, metrics }: CallCreationDeps,
  { id: requestId, webCall }: FastifyRequest,
  call: CallRecord,
): void {
  const publishableKeyId = webCall?.publishableKeyId;
  if (webCall !== undefined) metrics.webCallStarted("created");
  log.info(
    { callId: call.id, accountId: call.accountId, requestId, ...(publishableKeyId && { publishableKeyId }) },
    "call created",
  );
}

/** A call that waits for its stream, and the address of that. */
export interface AdmittedCall {
  call: CallRecord;
  websocketUrl: string;
  /** False for one that the same request created before. */
  isNew: boolean;
}

/**
 * Admits and stores the call of a request that has been checked, or finds the one that the same request created before. Sets the status
 * of the response. Throws ApiError: 503 while no calls are accepted, 429 when the API key or the account has reached its limit of
 * calls, or the account its limit of creations or a spend limit, 409 `idempotency_mismatch`.
 */
export async function admitCall(
  deps: CallCreationDeps,
  request: FastifyRequest,
  reply: CreationReply,
  spec: CallSpec,
  agent?: CallAgent,
): Promise<AdmittedCall> {
  // The state may have changed while the request was checked.
  refuseEarly(deps, request);
  const { webCall } = request;
  const fresh = deps.mintToken();
  const named = idempotencySealerOf(request, spec);
  const over = deps.accountLimitReached(request.accountId);
  const creation = await deps.callAdmission.create(
    {
      accountId: request.accountId,
      agent,
      apiKeyId: request.apiKeyId || undefined,
      web: webCall && { publishableKeyId: webCall.publishableKeyId, addressHash: webCall.addressHash },
      spec: withTraceparent(spec, request),
      tokenHash: hashSecret(fresh),
      tokenTtlMs: deps.tokenTtlMs,
      idempotency: named?.seal(fresh),
    },
    { limits: request.account.settings.limits, refusal: over && "spend_limit" },
  );
  if (creation.kind === "refused") {
    if (over !== undefined) throw accountLimitError(over);
    throw refusalOf(deps, request, creation, spec.connectionType);
  }
  if (creation.kind === "web-call-refused") {
    deps.metrics.webCallStarted(creation.reason);
    throw webCallRefused(creation.reason);
  }
  if (creation.kind === "mismatch") throw idempotencyMismatch();
  reply.code(201);
  const { call } = creation;
  const { node } = creation;
  const mediaUrls = (node && deps.mediaUrlsOf?.(node)) ?? deps.mediaUrls;
  const addressOf = (token: string): string => `${mediaUrlOf(mediaUrls, call.settings.connectionType)}/stream/${token}`;
  if (creation.kind === "created") return { call, websocketUrl: addressOf(fresh), isNew: true };
  assert.ok(named !== undefined, "only an idempotent request can be replayed");
  reply.header("idempotent-replayed", "true");
  return { call, websocketUrl: addressOf(named.open(creation.sealedToken)), isNew: false };
}

/** Why the admission has refused a call, which the metrics count where it was a limit of the API key or the account. */
export function refusalOf(
  { metrics }: Pick<CallCreationDeps, "metrics">,
  { account }: FastifyRequest,
  { reason, waitMs = 0 }: Refused,
  connectionType: ConnectionType,
): ApiError {
  if (reason === "overloaded") return connectionType === "webrtc" ? webrtcCallsRefused() : callsRefused(reason);
  assert.ok(reason !== "spend_limit", "a spend limit is known before the admission");
  metrics.callLimited(reason);
  if (reason === "account_creations") return tooManyCreations(account.settings.limits?.creationsPerMinute ?? 0, waitMs);
  return tooManyCalls(reason === "account_calls" ? "account" : "API key");
}

/** Undefined for a request without an Idempotency-Key. */
function idempotencySealerOf(
  { headers, params, sentBody, credential, routeOptions }: FastifyRequest,
  { mode }: Pick<CallSpec, "mode">,
): IdempotencySealer | undefined {
  // Everyone has the text of a publishable key, from which the seal would be derived. The page /talk has no credential at all.
  if (routeOptions.schema?.acceptsPublishableKeys || credential === "") return undefined;
  const name = headers["idempotency-key"];
  if (typeof name !== "string") return undefined;
  // The path adds only the agent's id, with its version, or the mode. A missing body and an empty one are the same request.
  const { id = mode } = params as { id?: string };
  return new IdempotencySealer({ name, credential, asked: [id, sentBody ?? {}] });
}

/** Why a publishable key does not start a call. One that was revoked meanwhile is like an unknown one. */
function webCallRefused(reason: WebCallRefusal): ApiError {
  switch (reason) {
    case "revoked":
      return unauthorized();
    case "concurrent_calls":
      return new ApiError("rate_limited", "this publishable key has reached its limit of concurrent calls");
    case "concurrent_calls_of_address":
      return new ApiError("rate_limited", "this address has reached its limit of concurrent calls");
    case "cost":
      return new ApiError(
        "spend_limit",
        "the calls of this publishable key have reached their limit of cost for today (UTC)",
      );
    case "cost_of_address":
      return new ApiError("spend_limit", "the calls of this address have reached their limit of cost for today (UTC)");
  }
}

export const idempotencyMismatch = (): ApiError =>
  new ApiError(
    "idempotency_mismatch",
    "this Idempotency-Key was already used with another body, on another path, or with another API key of this account",
  );
