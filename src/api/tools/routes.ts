import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { asToolId } from "../../core/ids.ts";
import type { SchemaChecks } from "../../core/schemas/checker.ts";
import { builtInHasEffects } from "../../core/tools/effects.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found, invalidRequest, notFound } from "../http/errors.ts";
import { requireMatch } from "../http/requests/if-match.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import { LARGE_RESPONSE_ERRORS, largeResponseHooks } from "../http/responses/large-response-hooks.ts";
import { pageOf } from "../http/responses/pages.ts";
import { etagOf, itemOf, summaryOf } from "./saved-items.ts";
import {
  type BuiltInToolItem,
  BuiltInToolList,
  NewToolBody,
  ToolChanges,
  ToolFilters,
  ToolItem,
  ToolList,
  ToolParams,
  type ToolSummary,
} from "./saved-schemas.ts";
import {
  changedBody,
  checkedTool,
  listingSlots,
  requireToolCapacity,
  type ToolSavingDeps,
  tooManyTools,
} from "./saving.ts";
import { isBuiltIn } from "./selected-tools.ts";
import { type ToolTestRoutesDeps, toolTestRoutes } from "./test-routes.ts";

export interface ToolRoutesDeps extends ToolSavingDeps, Omit<ToolTestRoutesDeps, keyof ToolSavingDeps> {
  schemas: Pick<SchemaChecks, "compile" | "check">;
  /** The built-in tools of this build, as the LLM sees them. */
  builtInTools: readonly { name: string; description: string; parameters: object }[];
}

const tags = ["tools"];

const CREATE = {
  operationId: "createTool",
  scope: "write",
  tags,
  summary: "Save a tool",
  description:
    'Calls and agents name it as `{"toolId": ...}` in `selectedTools`, agents in `toolIds` as well. An MCP server is asked for its ' +
    "tools before it is saved; one that does not answer is refused.",
  querystring: NoQuery,
  body: NewToolBody,
  response: { 201: ToolItem },
  responseHeaders: { 201: ["ETag"] },
  errors: ["conflict", "rate_limited", "unavailable"],
} as const;

const LIST = {
  operationId: "listTools",
  scope: "read",
  tags,
  summary: "List saved tools",
  description: "The account's saved tools, oldest first. Built-in tools are at `GET /tools/built-ins`.",
  querystring: ToolFilters,
  response: { 200: ToolList },
  errors: LARGE_RESPONSE_ERRORS,
} as const;

const BUILT_INS = {
  operationId: "listBuiltInTools",
  scope: "read",
  tags,
  summary: "List built-in tools",
  description: "The tools that the service carries out by itself, with the JSON Schemas of their arguments.",
  querystring: NoQuery,
  response: { 200: BuiltInToolList },
} as const;

const READ = {
  operationId: "getTool",
  scope: "read",
  tags,
  summary: "Read a saved tool",
  description: "A saved tool; of an MCP server also the tools that calls get, with their schemas.",
  params: ToolParams,
  querystring: NoQuery,
  response: { 200: ToolItem },
  responseHeaders: { 200: ["ETag"] },
  errors: ["not_found"],
} as const;

const CHANGE = {
  operationId: "updateTool",
  scope: "write",
  tags,
  summary: "Change a saved tool",
  description:
    "Calls that are created afterwards have the change, those of agents included; calls that were created before keep what they have. " +
    "Another server of a tool of the type `mcp` is asked for its tools first.",
  params: ToolParams,
  querystring: NoQuery,
  headers: z.looseObject({
    "if-match": z
      .string()
      .optional()
      .meta({
        description: "The `ETag` of the tool that the change was made for. 412 when the tool was changed meanwhile.",
        examples: ['"1"'],
      }),
  }),
  body: ToolChanges,
  response: { 200: ToolItem },
  responseHeaders: { 200: ["ETag"] },
  errors: ["not_found", "conflict", "precondition_failed", "rate_limited", "unavailable"],
} as const;

