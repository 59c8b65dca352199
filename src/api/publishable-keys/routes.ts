import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import { asAgentId, asPublishableKeyId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { PUBLISHABLE_KEYS_MAX } from "../../core/limits/accounts/web-calls.ts";
import type { PublishableKey, PublishableKeyStore } from "../../store/accounts/publishable-key-store.ts";
import type { Agent, AgentStore } from "../../store/agent-store.ts";
import type { CallSpecDeps } from "../calls/spec.ts";
import { actOf, requireScopes } from "../http/access/auth.ts";
import { ApiError, found, invalidRequest, type Problem } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { problem, schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import { pricesMissingFor } from "../web-calls/prices.ts";
import {
  NewPublishableKeyBody,
  PublishableKeyChangesBody,
  PublishableKeyFilters,
  PublishableKeyItem,
  PublishableKeyList,
  PublishableKeyParams,
} from "./schemas.ts";

export interface PublishableKeyRoutesDeps extends Pick<CallSpecDeps, "missingPrices"> {
  publishableKeys: PublishableKeyStore;
  agents: Pick<AgentStore, "get">;
}

const scope = "admin";
const tags = ["publishable-keys"];

const CREATE = {
  operationId: "createPublishableKey",
  scope,
  tags,
  summary: "Create a publishable key",
  description:
    "A key for web pages, good for `POST /agents/{id}/web-calls` and nothing else. It is no secret: origins keep other " +
    "pages from using it, and the limits bound what a program can do that sends any origin.",
  querystring: NoQuery,
  body: NewPublishableKeyBody,
  response: { 201: PublishableKeyItem },
  errors: ["conflict"],
} as const;

const LIST = {
  operationId: "listPublishableKeys",
  scope,
  tags,
  summary: "List publishable keys",
  description: "The account's publishable keys, oldest first, also those that are revoked.",
  querystring: PublishableKeyFilters,
  response: { 200: PublishableKeyList },
} as const;

const READ = {
  operationId: "getPublishableKey",
  scope,
  tags,
  summary: "Read a publishable key",
  description: "A publishable key, with its text.",
  params: PublishableKeyParams,
  querystring: NoQuery,
  response: { 200: PublishableKeyItem },
  errors: ["not_found"],
} as const;

const UPDATE = {
  operationId: "updatePublishableKey",
  scope,
  tags,
  summary: "Change a publishable key",
  description: "Its name, agents, origins and limits; the next start follows them. 409 when it is revoked.",
  params: PublishableKeyParams,
  querystring: NoQuery,
  body: PublishableKeyChangesBody,
  response: { 200: PublishableKeyItem },
  errors: ["not_found", "conflict"],
} as const;

const REVOKE = {
  operationId: "revokePublishableKey",
  scope,
  tags,
  summary: "Revoke a publishable key",
  description:
    "It starts no call from then on, and stays in the list. Calls that it has started continue. One that is already revoked " +
    "stays as it is.",
  params: PublishableKeyParams,
  querystring: NoQuery,
  response: { 200: PublishableKeyItem },
  errors: ["not_found"],
} as const;

/** Registers the routes of `/publishable-keys` in `fastify`, which must require an API key. */
export function publishableKeyRoutes(fastify: FastifyInstance, deps: PublishableKeyRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const { publishableKeys } = deps;

  app.post("/publishable-keys", { schema: CREATE, attachValidation: true }, async (request, reply) => {
    await requireValid(deps, request);
    // With the publishable key calls can be started.
    requireScopes(request, ["calls"]);
    const { accountId, body } = request;
    if ((await publishableKeys.count(accountId)) >= PUBLISHABLE_KEYS_MAX) {
      throw new ApiError("conflict", `the account has reached its limit of ${PUBLISHABLE_KEYS_MAX} publishable keys`);
    }
    const key = await publishableKeys.create({ accountId, ...body }, actOf(request));
    return reply.code(201).header("location", `${fastify.prefix}/publishable-keys/${key.id}`).send(itemOf(key));
  });

  app.get("/publishable-keys", { schema: LIST }, async ({ accountId, query }) => {
    const { limit, cursor, status } = query;
    const list = ["publishable-keys", accountId, { status }];
    const afterId = cursor === undefined ? undefined : asPublishableKeyId(idOf(cursor, list));
    const page = await publishableKeys.list(accountId, { status, afterId, limit });
    const last = page.publishableKeys.at(-1);
    const nextCursor = page.more && last !== undefined ? cursorOf(last.id, list) : null;
    return { data: page.publishableKeys.map(itemOf), nextCursor };
  });

  app.get("/publishable-keys/:id", { schema: READ }, async ({ accountId, params }) =>
    itemOf(found(await publishableKeys.get(accountId, params.id), "publishable key")),
  );

  app.patch("/publishable-keys/:id", { schema: UPDATE, attachValidation: true }, async (request) => {
    const { accountId, params, body } = request;
    const before = await publishableKeys.get(accountId, params.id);
    await requireValid(deps, request, before);
    requireScopes(request, ["calls"]);
    const changed = found(await publishableKeys.update(accountId, params.id, body, actOf(request)), "publishable key");
    if (changed === "revoked") throw new ApiError("conflict", "the publishable key is revoked");
    return itemOf(changed);
  });

  app.post("/publishable-keys/:id/revoke", { schema: REVOKE }, async (request) => {
    const { accountId, params } = request;
    return itemOf(found(await publishableKeys.revoke(accountId, params.id, actOf(request)), "publishable key"));
  });
}

/** Reports agents that do not exist and prices that are missing together with the problems that the schema finds. */
async function requireValid(
  deps: PublishableKeyRoutesDeps,
  request: FastifyRequest,
  before?: PublishableKey,
): Promise<void> {
  const body = isObject(request.body) ? request.body : {};
  const found = schemaProblems(request);
  const problems = [...found, ...noQueryProblems(request.query)];
  const areAgentIdsValid = !found.some(({ path }) => path.startsWith("/agentIds"));
  if (areAgentIdsValid) problems.push(...(await agentProblems(deps, request, body, before)));
  if (problems.length > 0) throw invalidRequest(problems);
}

async function agentProblems(
  { agents, missingPrices }: PublishableKeyRoutesDeps,
  { accountId }: FastifyRequest,
  { agentIds, limits }: Record<string, unknown>,
  before: PublishableKey | undefined,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const named: Agent[] = [];
  const ids = Array.isArray(agentIds) ? (agentIds as string[]) : (before?.agentIds ?? []);
  for (const [index, id] of ids.entries()) {
    const agent = await agents.get(accountId, asAgentId(id));
    if (agent !== undefined) named.push(agent);
    // An agent that was deleted since it was named is no problem of this request.
    else if (agentIds !== undefined)
      problems.push(problem(["agentIds", index], "must be an agent of this account", id));
  }
  const after = { ...before?.limits, ...(isObject(limits) ? limits : {}) };
  for (const limit of ["maxCostPerDay", "maxCostPerDayPerAddress"] as const) {
    const value = after[limit];
    if (typeof value !== "number") continue;
    const missing = pricesMissingFor(named, missingPrices);
    if (missing.length === 0) continue;
    const rule = `needs a price in PRICES, 0 where it is free, for ${missing.join(", ")}`;
    problems.push(problem(["limits", limit], rule, value));
  }
  return problems;
}

const itemOf = (key: PublishableKey): z.output<typeof PublishableKeyItem> => ({
  id: key.id,
  name: key.name,
  key: key.key,
  status: key.revokedAtMs === undefined ? "active" : "revoked",
  agentIds: [...key.agentIds],
  origins: [...key.origins],
  limits: key.limits,
  createdAt: isoTime(key.createdAtMs),
  updatedAt: isoTime(key.updatedAtMs),
  revokedAt: key.revokedAtMs === undefined ? null : isoTime(key.revokedAtMs),
});
