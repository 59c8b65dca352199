import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { asAgentId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import type { Agent, AgentDefinition } from "../../store/agent-store.ts";
import { hashSecret } from "../../store/secrets.ts";
import { CREATE_CALL_OPTIONS, createCall, problemsOfRequest, refuseEarly } from "../calls/create.ts";
import { CreatedCall } from "../calls/schemas/response-schemas.ts";
import { offerTo, websocketProblems } from "../calls/spec.ts";
import { ApiError, invalidRequest, notFound, REFUSAL_CODES } from "../http/errors.ts";
import { IdempotencyHeaders } from "../http/requests/idempotency.ts";
import { NoQuery } from "../http/requests/query.ts";
import { problemWithoutValue } from "../http/requests/validation.ts";
import { agentSpecOf } from "./call.ts";
import type { AgentRoutesDeps } from "./saving.ts";
import { AgentCallBody, AgentCallParams } from "./schemas.ts";
import { pinnedAgent, versionNumber } from "./version-number.ts";

const CREATE_CALL = {
  operationId: "createAgentCall",
  scope: "calls",
  tags: ["agents", "calls"],
  summary: "Create a call from a saved agent",
  description:
    "As `POST /calls`, with the prompt, voice, language and settings of a version of the agent: the live one, or the one that " +
    "the path (`id@version`) or `version` names. The call keeps it, however the agent is changed afterwards. 409 " +
    "`conflict` when its voice, its language or what a tool of it needs is no longer offered, or the voice does not speak the " +
    "language any more, or when there is no draft to call from.",
  params: AgentCallParams,
  querystring: NoQuery,
  headers: IdempotencyHeaders,
  body: AgentCallBody,
  response: { 201: CreatedCall },
  responseHeaders: { 201: ["Idempotent-Replayed"] },
  errors: [
    "not_found",
    "unknown_voice",
    "unknown_language",
    "conflict",
    "idempotency_mismatch",
    "rate_limited",
    "spend_limit",
    ...REFUSAL_CODES,
  ],
  mayBeUnsupported: true,
} as const;

/** Registers `POST /agents/{id}/calls` in `scope`, which must require an API key. */
export function agentCallRoutes(scope: FastifyInstance, deps: AgentRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.post("/agents/:id/calls", { schema: CREATE_CALL, ...CREATE_CALL_OPTIONS }, async (request, reply) => {
    const { accountId } = request;
    const body: AgentCallBody = isObject(request.body) ? request.body : {};
    const pinned = pinnedAgent(request.params.id);
    const isNamedTwice = pinned?.version !== undefined && body.version !== undefined;
    const problems = [
      ...problemsOfRequest(request),
      ...websocketProblems(body),
      ...(isNamedTwice ? [problemWithoutValue(["version"], "must not be given beside a version in the path")] : []),
    ];
    refuseEarly(deps, request, problems);
    const agent = pinned && (await deps.agents.get(accountId, asAgentId(pinned.id)));
    if (agent === undefined) throw problems.length > 0 ? invalidRequest(problems) : notFound("agent");
    const asked = pinned?.version ?? body.version;
    const called = await calledVersion(deps, request, agent, problems.length > 0 ? undefined : asked);
    const { definition, version } = called;
    const { spec, variables } = await agentSpecOf(
      { definition, accountId, body, found: problems },
      offerTo(deps, request.account),
    );
    return createCall(deps, request, reply, spec, { id: agent.id, version, variables });
  });
}

/**
 * The version of the agent that a request means. A repeated request means the version of the first one, so that the call
 * has its words whatever was published meanwhile. Throws ApiError `not_found`, and `conflict` when there is no draft.
 */
async function calledVersion(
  { agents, calls }: AgentRoutesDeps,
  { accountId, headers }: FastifyRequest,
  agent: Agent,
  asked: unknown,
): Promise<{ version: number; definition: AgentDefinition }> {
  const name = headers["idempotency-key"];
  const before =
    typeof name === "string" ? await calls.repeatedAgentVersion(accountId, agent.id, hashSecret(name)) : undefined;
  const version = before ?? (asked === "draft" ? agent.draftVersion : (asked ?? agent.version));
  if (version === undefined) throw new ApiError("conflict", "the agent has no draft");
  if (version === agent.version) return { version, definition: agent };
  const number = versionNumber.parse(version);
  const found = await agents.getVersion(accountId, agent.id, number);
  if (found === undefined) throw notFound("version of an agent");
  return { version: number, definition: found.definition };
}
