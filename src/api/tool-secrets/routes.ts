import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import { asAccountSecretId } from "../../core/ids.ts";
import { ACCOUNT_SECRETS_MAX } from "../../core/limits/accounts/accounts.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { AccountSecret, AccountSecretStore } from "../../store/accounts/account-secret-store.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found, invalidRequest } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import { NewToolSecretBody, ToolSecretFilters, ToolSecretItem, ToolSecretList, ToolSecretParams } from "./schemas.ts";

export interface ToolSecretRoutesDeps {
  accountSecrets: Pick<AccountSecretStore, "put" | "list" | "get" | "remove">;
  log: Logger;
}

const scope = "admin";
const tags = ["tool-secrets"];
const kind = "tool_secret";

const CREATE = {
  operationId: "createToolSecret",
  scope,
  tags,
  summary: "Store a secret of tools",
  description:
    "From then on headers of the account's HTTP tools may have it as `{{NAME}}`. It replaces the account's earlier one of the " +
    "same name. Calls whose stream has begun keep the one that they began with.",
  querystring: NoQuery,
  body: NewToolSecretBody,
  response: { 201: ToolSecretItem },
  errors: ["conflict"],
} as const;

const LIST = {
  operationId: "listToolSecrets",
  scope,
  tags,
  summary: "List secrets of tools",
  description: "The account's own secrets of tools, without their texts, oldest first.",
  querystring: ToolSecretFilters,
  response: { 200: ToolSecretList },
} as const;

const READ = {
  operationId: "getToolSecret",
  scope,
  tags,
  summary: "Read a secret of tools",
  description: "One of the account's own secrets of tools, without its text.",
  params: ToolSecretParams,
  querystring: NoQuery,
  response: { 200: ToolSecretItem },
  errors: ["not_found"],
} as const;

const DELETE = {
  operationId: "deleteToolSecret",
  scope,
  tags,
  summary: "Delete a secret of tools",
  description:
    "From then on no call can send it. Agents and calls that name it stay, and their tools fail as without an answer.",
  params: ToolSecretParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The secret was deleted." }) },
  errors: ["not_found"],
} as const;

/** Registers the routes of `/tool-secrets` in `fastify`, which must require a caller. */
export function toolSecretRoutes(fastify: FastifyInstance, { accountSecrets, log }: ToolSecretRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();

  app.post("/tool-secrets", { schema: CREATE, attachValidation: true }, async (request, reply) => {
    const problems = [...schemaProblems(request), ...noQueryProblems(request.query)];
    if (problems.length > 0) throw invalidRequest(problems);
    const { accountId, id: requestId } = request;
    const { name, hosts, value: text } = request.body;
    const secret = await accountSecrets.put(accountId, { kind, name, text, hosts }, actOf(request));
    if (secret === undefined)
      throw new ApiError("conflict", `the account has ${ACCOUNT_SECRETS_MAX} tool secrets, which is its limit`);
    log.info({ accountId, requestId, name }, "tool secret stored");
    return reply.code(201).header("location", `${fastify.prefix}/tool-secrets/${secret.id}`).send(itemOf(secret));
  });

  app.get("/tool-secrets", { schema: LIST }, async ({ accountId, query }) => {
    const list = ["tool-secrets", accountId];
    const afterId = query.cursor === undefined ? undefined : asAccountSecretId(idOf(query.cursor, list));
    const { secrets, more } = await accountSecrets.list(accountId, kind, { afterId, limit: query.limit });
    const last = secrets.at(-1);
    return {
      data: secrets.map(itemOf),
      nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null,
    };
  });

  app.get("/tool-secrets/:id", { schema: READ }, async ({ accountId, params }) =>
    itemOf(found(await accountSecrets.get(accountId, kind, params.id), "tool secret")),
  );

  app.delete("/tool-secrets/:id", { schema: DELETE }, async (request, reply) => {
    const { accountId, params, id: requestId } = request;
    const removed = await accountSecrets.remove(accountId, kind, params.id, actOf(request));
    const { name } = found(removed, "tool secret");
    log.info({ accountId, requestId, name }, "tool secret deleted");
    return reply.code(204).send();
  });
}

const itemOf = (secret: AccountSecret): z.output<typeof ToolSecretItem> => {
  const { id, name, hosts = [], lastCharacters, createdAtMs } = secret;
  return { id, name, hosts: [...hosts], lastCharacters, createdAt: isoTime(createdAtMs) };
};
