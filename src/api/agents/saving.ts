import type { FastifyRequest } from "fastify";
import type { AccountId, AgentId } from "../../core/ids.ts";
import { AGENT_VERSIONS_MAX, AGENTS_PER_ACCOUNT_MAX } from "../../core/limits/agents/agents.ts";
import type { Agent, AgentDefinition, AgentStore, NewVersion } from "../../store/agent-store.ts";
import type { CallStore } from "../../store/calls/call-store.ts";
import type { CallCreationDeps } from "../calls/create.ts";
import { type CallSpecDeps, offerTo } from "../calls/spec.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, invalidRequest, notFound, type Problem, REFUSALS } from "../http/errors.ts";
import { requireMatch } from "../http/requests/if-match.ts";
import type { LargeResponsesDeps } from "../http/responses/large-response-hooks.ts";
import { checkedDefinition, isSameDefinition } from "./definition.ts";
import { etagOf } from "./items.ts";
import type { AgentChanges } from "./schemas.ts";

export interface AgentRoutesDeps extends CallCreationDeps, CallSpecDeps, LargeResponsesDeps {
  agents: AgentStore;
  calls: Pick<CallStore, "repeatedAgentVersion">;
}

type Requester = FastifyRequest;

/** A change that meets others each time is given up after so many. */
const CHANGE_TRIES_MAX = 5;

/** Throws ApiError when no agent is saved because the disk, which all accounts share, is nearly full. */
export function requireDiskSpace({ callAcceptance }: Pick<AgentRoutesDeps, "callAcceptance">): void {
  const state = callAcceptance();
  if (!state.accepted && state.reason === "insufficient_storage") {
    throw new ApiError(state.reason, `no agents are saved: ${REFUSALS[state.reason]}`);
  }
}

/** Throws ApiError when this account must not save another agent. */
export async function requireAgentCapacity(
  accountId: AccountId,
  deps: Pick<AgentRoutesDeps, "agents" | "callAcceptance">,
): Promise<void> {
  requireDiskSpace(deps);
  if ((await deps.agents.count(accountId)) < AGENTS_PER_ACCOUNT_MAX) return;
  throw new ApiError("conflict", `the account has reached its limit of ${AGENTS_PER_ACCOUNT_MAX} agents`);
}

/** A request to change an agent. */
export interface AgentChange {
  agentId: AgentId;
  /** Of any shape when there are problems. */
  changes: AgentChanges;
  /** The problems that the schema found. */
  problems: readonly Problem[];
  /** The header If-Match; undefined where the agent may have changed meanwhile. */
  ifMatch: string | undefined;
}

/**
 * Changes an agent: its draft, where it has one, or else its live version is the beginning of the new version. A change
 * that changes nothing makes no version. Another change at the same time is not lost. Throws ApiError: `not_found`, 400
 * with all problems together, `precondition_failed`, `conflict`, and what `checkedDefinition` throws.
 */
export async function changeAgent(deps: AgentRoutesDeps, request: Requester, change: AgentChange): Promise<Agent> {
  const { accountId } = request;
  const { agentId, changes, problems, ifMatch } = change;
  for (let tries = 0; tries < CHANGE_TRIES_MAX; tries++) {
    const agent = await deps.agents.get(accountId, agentId);
    if (agent === undefined) throw problems.length > 0 ? invalidRequest(problems) : notFound("agent");
    if (problems.length === 0) requireMatch(ifMatch, etagOf(agent), "agent");
    const before = await newestDefinition(deps, agent);
    const { autoPublish, ...fields } = changes;
    const changed = { ...before, ...fields } as AgentDefinition;
    const definition = await checkedDefinition(changed, problems, accountId, offerTo(deps, request.account));
    const isSame = isSameDefinition(before, definition);
    if (isSame && (!autoPublish || agent.draftVersion === undefined)) return agent;
    const { version, draftVersion } = agent;
    const publish = autoPublish;
    if (isSame && draftVersion !== undefined) {
      const published = await deps.agents.publish(accountId, agentId, draftVersion, actOf(request));
      if (published !== undefined) return published;
      continue;
    }
    const given = { definition, publish, basedOn: { version, draftVersion } };
    const added = await deps.agents.addVersion(accountId, agentId, given, actOf(request));
    if (added === undefined) throw notFound("agent");
    if (added.kind === "full") throw tooManyVersions();
    if (added.kind === "added") {
      logAddition(deps, request, agentId, added.version, publish);
      return added.agent;
    }
  }
  throw new ApiError("conflict", "the agent is being changed by other requests");
}

/** Adds a version to an agent, whatever versions it has. Throws ApiError `not_found` or `conflict`. */
export async function addVersion(
  deps: AgentRoutesDeps,
  request: Requester,
  agentId: AgentId,
  given: Pick<NewVersion, "definition" | "publish">,
): Promise<Agent> {
  const { accountId } = request;
  const added = await deps.agents.addVersion(accountId, agentId, given, actOf(request));
  if (added === undefined) throw notFound("agent");
  if (added.kind !== "added") throw tooManyVersions();
  logAddition(deps, request, agentId, added.version, given.publish);
  return added.agent;
}

function logAddition(
  { log }: Pick<AgentRoutesDeps, "log">,
  { accountId, id: requestId }: Requester,
  agentId: AgentId,
  version: number,
  published: boolean,
): void {
  log.info({ agentId, version, published, accountId, requestId }, "agent version saved");
}

const tooManyVersions = (): ApiError =>
  new ApiError("conflict", `the agent has reached its limit of ${AGENT_VERSIONS_MAX} published versions`);

/** What a change begins with: the draft, or else the live version. */
async function newestDefinition({ agents }: AgentRoutesDeps, agent: Agent): Promise<AgentDefinition> {
  if (agent.draftVersion !== undefined) {
    const draft = await agents.getVersion(agent.accountId, agent.id, agent.draftVersion);
    if (draft !== undefined) return draft.definition;
  }
  const { name, basePrompt, context, customInstructions, languageId, voiceId } = agent;
  const { callSettings, toolIds, corpusIds, variables, allowedOverrides } = agent;
  return {
    ...{ name, basePrompt, context, customInstructions, languageId, voiceId },
    ...{ callSettings, toolIds, corpusIds, variables, allowedOverrides },
  };
}
