import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { asToolRunId } from "../../core/ids.ts";
import type { ToolStore } from "../../store/tool-store.ts";
import { found, invalidRequest } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { runItemOf } from "./saved-items.ts";
import { ToolParams, ToolRunFilters, ToolRunList, ToolTestBody, ToolTestResult } from "./saved-schemas.ts";
import { type ToolTestDeps, ToolTests } from "./testing.ts";

export interface ToolTestRoutesDeps extends Omit<ToolTestDeps, "tools">, LargeResponsesDeps {
  tools: ToolStore;
}

const TEST = {
  operationId: "testTool",
  scope: "write",
  tags: ["tools"],
  summary: "Test a saved tool",
  description:
    "Runs the tool once as a call would, with the arguments of the request, and shows what was sent, what came back and how long it took. " +
    "The tool's effects are real.",
  params: ToolParams,
  querystring: NoQuery,
  body: ToolTestBody,
  response: { 200: ToolTestResult },
  errors: ["not_found", "conflict", "rate_limited", "unavailable"],
} as const;

const RUNS = {
  operationId: "listToolRuns",
  scope: "read",
  tags: ["tools"],
  summary: "List runs of a saved tool",
  description:
    "The last runs, newest first: those of calls that are over, as long as their calls are kept, and tests of the last 30 days; at most " +
    "about 1,000.",
  params: ToolParams,
  querystring: ToolRunFilters,
  response: { 200: ToolRunList },
  errors: ["not_found", ...LARGE_RESPONSE_ERRORS],
} as const;

/** Registers the routes that test saved tools and list their runs in `fastify`, which must require an API key. */
export function toolTestRoutes(fastify: FastifyInstance, deps: ToolTestRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const { tools } = deps;
  const tests = new ToolTests(deps);

  app.post("/tools/:id/test", { schema: TEST, attachValidation: true }, async (request) => {
    const problems = [...schemaProblems(request), ...noQueryProblems(request.query)];
    const tool = await tools.get(request.accountId, request.params.id);
    if (tool === undefined && problems.length === 0) found(tool, "tool");
    if (tool === undefined || problems.length > 0) throw invalidRequest(problems);
    const { arguments: given, toolName } = request.body;
    const { run, outcome, sent, durationMs } = await tests.run(tool, { arguments: given, toolName });
    const { status, text, fault } = outcome;
    const hasResponse = status !== undefined || (sent !== undefined && (fault === undefined || fault === "server"));
    return {
      runId: run.id,
      request: sent === undefined ? null : { ...sent, headers: { ...sent.headers }, body: sent.body ?? null },
      response: hasResponse ? { status: status ?? null } : null,
      result: text,
      failed: fault !== undefined,
      fault: fault ?? null,
      durationMs,
    };
  });

  app.get("/tools/:id/runs", { schema: RUNS, ...largeResponseHooks(deps.largeResponses) }, async (request) => {
    const { accountId, params, query } = request;
    const { limit, cursor, source, failed } = query;
    found(await tools.get(accountId, params.id), "tool");
    const list = ["tool-runs", accountId, params.id, { source, failed }];
    const beforeRunId = cursor === undefined ? undefined : asToolRunId(idOf(cursor, list));
    const filters = { source, failed: failed === undefined ? undefined : failed === "true" };
    const { runs, more } = await tools.listRuns(accountId, params.id, { ...filters, limit, beforeRunId });
    const last = runs.at(-1);
    return { data: runs.map(runItemOf), nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null };
  });
}
