import { strict as assert } from "node:assert";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Scope } from "../../../core/accounts/scopes.ts";
import type { Clock } from "../../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../../core/clocks.ts";
import { type AccountId, type ApiKeyId, asAccountId, asApiKeyId, asUserId, type UserId } from "../../../core/ids.ts";
import { API_KEY_CACHE_MS } from "../../../core/limits/accounts/api-keys.ts";
import type { AccountState } from "../../../store/accounts/api-key-store.ts";
import type { Act } from "../../../store/accounts/audit-store.ts";
import { admitPublishableKey, isPublishableKey, type WebCallAccessDeps } from "../../web-calls/access.ts";
import { lacksScope, unauthorized } from "../errors.ts";
import type { ApiKeyCache } from "./api-key-cache.ts";
import type { RateScope, Requester, RequestRates } from "./request-rates.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The account of the request; empty on the routes that need no API key. */
    accountId: AccountId;
    /** The API key of the request; empty likewise, and for a person who is signed in. */
    apiKeyId: ApiKeyId;
    /** The person who is signed in; empty for requests with an API key. */
    userId: UserId;
    /** The secret text that authenticated the request: the API key or the session's. It must not be logged. */
    credential: string;
    /** The scopes of the API key, or of the person's role. */
    scopes: readonly Scope[];
    /** The account of the request as it was at `authenticatedAtMs`; empty likewise. */
    account: AccountState;
    /** When the API key or the session was last looked up. */
    authenticatedAtMs: MonotonicMs;
  }
  interface FastifySchema {
    /** The scope that the API key of the request must have. Every route that requires an API key names one. */
    scope?: Scope;
  }
}

/** Who sent a request. */
export type Caller = Requester & { credential: string; scopes: readonly Scope[]; account: AccountState };

export interface RouteAccess {
  clock: Clock;
  requestRates: Pick<RequestRates, "take">;
  onRateLimited: (scope: RateScope) => void;
}

/** Adds to requests what says who sent them. Must be called before any route is registered. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest("accountId", asAccountId(""));
  app.decorateRequest("apiKeyId", asApiKeyId(""));
  app.decorateRequest("userId", asUserId(""));
  app.decorateRequest("credential", "");
  app.decorateRequest("scopes");
  app.decorateRequest("account");
  app.decorateRequest("authenticatedAtMs");
  app.decorateRequest("webCall", undefined);
  app.decorateRequest("sentBody", undefined);
}

export interface ApiKeyAccess extends RouteAccess, WebCallAccessDeps {
  apiKeyCache: Pick<ApiKeyCache, "authenticate">;
}

/** Rejects requests without a valid API key or, on the route for it, publishable key: see `requireCaller`. */
export function requireApiKey(scope: FastifyInstance, access: ApiKeyAccess): void {
  const { apiKeyCache } = access;
  scope.addHook("onRequest", async (request, reply) => {
    const text = request.headers["x-api-key"];
    if (isPublishableKey(text)) await admitPublishableKey(access, request, reply, text);
  });
  requireCaller(scope, access, (request) => callerOfApiKey(request, apiKeyCache));
}

/** Throws ApiError `unauthorized` without a valid API key. */
export const callerOfApiKey = (
  { headers }: FastifyRequest,
  apiKeyCache: Pick<ApiKeyCache, "authenticate">,
): Promise<Caller> => callerOfText(headers["x-api-key"], apiKeyCache);

/** As `callerOfApiKey`, by what a header has. */
export async function callerOfText(
  credential: string | readonly string[] | undefined,
  apiKeyCache: Pick<ApiKeyCache, "authenticate">,
): Promise<Caller> {
  const principal = typeof credential === "string" ? await apiKeyCache.authenticate(credential) : undefined;
  if (typeof credential !== "string" || principal === undefined) throw unauthorized();
  return { ...principal, credential };
}

/**
 * Rejects requests that `authenticate` rejects, above the limits of requests, and without the route's scope, before a byte
 * of the body is read. When the body took longer than an API key counts as valid, the caller is looked up again. Publishable
 * keys were admitted before.
 */
export function requireCaller(
  scope: FastifyInstance,
  { requestRates, onRateLimited, clock }: RouteAccess,
  authenticate: (request: FastifyRequest) => Promise<Caller>,
): void {
  const identify = async (request: FastifyRequest): Promise<Caller> => {
    const caller = await authenticate(request);
    request.accountId = caller.accountId;
    if ("apiKeyId" in caller) request.apiKeyId = caller.apiKeyId;
    else request.userId = caller.userId;
    request.credential = caller.credential;
    request.scopes = caller.scopes;
    request.account = caller.account;
    request.authenticatedAtMs = clock.nowMs();
    return caller;
  };

  scope.addHook("onRoute", ({ schema, method, url }) => {
    assert.ok(schema?.scope, `${method} ${url} names no scope`);
  });
  scope.addHook("onRequest", async (request, reply) => {
    if (request.webCall !== undefined) return;
    const { refused, refusedBy, headers } = requestRates.take(await identify(request));
    reply.headers(headers);
    if (refusedBy !== undefined) onRateLimited(refusedBy);
    if (refused !== undefined) throw refused;
    requireRouteScope(request);
  });
  scope.addHook("preValidation", async (request) => {
    // Whether a publishable key is revoked is decided with its limits, when the call is stored.
    if (request.webCall !== undefined) return;
    if (elapsedMs(request.authenticatedAtMs, clock.nowMs()) <= API_KEY_CACHE_MS) return;
    await identify(request);
    requireRouteScope(request);
  });
}

function requireRouteScope(request: FastifyRequest): void {
  const needed = request.routeOptions.schema?.scope;
  assert.ok(needed !== undefined);
  requireScopes(request, [needed]);
}

/** Throws `forbidden` unless the request has all of these scopes: an API key or a person gives no more than they have. */
export function requireScopes({ scopes: own, userId }: FastifyRequest, needed: readonly Scope[]): void {
  const missing = needed.filter((one) => !own.includes(one));
  if (missing.length > 0) throw lacksScope(missing, userId === "" ? "API key" : "role");
}

/** The circumstances of what a request does, for the audit log. */
export const actOf = ({ apiKeyId, userId, id: requestId }: FastifyRequest): Act => ({
  actor: userId === "" ? { kind: "api_key", id: apiKeyId } : { kind: "user", id: userId },
  requestId,
});
