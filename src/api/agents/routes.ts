import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { asAgentId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { offerTo } from "../calls/spec.ts";
import { actOf } from "../http/access/auth.ts";
import { found, notFound } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import { LARGE_RESPONSE_ERRORS, largeResponseHooks } from "../http/responses/large-response-hooks.ts";
import { pageOf } from "../http/responses/pages.ts";
import { checkedDefinition } from "./definition.ts";
import { etagOf, itemOf } from "./items.ts";
import { type AgentRoutesDeps, changeAgent, requireAgentCapacity, requireDiskSpace } from "./saving.ts";
import { AgentChanges, AgentFilters, AgentItem, AgentList, AgentParams, NewAgentBody } from "./schemas.ts";

const CREATE = {
  operationId: "createAgent",
  scope: "write",
  tags: ["agents"],
  summary: "Save an agent",
  description:
    "A saved agent holds what its calls have in common; a call is placed from it with `POST /agents/{id}/calls`. Its prompt " +
    "is put together from three layers: the base prompt, the context under the heading `# Context`, and the custom " +
    "instructions under `# Instructions`, divided by blank lines; a layer that is blank is left out.",
  querystring: NoQuery,
  body: NewAgentBody,
  response: { 201: AgentItem },
  responseHeaders: { 201: ["ETag"] },
  errors: ["unknown_voice", "unknown_language", "conflict", "insufficient_storage", "unavailable"],
} as const;

const LIST = {
  operationId: "listAgents",
  scope: "read",
  tags: ["agents"],
  summary: "List agents",
  description:
    "The account's saved agents, oldest first. A page can hold fewer than `limit` when agents are very large.",
  querystring: AgentFilters,
  response: { 200: AgentList },
  errors: LARGE_RESPONSE_ERRORS,
} as const;

const READ = {
  operationId: "getAgent",
  scope: "read",
  tags: ["agents"],
  summary: "Read an agent",
  description: "The agent as its calls have it: its live version.",
  params: AgentParams,
  querystring: NoQuery,
  response: { 200: AgentItem },
  responseHeaders: { 200: ["ETag"] },
  errors: ["not_found"],
} as const;

const CHANGE = {
  operationId: "updateAgent",
  scope: "write",
  tags: ["agents"],
  summary: "Change an agent",
  description:
    "Makes a new version of the agent from its draft, or from its live version where there is no draft. Calls that were " +
    "created before keep their version. A change that changes nothing makes no version.",
  params: AgentParams,
  querystring: NoQuery,
  headers: z.looseObject({
    "if-match": z
      .string()
      .optional()
      .meta({
        description:
          "The `ETag` of the agent that the change was made for: the number of its live version, and after a hyphen that of its " +
          "draft. 412 when the agent was changed meanwhile.",
        examples: ['"1-2"'],
      }),
  }),
  body: AgentChanges,
  response: { 200: AgentItem },
  responseHeaders: { 200: ["ETag"] },
  errors: [
    "not_found",
    "unknown_voice",
    "unknown_language",
    "conflict",
    "precondition_failed",
    "insufficient_storage",
    "unavailable",
  ],
} as const;

const DELETE = {
  operationId: "deleteAgent",
  scope: "write",
  tags: ["agents"],
  summary: "Delete an agent",
  description:
    "No call can be created from the agent any more, and no list shows it. Its calls and its versions stay as they are.",
  params: AgentParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The agent was deleted." }) },
  errors: ["not_found", "unavailable"],
} as const;

/** Registers the routes of saved agents, without those of their versions and calls, in `scope`, which must require an API key. */
export function agentRoutes(scope: FastifyInstance, deps: AgentRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { agents } = deps;

  // The schema's problems are not thrown yet: the response also reports those that only the catalogue can find.
  app.post("/agents", { schema: CREATE, attachValidation: true }, async (request, reply) => {
    const { accountId } = request;
    await requireAgentCapacity(accountId, deps);
    const problems = [...schemaProblems(request), ...noQueryProblems(request.query)];
    const definition = await checkedDefinition(request.body, problems, accountId, offerTo(deps, request.account));
    const created = await agents.create(accountId, definition, actOf(request));
    return reply
      .code(201)
      .headers({ location: `${scope.prefix}/agents/${created.id}`, etag: etagOf(created) })
      .send(itemOf(created));
  });

  app.get("/agents", { schema: LIST, ...largeResponseHooks(deps.largeResponses) }, async (request) => {
    const { limit, cursor, ...filters } = request.query;
    const list = ["agents", request.accountId, filters];
    const afterAgentId = cursor === undefined ? undefined : asAgentId(idOf(cursor, list));
    const { items: data, more } = await pageOf<z.output<typeof AgentItem>>(limit, limit, async (before, count) => {
      const query = { ...filters, limit: count, afterAgentId: before.at(-1)?.id ?? afterAgentId };
      const page = await agents.list(request.accountId, query);
      return { items: page.agents.map(itemOf), more: page.more };
    });
    const last = data.at(-1);
    return { data, nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null };
  });

  app.get("/agents/:id", { schema: READ }, async ({ accountId, params }, reply) => {
    const agent = found(await agents.get(accountId, params.id), "agent");
    return reply.header("etag", etagOf(agent)).send(itemOf(agent));
  });

  app.patch("/agents/:id", { schema: CHANGE, attachValidation: true }, async (request, reply) => {
    requireDiskSpace(deps);
    const agent = await changeAgent(deps, request, {
      agentId: request.params.id,
      changes: (isObject(request.body) ? request.body : {}) as AgentChanges,
      problems: [...schemaProblems(request), ...noQueryProblems(request.query)],
      ifMatch: request.headers["if-match"],
    });
    return reply.header("etag", etagOf(agent)).send(itemOf(agent));
  });

  app.delete("/agents/:id", { schema: DELETE }, async (request, reply) => {
    const { accountId, params, id: requestId } = request;
    if ((await agents.remove(accountId, params.id, actOf(request))) === undefined) throw notFound("agent");
    deps.log.info({ agentId: params.id, accountId, requestId }, "agent deleted");
    return reply.code(204).send();
  });
}
