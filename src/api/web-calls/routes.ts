import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { AgentId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import type { Agent } from "../../store/agent-store.ts";
import { agentSpecOf } from "../agents/call.ts";
import type { AgentRoutesDeps } from "../agents/saving.ts";
import { AgentParams } from "../agents/schemas.ts";
import { createCall, refuseEarly } from "../calls/create.ts";
import { CreatedCall } from "../calls/schemas/response-schemas.ts";
import { offerTo, websocketProblems } from "../calls/spec.ts";
import { ApiError, invalidRequest, notFound, REFUSAL_CODES } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { schemaProblems } from "../http/requests/validation.ts";
import { pricesMissingFor } from "./prices.ts";
import { WebCallBody } from "./schemas.ts";

/** The path of the one route that accepts publishable keys. */
export const WEB_CALLS_PATH = "/agents/:id/web-calls";

const START = {
  operationId: "createWebCall",
  scope: "calls",
  acceptsPublishableKeys: true,
  tags: ["agents", "calls"],
  summary: "Start a call from a web page",
  description:
    "A call from the live version of the agent, for a page that connects to its `websocketUrl` at once. The only operation for " +
    "publishable keys: the header X-API-Key has the publishable key, and the header Origin one of its origins, which browsers " +
    "send by themselves. 403 `forbidden` with any other origin, or none; 404 for an agent that it does not name. 429 " +
    "`rate_limited` and `spend_limit` by its limits, of which the response names the first that is reached. An API key needs no " +
    "origin and has its own limits. A request is not idempotent: what is started twice expires unused.",
  params: AgentParams,
  querystring: NoQuery,
  body: WebCallBody,
  response: { 201: CreatedCall },
  errors: ["not_found", "conflict", "rate_limited", "spend_limit", ...REFUSAL_CODES],
  mayBeUnsupported: true,
} as const;

/** Registers `POST /agents/{id}/web-calls` in `scope`, which must require an API key. */
export function webCallRoutes(scope: FastifyInstance, deps: AgentRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.post(WEB_CALLS_PATH, { schema: START, attachValidation: true }, async (request, reply) => {
    const { accountId, webCall } = request;
    const body: WebCallBody = { connectionType: "websocket", ...(isObject(request.body) ? request.body : {}) };
    const problems = [...schemaProblems(request), ...noQueryProblems(request.query), ...websocketProblems(body)];
    refuseEarly(deps, request, problems);
    const agent = await agentOf(deps, request, request.params.id);
    if (agent === undefined) throw problems.length > 0 ? invalidRequest(problems) : notFound("agent");
    const { spec, variables } = await agentSpecOf(
      { definition: agent, accountId, body, found: problems },
      offerTo(deps, request.account),
    );
    if (webCall?.limitsCost) requirePrices(agent, deps);
    const { id, version } = agent;
    return createCall(deps, request, reply, spec, { id, version, variables });
  });
}

/** An agent that a publishable key does not name is like one that does not exist. */
async function agentOf(
  { agents }: AgentRoutesDeps,
  { accountId, webCall }: FastifyRequest,
  id: AgentId,
): Promise<Agent | undefined> {
  if (webCall !== undefined && !webCall.agentIds.includes(id)) return undefined;
  return await agents.get(accountId, id);
}

/** Throws ApiError `conflict` when the cost of a call could not be limited: a price was removed, or the model changed. */
function requirePrices(agent: Agent, { missingPrices, log }: AgentRoutesDeps): void {
  const missing = pricesMissingFor([agent], missingPrices);
  if (missing.length === 0) return;
  log.warn({ agentId: agent.id, missing }, "web calls are refused: PRICES lacks what their limit of cost needs");
  throw new ApiError("conflict", "the limit of cost of this publishable key cannot be kept: a price is not configured");
}
