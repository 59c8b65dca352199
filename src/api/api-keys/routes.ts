import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { DEFAULT_SCOPES } from "../../core/accounts/scopes.ts";
import { type Clock, isoEpochMs, isoTime } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import { asApiKeyId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { API_KEYS_MAX } from "../../core/limits/accounts/api-keys.ts";
import type { ApiKeyRecord, ApiKeyStatus, ApiKeyStore } from "../../store/accounts/api-key-store.ts";
import type { ApiKeyCache } from "../http/access/api-key-cache.ts";
import { actOf, requireScopes } from "../http/access/auth.ts";
import { ApiError, found, invalidRequest } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { problem, schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import {
  ApiKeyChangesBody,
  ApiKeyFilters,
  ApiKeyItem,
  ApiKeyList,
  ApiKeyParams,
  ApiKeyRotationBody,
  ApiKeyWithText,
  NewApiKeyBody,
} from "./schemas.ts";

export interface ApiKeyRoutesDeps {
  apiKeys: ApiKeyStore;
  apiKeyCache: Pick<ApiKeyCache, "forget">;
  clock: Clock;
}

const scope = "admin";
const tags = ["api-keys"];
const ONLY_OWN_SCOPES = "An API key can grant only scopes that it has itself.";

const CREATE = {
  operationId: "createApiKey",
  scope,
  tags,
  summary: "Create an API key",
  description: `Another API key of the account. Its text is in this answer only. ${ONLY_OWN_SCOPES}`,
  querystring: NoQuery,
  body: NewApiKeyBody,
  response: { 201: ApiKeyWithText },
  errors: ["conflict"],
} as const;

const LIST = {
  operationId: "listApiKeys",
  scope,
  tags,
  summary: "List API keys",
  description: "The account's API keys, oldest first, also those that are revoked or expired.",
  querystring: ApiKeyFilters,
  response: { 200: ApiKeyList },
} as const;

const READ = {
  operationId: "getApiKey",
  scope,
  tags,
  summary: "Read an API key",
  description: "An API key, without its text.",
  params: ApiKeyParams,
  querystring: NoQuery,
  response: { 200: ApiKeyItem },
  errors: ["not_found"],
} as const;

const UPDATE = {
  operationId: "updateApiKey",
  scope,
  tags,
  summary: "Change an API key",
  description: `Its name, scopes and expiry; within a second every process follows them. 409 when it is revoked. ${ONLY_OWN_SCOPES}`,
  params: ApiKeyParams,
  querystring: NoQuery,
  body: ApiKeyChangesBody,
  response: { 200: ApiKeyItem },
  errors: ["not_found", "conflict"],
} as const;

const ROTATE = {
  operationId: "rotateApiKey",
  scope,
  tags,
  summary: "Give an API key another text",
  description:
    "The API key keeps its id. Both texts work until the overlap ends; another rotation within the overlap ends it for the " +
    "oldest text. 409 when the API key is revoked. The request must have every scope of the API key, whose new text it gets.",
  params: ApiKeyParams,
  querystring: NoQuery,
  body: ApiKeyRotationBody,
  response: { 200: ApiKeyWithText },
  errors: ["not_found", "conflict"],
} as const;

const REVOKE = {
  operationId: "revokeApiKey",
  scope,
  tags,
  summary: "Revoke an API key",
  description:
    "It is refused at once by the process that answers, and within a second by every other one. It stays in the list. Calls that " +
    "it has created continue. One that is already revoked stays as it is. An API key may revoke itself.",
  params: ApiKeyParams,
  querystring: NoQuery,
  response: { 200: ApiKeyItem },
  errors: ["not_found"],
} as const;

/** Registers the routes of `/api-keys` in `fastify`, which must require an API key. */
export function apiKeyRoutes(fastify: FastifyInstance, { apiKeys, apiKeyCache, clock }: ApiKeyRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const itemOf = (record: ApiKeyRecord) => apiKeyItemOf(record, clock.epochMs());

  app.post("/api-keys", { schema: CREATE, attachValidation: true }, async (request, reply) => {
    requireValid(request, clock);
    const { accountId, body } = request;
    requireScopes(request, body.scopes ?? DEFAULT_SCOPES);
    if ((await apiKeys.count(accountId)) >= API_KEYS_MAX) {
      throw new ApiError("conflict", `the account has reached its limit of ${API_KEYS_MAX} API keys`);
    }
    const expiresAtMs = expiryOf(body.expiresAt) ?? undefined;
    const { name, scopes } = body;
    const { key, record } = await apiKeys.create({ accountId, name, scopes, expiresAtMs }, actOf(request));
    const location = `${fastify.prefix}/api-keys/${record.id}`;
    return reply
      .code(201)
      .header("location", location)
      .send({ ...itemOf(record), key });
  });

  app.get("/api-keys", { schema: LIST }, async ({ accountId, query }) => {
    const { limit, cursor, status } = query;
    const list = ["api-keys", accountId, { status }];
    const afterApiKeyId = cursor === undefined ? undefined : asApiKeyId(idOf(cursor, list));
    const page = await apiKeys.list(accountId, { status, afterApiKeyId, limit });
    const last = page.apiKeys.at(-1);
    const nextCursor = page.more && last !== undefined ? cursorOf(last.id, list) : null;
    return { data: page.apiKeys.map(itemOf), nextCursor };
  });

  app.get("/api-keys/:id", { schema: READ }, async ({ accountId, params }) =>
    itemOf(found(await apiKeys.get(accountId, params.id), "API key")),
  );

  app.patch("/api-keys/:id", { schema: UPDATE, attachValidation: true }, async (request) => {
    requireValid(request, clock);
    const { accountId, params, body } = request;
    requireScopes(request, body.scopes ?? []);
    const { name, scopes } = body;
    const changes = { name, scopes, expiresAtMs: expiryOf(body.expiresAt) };
    const updated = notRevoked(await apiKeys.update(accountId, params.id, changes, actOf(request)));
    apiKeyCache.forget(params.id);
    return itemOf(updated);
  });

  app.post("/api-keys/:id/rotate", { schema: ROTATE }, async (request) => {
    const { accountId, params, body } = request;
    requireScopes(request, found(await apiKeys.get(accountId, params.id), "API key").scopes);
    const overlapMs = body.overlapSeconds * 1_000;
    const { key, record } = notRevoked(await apiKeys.rotate(accountId, params.id, overlapMs, actOf(request)));
    apiKeyCache.forget(params.id);
    return { ...itemOf(record), key };
  });

  app.post("/api-keys/:id/revoke", { schema: REVOKE }, async (request) => {
    const { accountId, params } = request;
    const revoked = found(await apiKeys.revoke(accountId, params.id, actOf(request)), "API key");
    apiKeyCache.forget(params.id);
    return itemOf(revoked);
  });
}

/** Reports an expiry that has passed together with the problems that the schema finds. */
function requireValid(request: FastifyRequest, clock: Clock): void {
  const given = isObject(request.body) ? request.body.expiresAt : undefined;
  const hasPassed = typeof given === "string" && isoEpochMs(given) <= clock.epochMs();
  const passed = hasPassed ? [problem(["expiresAt"], "must be in the future", given)] : [];
  const problems = [...schemaProblems(request), ...noQueryProblems(request.query), ...passed];
  if (problems.length > 0) throw invalidRequest(problems);
}

function notRevoked<T>(result: T | "revoked" | undefined): T {
  const existing = found(result, "API key");
  if (existing === "revoked") throw new ApiError("conflict", "the API key is revoked");
  return existing as T;
}

const expiryOf = (text: string | null | undefined): EpochMs | null | undefined =>
  typeof text === "string" ? isoEpochMs(text) : text;

const timeOrNull = (time: EpochMs | undefined): string | null => (time === undefined ? null : isoTime(time));

const apiKeyItemOf = (record: ApiKeyRecord, nowMs: EpochMs): z.output<typeof ApiKeyItem> => ({
  id: record.id,
  name: record.name,
  prefix: record.visiblePrefix,
  status: statusOf(record, nowMs),
  scopes: [...record.scopes],
  expiresAt: timeOrNull(record.expiresAtMs),
  lastUsedAt: timeOrNull(record.lastUsedAtMs),
  previousWorksUntil: timeOrNull(record.previousUntilMs),
  revokedAt: timeOrNull(record.revokedAtMs),
  createdAt: isoTime(record.createdAtMs),
  updatedAt: isoTime(record.updatedAtMs),
});

function statusOf({ revokedAtMs, expiresAtMs }: ApiKeyRecord, nowMs: EpochMs): ApiKeyStatus {
  if (revokedAtMs !== undefined) return "revoked";
  return expiresAtMs !== undefined && expiresAtMs <= nowMs ? "expired" : "active";
}
