import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import { asAccountSecretId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { AccountSecret, AccountSecretStore } from "../../store/accounts/account-secret-store.ts";
import { actOf } from "../http/access/auth.ts";
import { found, invalidRequest, type Problem } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { problem, schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import { CredentialFilters, CredentialItem, CredentialList, CredentialParams, NewCredentialBody } from "./schemas.ts";

export interface CredentialRoutesDeps {
  accountSecrets: Pick<AccountSecretStore, "put" | "list" | "get" | "remove">;
  /** The providers that calls use and that have API keys. */
  credentialProviders: readonly string[];
  log: Logger;
}

const scope = "admin";
const tags = ["provider-credentials"];
const kind = "provider_credential";

const CREATE = {
  operationId: "createProviderCredential",
  scope,
  tags,
  summary: "Store an API key of a provider",
  description:
    "From then on the account's calls ask this provider with it, and not with the service's own API key. It replaces the " +
    "account's earlier one of the same provider. Calls whose stream has begun keep the one that they began with.",
  querystring: NoQuery,
  body: NewCredentialBody,
  response: { 201: CredentialItem },
} as const;

const LIST = {
  operationId: "listProviderCredentials",
  scope,
  tags,
  summary: "List API keys of providers",
  description: "The account's own API keys at providers, without their texts, oldest first.",
  querystring: CredentialFilters,
  response: { 200: CredentialList },
} as const;

const READ = {
  operationId: "getProviderCredential",
  scope,
  tags,
  summary: "Read an API key of a provider",
  description: "One of the account's own API keys at providers, without its text.",
  params: CredentialParams,
  querystring: NoQuery,
  response: { 200: CredentialItem },
  errors: ["not_found"],
} as const;

const DELETE = {
  operationId: "deleteProviderCredential",
  scope,
  tags,
  summary: "Delete an API key of a provider",
  description: "From then on the account's calls ask this provider with the service's own API key.",
  params: CredentialParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The API key was deleted." }) },
  errors: ["not_found"],
} as const;

/** Registers the routes of `/provider-credentials` in `fastify`, which must require an API key. */
export function credentialRoutes(fastify: FastifyInstance, deps: CredentialRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const { accountSecrets, log } = deps;

  app.post("/provider-credentials", { schema: CREATE, attachValidation: true }, async (request, reply) => {
    const problems = [
      ...schemaProblems(request),
      ...noQueryProblems(request.query),
      ...providerProblems(request.body, deps),
    ];
    if (problems.length > 0) throw invalidRequest(problems);
    const { accountId, body, id: requestId } = request;
    const { provider: name, apiKey } = body;
    const secret = await accountSecrets.put(accountId, { kind, name, text: apiKey }, actOf(request));
    if (secret === undefined) throw new Error("an account has more credentials than there are providers");
    log.info({ accountId, requestId, provider: name }, "provider credential stored");
    const location = `${fastify.prefix}/provider-credentials/${secret.id}`;
    return reply.code(201).header("location", location).send(itemOf(secret));
  });

  app.get("/provider-credentials", { schema: LIST }, async ({ accountId, query }) => {
    const list = ["provider-credentials", accountId];
    const afterId = query.cursor === undefined ? undefined : asAccountSecretId(idOf(query.cursor, list));
    const { secrets, more } = await accountSecrets.list(accountId, kind, { afterId, limit: query.limit });
    const last = secrets.at(-1);
    return {
      data: secrets.map(itemOf),
      nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null,
    };
  });

  app.get("/provider-credentials/:id", { schema: READ }, async ({ accountId, params }) =>
    itemOf(found(await accountSecrets.get(accountId, kind, params.id), "provider credential")),
  );

  app.delete("/provider-credentials/:id", { schema: DELETE }, async (request, reply) => {
    const { accountId, params, id: requestId } = request;
    const removed = await accountSecrets.remove(accountId, kind, params.id, actOf(request));
    const { name } = found(removed, "provider credential");
    log.info({ accountId, requestId, provider: name }, "provider credential deleted");
    return reply.code(204).send();
  });
}

/** A credential that no call would use is refused. */
function providerProblems(body: unknown, { credentialProviders }: CredentialRoutesDeps): readonly Problem[] {
  const provider = isObject(body) ? body.provider : undefined;
  if (typeof provider !== "string" || credentialProviders.includes(provider)) return [];
  const rule =
    credentialProviders.length === 0
      ? "cannot be given: no provider of this service has API keys"
      : `must be a provider of this service that has API keys: ${credentialProviders.join(", ")}`;
  return [problem(["provider"], rule, provider)];
}

const itemOf = ({ id, name, lastCharacters, createdAtMs }: AccountSecret): z.output<typeof CredentialItem> => ({
  id,
  provider: name,
  lastCharacters,
  createdAt: isoTime(createdAtMs),
});
