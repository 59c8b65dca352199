import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../core/clock.ts";
import { PREFLIGHT_S } from "../../core/limits/accounts/web-calls.ts";
import type { ControlMetrics, WebCallOutcome } from "../../core/metrics/control-metrics.ts";
import { addressGroup } from "../../core/network/client-address.ts";
import type { PublishableKey, PublishableKeyStore } from "../../store/accounts/publishable-key-store.ts";
import type { WebCallStart } from "../../store/calls/call-store.ts";
import { hashSecret, PUBLISHABLE_KEY_PREFIX } from "../../store/secrets.ts";
import { ApiError, unauthorized } from "../http/errors.ts";
import { HEADERS } from "../openapi/responses.ts";
import type { StartRates } from "./start-rates.ts";

/** A start that a publishable key may make, as far as the request's head tells. */
export interface WebCallAccess extends WebCallStart {
  agentIds: PublishableKey["agentIds"];
  /** Whether the calls of the publishable key, or of the address, have a limit of cost. */
  limitsCost: boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Present when the request has a publishable key instead of an API key. */
    webCall: WebCallAccess | undefined;
  }
  interface FastifySchema {
    /** A request may have a publishable key instead of an API key with the route's scope. */
    acceptsPublishableKeys?: boolean;
  }
}

export interface WebCallAccessDeps {
  publishableKeys: Pick<PublishableKeyStore, "find" | "namesOrigin">;
  startRates: Pick<StartRates, "take">;
  clock: Clock;
  metrics: Pick<ControlMetrics, "webCallStarted">;
}

/** Whether the text of an API key is that of a publishable key. */
export const isPublishableKey = (text: unknown): text is string =>
  typeof text === "string" && text.startsWith(PUBLISHABLE_KEY_PREFIX);

/**
 * Lets a request with a publishable key start a web call: `text` is not revoked, the route is for publishable keys, the
 * request comes from one of its origins, and neither it nor the address has reached its limit of starts. A program can
 * send any origin; what it gains is what the limits leave. Throws ApiError `unauthorized`, `forbidden`, `rate_limited`.
 */
export async function admitPublishableKey(
  deps: WebCallAccessDeps,
  request: FastifyRequest,
  reply: Pick<FastifyReply, "headers">,
  text: string,
): Promise<void> {
  const key = await deps.publishableKeys.find(text);
  if (key === undefined) throw unauthorized();
  if (request.routeOptions.schema?.acceptsPublishableKeys !== true) {
    throw new ApiError("forbidden", "a publishable key can only start calls: POST /agents/{id}/web-calls");
  }
  const count = (outcome: WebCallOutcome): void => deps.metrics.webCallStarted(outcome);
  const { origin } = request.headers;
  if (origin === undefined || !key.origins.includes(origin)) {
    count("origin");
    throw new ApiError("forbidden", "the header Origin must be an origin of this publishable key");
  }
  reply.headers(readableBy(origin));
  const address = addressGroup(request.ip);
  const { refused, refusedBy, headers } = deps.startRates.take(key, address);
  reply.headers(headers);
  if (refusedBy !== undefined) count(refusedBy);
  if (refused !== undefined) throw refused;
  const { maxCostPerDay, maxCostPerDayPerAddress } = key.limits;
  request.accountId = key.accountId;
  request.account = key.account;
  request.authenticatedAtMs = deps.clock.nowMs();
  request.webCall = {
    publishableKeyId: key.id,
    addressHash: hashSecret(`${key.id} ${address}`),
    agentIds: key.agentIds,
    limitsCost: maxCostPerDay !== null || maxCostPerDayPerAddress !== null,
  };
}

/** Headers by which a page of this origin may read the response. */
const readableBy = (origin: string): Readonly<Record<string, string>> => ({
  vary: "Origin",
  "access-control-allow-origin": origin,
  "access-control-expose-headers": Object.keys(HEADERS).join(", "),
});

/**
 * Answers what a browser asks before a page's request to start a call. It does not say which publishable key the page
 * has: an origin is allowed when any publishable key names it, and the request itself is refused with any other one.
 */
export async function allowPreflight(
  { publishableKeys }: Pick<WebCallAccessDeps, "publishableKeys">,
  { headers: { origin } }: FastifyRequest,
  reply: Pick<FastifyReply, "headers">,
): Promise<void> {
  reply.headers({ vary: "Origin" });
  if (origin === undefined || !(await publishableKeys.namesOrigin(origin))) return;
  reply.headers({
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "X-API-Key, Content-Type",
    "access-control-max-age": String(PREFLIGHT_S),
  });
}
