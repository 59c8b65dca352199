import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import type { AccountId, AgentId } from "../../core/ids.ts";
import type { AgentVersion } from "../../store/agent-store.ts";
import { offerTo } from "../calls/spec.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found } from "../http/errors.ts";
import { NoQuery } from "../http/requests/query.ts";
import { cursorOf } from "../http/responses/cursor.ts";
import { LARGE_RESPONSE_ERRORS, largeResponseHooks } from "../http/responses/large-response-hooks.ts";
import { offsetOf } from "../http/responses/pages.ts";
import { requireAvailable } from "./call.ts";
import { differences } from "./diff.ts";
import { definitionItemOf, etagOf, itemOf, versionSummaryOf } from "./items.ts";
import { type AgentRoutesDeps, addVersion, requireDiskSpace } from "./saving.ts";
import { AgentItem, AgentParams } from "./schemas.ts";
import {
  DiffQuery,
  PublishBody,
  RestoreBody,
  VersionDiff,
  VersionFilters,
  VersionItem,
  VersionList,
  VersionParams,
} from "./version-schemas.ts";

const LIST = {
  operationId: "listAgentVersions",
  scope: "read",
  tags: ["agents"],
  summary: "List the versions of an agent",
  description: "The versions of an agent, newest first, without their fields; also of a deleted agent.",
  params: AgentParams,
  querystring: VersionFilters,
  response: { 200: VersionList },
  errors: ["not_found", ...LARGE_RESPONSE_ERRORS],
} as const;

const READ = {
  operationId: "getAgentVersion",
  scope: "read",
  tags: ["agents"],
  summary: "Read a version of an agent",
  description: "One version of an agent, as it was saved; also of a deleted agent.",
  params: VersionParams,
  querystring: NoQuery,
  response: { 200: VersionItem },
  errors: ["not_found"],
} as const;

const DIFF = {
  operationId: "compareAgentVersions",
  scope: "read",
  tags: ["agents"],
  summary: "Compare two versions of an agent",
  description:
    "What changed from the version `against` to this one: field by field, the layers of the prompt by lines.",
  params: VersionParams,
  querystring: DiffQuery,
  response: { 200: VersionDiff },
  errors: ["not_found"],
} as const;

const RESTORE = {
  operationId: "restoreAgentVersion",
  scope: "write",
  tags: ["agents"],
  summary: "Restore a version of an agent",
  description:
    "Makes a new version that equals this one. 409 `conflict` when something that it uses is no longer offered.",
  params: VersionParams,
  querystring: NoQuery,
  body: RestoreBody,
  response: { 200: AgentItem },
  responseHeaders: { 200: ["ETag"] },
  errors: ["not_found", "conflict", "insufficient_storage", "unavailable"],
} as const;

const PUBLISH = {
  operationId: "publishAgent",
  scope: "write",
  tags: ["agents"],
  summary: "Publish a version of an agent",
  description:
    "Calls have this version from now on; those that were created before keep theirs. 409 `conflict` when the agent has no " +
    "draft and no version is named, or when something that the version uses is no longer offered.",
  params: AgentParams,
  querystring: NoQuery,
  body: PublishBody,
  response: { 200: AgentItem },
  responseHeaders: { 200: ["ETag"] },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

/** Registers the routes of the versions of agents in `scope`, which must require an API key. */
export function agentVersionRoutes(scope: FastifyInstance, deps: AgentRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const { agents } = deps;

  const versionOf = async (accountId: AccountId, agentId: AgentId, version: number): Promise<AgentVersion> =>
    found(await agents.getVersion(accountId, agentId, version), "version of an agent");

  app.get("/agents/:id/versions", { schema: LIST, ...largeResponseHooks(deps.largeResponses) }, async (request) => {
    const { accountId, params, query } = request;
    const list = ["agent-versions", accountId, params.id];
    const beforeVersion = query.cursor === undefined ? undefined : offsetOf(query.cursor, list);
    const page = await agents.listVersions(accountId, params.id, { limit: query.limit, beforeVersion });
    const { versions, more } = found(page, "agent");
    const agent = await agents.get(accountId, params.id);
    const last = versions.at(-1);
    return {
      data: versions.map((version) => versionSummaryOf(version, agent)),
      nextCursor: more && last !== undefined ? cursorOf(String(last.version), list) : null,
    };
  });

  app.get("/agents/:id/versions/:version", { schema: READ }, async ({ accountId, params }) => {
    const version = await versionOf(accountId, params.id, params.version);
    const agent = await agents.get(accountId, params.id);
    return { agentId: params.id, ...versionSummaryOf(version, agent), ...definitionItemOf(version.definition) };
  });

  app.get("/agents/:id/versions/:version/diff", { schema: DIFF }, async ({ accountId, params, query }) => {
    const { definition, version } = await versionOf(accountId, params.id, params.version);
    const against = query.against ?? found(await agents.get(accountId, params.id), "agent").version;
    const other = await versionOf(accountId, params.id, against);
    return { agentId: params.id, version, against, changes: differences(other.definition, definition) };
  });

  app.post("/agents/:id/versions/:version/restore", { schema: RESTORE }, async (request, reply) => {
    const { accountId, params, body } = request;
    const agent = found(await agents.get(accountId, params.id), "agent");
    const { definition } = await versionOf(accountId, agent.id, params.version);
    requireDiskSpace(deps);
    await requireAvailable(definition, accountId, offerTo(deps, request.account));
    const added = await addVersion(deps, request, agent.id, { definition, publish: body?.autoPublish ?? true });
    return reply.header("etag", etagOf(added)).send(itemOf(added));
  });

  app.post("/agents/:id/publish", { schema: PUBLISH }, async (request, reply) => {
    const { accountId, params, body, id: requestId } = request;
    const agent = found(await agents.get(accountId, params.id), "agent");
    const version = body?.version ?? agent.draftVersion;
    if (version === undefined) throw new ApiError("conflict", "the agent has no draft: name the version to publish");
    const { definition } = await versionOf(accountId, agent.id, version);
    await requireAvailable(definition, accountId, offerTo(deps, request.account));
    const published = found(await agents.publish(accountId, agent.id, version, actOf(request)), "agent");
    deps.log.info({ agentId: agent.id, version, accountId, requestId }, "agent version published");
    return reply.header("etag", etagOf(published)).send(itemOf(published) satisfies z.output<typeof AgentItem>);
  });
}