const DELETE = {
  operationId: "deleteTool",
  scope: "write",
  tags,
  summary: "Delete a saved tool",
  description:
    "Deletes the tool with its runs. 409 while the live version or the draft of an agent names it. Calls that were created before keep it; " +
    "an earlier version of an agent that names it is 409 when it is called or published.",
  params: ToolParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The tool was deleted." }) },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

/** Registers the routes of saved and of built-in tools in `fastify`, which must require an API key. */
export function toolRoutes(fastify: FastifyInstance, deps: ToolRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const { tools, log } = deps;
  const checks = { ...deps, listings: listingSlots() };
  toolTestRoutes(fastify, deps);

  app.post("/tools", { schema: CREATE, attachValidation: true }, async (request, reply) => {
    const { accountId, id: requestId } = request;
    await requireToolCapacity(accountId, deps);
    const problems = [...schemaProblems(request), ...noQueryProblems(request.query)];
    const { definition, listing } = await checkedTool(request.body, problems, accountId, checks);
    const tool = await tools.create(accountId, definition, listing, actOf(request));
    // Others may have been saved while the server was asked.
    if (tool === undefined) throw tooManyTools();
    log.info({ accountId, requestId, toolId: tool.id, type: definition.type }, "tool saved");
    const headers = { location: `${fastify.prefix}/tools/${tool.id}`, etag: etagOf(tool) };
    return reply.code(201).headers(headers).send(itemOf(tool));
  });

  app.get("/tools", { schema: LIST, ...largeResponseHooks(deps.largeResponses) }, async ({ accountId, query }) => {
    const { limit, cursor, ...filters } = query;
    const list = ["tools", accountId, filters];
    const after = cursor === undefined ? undefined : asToolId(idOf(cursor, list));
    const { items: data, more } = await pageOf<z.output<typeof ToolSummary>>(
      limit,
      TOOLS_PER_READ,
      async (before, count) => {
        const page = await tools.list(accountId, { ...filters, limit: count, afterToolId: before.at(-1)?.id ?? after });
        return { items: page.tools.map(summaryOf), more: page.more };
      },
    );
    const last = data.at(-1);
    return { data, nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null };
  });

  app.get("/tools/built-ins", { schema: BUILT_INS }, async () => {
    const data = deps.builtInTools.map(({ name, description, parameters }): z.output<typeof BuiltInToolItem> => {
      return {
        toolName: name,
        description,
        parameters: { ...parameters },
        readOnly: isBuiltIn(name) && !builtInHasEffects(name),
      };
    });
    return { data, nextCursor: null };
  });

  app.get("/tools/:id", { schema: READ }, async ({ accountId, params }, reply) => {
    const tool = found(await tools.get(accountId, params.id), "tool");
    return reply.header("etag", etagOf(tool)).send(itemOf(tool));
  });

  app.patch("/tools/:id", { schema: CHANGE, attachValidation: true }, async (request, reply) => {
    const { accountId, params, id: requestId } = request;
    const problems = [...schemaProblems(request), ...noQueryProblems(request.query)];
    const tool = await tools.get(accountId, params.id);
    if (tool === undefined) throw problems.length > 0 ? invalidRequest(problems) : notFound("tool");
    if (problems.length > 0) throw invalidRequest(problems);
    requireMatch(request.headers["if-match"], etagOf(tool), "tool");
    const changed = changedBody(tool, request.body);
    const { definition, listing } = await checkedTool(changed.body, changed.problems, accountId, checks, tool);
    const change = { definition, listing, basedOn: tool.version };
    const outcome = found(await tools.change(accountId, params.id, change, actOf(request)), "tool");
    if (outcome.kind === "stale") throw new ApiError("conflict", "the tool is being changed by another request");
    log.info({ accountId, requestId, toolId: tool.id, version: outcome.tool.version }, "tool changed");
    return reply.header("etag", etagOf(outcome.tool)).send(itemOf(outcome.tool));
  });

  app.delete("/tools/:id", { schema: DELETE }, async (request, reply) => {
    const { accountId, params, id: requestId } = request;
    const removal = found(await tools.remove(accountId, params.id, actOf(request)), "tool");
    if (removal.kind === "in_use") {
      throw new ApiError(
        "conflict",
        `the tool is named by agents, from which it must be removed first: ${removal.agents.join(", ")}`,
      );
    }
    log.info({ accountId, requestId, toolId: params.id }, "tool deleted");
    return reply.code(204).send();
  });
}

/** Some of the longest tools fill a page. */
const TOOLS_PER_READ = 25;
