import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import { type AccountId, type AgentId, asAgentId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { AGENTS_PER_ACCOUNT_MAX, BODY_BYTES_MAX, LIST_BYTES_MAX } from "../../core/limits/api.ts";
import type { Agent, AgentStore } from "../../store/agent-store.ts";
import {
  type CallCreationDeps,
  CREATE_CALL_OPTIONS,
  createCall,
  problemsOfRequest,
  refuseEarly,
} from "../calls/create.ts";
import { CallSettingsBody } from "../calls/request-schemas.ts";
import { CreatedCall } from "../calls/response-schemas.ts";
import { type CallSpecDeps, websocketProblems } from "../calls/spec.ts";
import { cursorOf, idOf } from "../http/cursor.ts";
import { ApiError, invalidRequest, notFound, REFUSAL_CODES, REFUSALS } from "../http/errors.ts";
import { IdempotencyHeaders } from "../http/idempotency.ts";
import { LARGE_RESPONSE_ERRORS, type LargeResponsesDeps, largeResponseHooks } from "../http/large-response-hooks.ts";
import { pageOf } from "../http/pages.ts";
import { NoQuery, noQueryProblems } from "../http/query.ts";
import { schemaProblems } from "../http/validation.ts";
import { agentSpecOf } from "./call.ts";
import { newAgentOf } from "./create.ts";
import { AgentCallBody, AgentFilters, AgentItem, AgentList, AgentParams, NewAgentBody } from "./schemas.ts";

/**
 * As many of the largest agents as fit one page. Reading a hundred of them at once would block the event loop for 100 ms
 * (measured).
 */
const AGENTS_PER_READ = LIST_BYTES_MAX / BODY_BYTES_MAX;

export interface AgentRoutesDeps extends CallCreationDeps, CallSpecDeps, LargeResponsesDeps {
  agents: Pick<AgentStore, "count" | "create" | "get" | "list">;
}

const CREATE = {
  operationId: "createAgent",
  tags: ["agents"],
  summary: "Save an agent",
  description:
    "A saved agent holds what its calls have in common; a call is placed from it with `POST /agents/{id}/calls`. Its prompt " +
    "is put together from three layers: the base prompt, the context under the heading `# Context`, and the custom " +
    "instructions under `# Instructions`, divided by blank lines; a layer that is blank is left out.",
  querystring: NoQuery,
  body: NewAgentBody,
  response: { 201: AgentItem },
  errors: ["unknown_voice", "unknown_language", "conflict", "insufficient_storage", "unavailable"],
  mayBeUnsupported: true,
} as const;

const LIST = {
  operationId: "listAgents",
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
  tags: ["agents"],
  summary: "Read an agent",
  description: "The agent as it was saved.",
  params: AgentParams,
  querystring: NoQuery,
  response: { 200: AgentItem },
  errors: ["not_found"],
} as const;

const CREATE_CALL = {
  operationId: "createAgentCall",
  tags: ["agents", "calls"],
  summary: "Create a call from a saved agent",
  description:
    "As `POST /calls`, with the agent's current prompt, voice, language and settings. 409 " +
    "`conflict` when its voice, its language or what a tool of it needs is no longer offered, or the voice does not speak the " +
    "language any more.",
  params: AgentParams,
  querystring: NoQuery,
  headers: IdempotencyHeaders,
  body: AgentCallBody,
  response: { 201: CreatedCall },
  responseHeaders: { 201: ["Idempotent-Replayed"] },
  errors: ["not_found", "conflict", "idempotency_mismatch", "rate_limited", "spend_limit", ...REFUSAL_CODES],
  mayBeUnsupported: true,
} as const;

/** Registers the routes of `/agents` in `scope`, which must require an API key. */
export function agentRoutes(scope: FastifyInstance, deps: AgentRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  // The schema's problems are not thrown yet: the response also reports those that only the catalogue can find.
  app.post("/agents", { schema: CREATE, attachValidation: true }, async (request, reply) => {
    await requireAgentCapacity(request.accountId, deps);
    const problems = [...schemaProblems(request), ...noQueryProblems(request.query)];
    const agent = await newAgentOf(request.body, problems, request.accountId, deps);
    const created = await deps.agents.create(request.accountId, agent);
    return reply.code(201).header("location", `${scope.prefix}/agents/${created.id}`).send(itemOf(created));
  });

  app.get("/agents", { schema: LIST, ...largeResponseHooks(deps.largeResponses) }, async (request) => {
    const { limit, cursor } = request.query;
    const list = ["agents", request.accountId];
    const afterAgentId = cursor === undefined ? undefined : asAgentId(idOf(cursor, list));
    const { items: data, more } = await pageOf<z.output<typeof AgentItem>>(
      limit,
      AGENTS_PER_READ,
      async (before, count) => {
        const query = { limit: count, afterAgentId: before.at(-1)?.id ?? afterAgentId };
        const found = await deps.agents.list(request.accountId, query);
        return { items: found.agents.map(itemOf), more: found.more };
      },
    );
    const last = data.at(-1);
    return { data, nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null };
  });

  const get = async (accountId: AccountId, agentId: AgentId): Promise<Agent> => {
    const agent = await deps.agents.get(accountId, agentId);
    if (agent === undefined) throw notFound("agent");
    return agent;
  };

  app.get("/agents/:id", { schema: READ }, async (request) => itemOf(await get(request.accountId, request.params.id)));

  app.post("/agents/:id/calls", { schema: CREATE_CALL, ...CREATE_CALL_OPTIONS }, async (request, reply) => {
    const body = isObject(request.body) ? request.body : {};
    const problems = [...problemsOfRequest(request), ...websocketProblems(body)];
    if (problems.length > 0) throw invalidRequest(problems);
    refuseEarly(deps, request);
    const agent = await get(request.accountId, request.params.id);
    const spec = await agentSpecOf(agent, body, deps);
    return createCall(deps, request, reply, spec, agent.id);
  });
}

/** Throws ApiError when this account must not save another agent: it would fill the disk that all accounts share. */
async function requireAgentCapacity(
  accountId: AccountId,
  { agents, callAcceptance }: Pick<AgentRoutesDeps, "agents" | "callAcceptance">,
): Promise<void> {
  const state = callAcceptance();
  if (!state.accepted && state.reason === "insufficient_storage") {
    throw new ApiError(state.reason, `no agents are saved: ${REFUSALS[state.reason]}`);
  }
  if ((await agents.count(accountId)) < AGENTS_PER_ACCOUNT_MAX) return;
  throw new ApiError("conflict", `the account has reached its limit of ${AGENTS_PER_ACCOUNT_MAX} agents`);
}

const itemOf = ({
  accountId: _,
  callSettings,
  createdAtMs,
  updatedAtMs,
  ...agent
}: Agent): z.output<typeof AgentItem> => ({
  ...agent,
  callSettings: CallSettingsBody.parse(callSettings),
  toolIds: [...agent.toolIds],
  corpusIds: [...agent.corpusIds],
  createdAt: isoTime(createdAtMs),
  updatedAt: isoTime(updatedAtMs),
});
