import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { SCOPES_OF_ROLE } from "../../core/accounts/roles.ts";
import { asUserId, type UserId } from "../../core/ids.ts";
import { USERS_MAX } from "../../core/limits/accounts/people.ts";
import { normalizedEmail } from "../../core/text/emails.ts";
import type { UserStore } from "../../store/users/user-store.ts";
import { actOf, requireScopes } from "../http/access/auth.ts";
import { ApiError, found, invalidRequest } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { schemaProblems } from "../http/requests/validation.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import { userItemOf, userWithLinkItemOf } from "./items.ts";
import {
  NewUserBody,
  UserChangesBody,
  UserFilters,
  UserItem,
  UserList,
  UserParams,
  UserWithLinkItem,
} from "./schemas.ts";

export interface UserRoutesDeps {
  users: Omit<UserStore, "listAll">;
  /** The address at which people reach the service, for one-time links. */
  serviceUrl: () => string;
}

const scope = "admin";
const tags = ["users"];
const ONLY_OWN_SCOPES = "The request must have every scope of the role.";

const INVITE = {
  operationId: "inviteUser",
  scope,
  tags,
  summary: "Invite a person",
  description: `Another person of the account, with the one-time link by which they set a password. ${ONLY_OWN_SCOPES}`,
  querystring: NoQuery,
  body: NewUserBody,
  response: { 201: UserWithLinkItem },
  errors: ["conflict"],
} as const;

const LIST = {
  operationId: "listUsers",
  scope,
  tags,
  summary: "List people",
  description: "The account's people, in the order in which they were invited.",
  querystring: UserFilters,
  response: { 200: UserList },
} as const;

const READ = {
  operationId: "getUser",
  scope,
  tags,
  summary: "Read a person",
  description: "A person, without anything that signs them in.",
  params: UserParams,
  querystring: NoQuery,
  response: { 200: UserItem },
  errors: ["not_found"],
} as const;

const UPDATE = {
  operationId: "updateUser",
  scope,
  tags,
  summary: "Change a person",
  description:
    "The name and the role. The next request of a person who is signed in has another role already. 409 where the account would " +
    `be without an owner. ${ONLY_OWN_SCOPES}`,
  params: UserParams,
  querystring: NoQuery,
  body: UserChangesBody,
  response: { 200: UserItem },
  errors: ["not_found", "conflict"],
} as const;

const CREATE_LINK = {
  operationId: "createUserLink",
  scope,
  tags,
  summary: "Give a person another one-time link",
  description:
    "Another invitation, or a link that resets the password of a person who has one. Earlier links of the person no longer work. " +
    ONLY_OWN_SCOPES,
  params: UserParams,
  querystring: NoQuery,
  response: { 200: UserWithLinkItem },
  errors: ["not_found"],
} as const;

const REMOVE = {
  operationId: "removeUser",
  scope,
  tags,
  summary: "Remove a person",
  description:
    "The person is deleted and signed out everywhere: their next request is refused. The audit log keeps what they did. 409 where " +
    "the account would be without an owner.",
  params: UserParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The person was removed." }) },
  errors: ["not_found", "conflict"],
} as const;

/** Registers the routes of `/users` in `fastify`, whose requests must have a caller. */
export function userRoutes(fastify: FastifyInstance, { users, serviceUrl }: UserRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();

  /** A request changes and removes only people whose roles it could give. */
  async function requireRoleOf(request: FastifyRequest, id: UserId): Promise<void> {
    requireScopes(request, SCOPES_OF_ROLE[found(await users.get(request.accountId, id), PERSON).role]);
  }

  app.post("/users", { schema: INVITE, attachValidation: true }, async (request, reply) => {
    requireValid(request);
    const { accountId, body } = request;
    requireScopes(request, SCOPES_OF_ROLE[body.role]);
    if ((await users.count(accountId)) >= USERS_MAX) {
      throw new ApiError("conflict", `the account has reached its limit of ${USERS_MAX} people`);
    }
    const invited = await users.invite({ ...body, accountId, email: normalizedEmail(body.email) }, actOf(request));
    if (invited === "exists") throw new ApiError("conflict", "the account has a person with this email already");
    return reply
      .code(201)
      .header("location", `${fastify.prefix}/users/${invited.record.id}`)
      .send(userWithLinkItemOf(invited, serviceUrl()));
  });

  app.get("/users", { schema: LIST }, async ({ accountId, query }) => {
    const { limit, cursor, ...filters } = query;
    const list = ["users", accountId, filters];
    const afterUserId = cursor === undefined ? undefined : asUserId(idOf(cursor, list));
    const page = await users.list(accountId, { ...filters, afterUserId, limit });
    const last = page.users.at(-1);
    const nextCursor = page.more && last !== undefined ? cursorOf(last.id, list) : null;
    return { data: page.users.map(userItemOf), nextCursor };
  });

  app.get("/users/:id", { schema: READ }, async ({ accountId, params }) =>
    userItemOf(found(await users.get(accountId, params.id), PERSON)),
  );

  app.patch("/users/:id", { schema: UPDATE, attachValidation: true }, async (request) => {
    requireValid(request);
    const { accountId, params, body } = request;
    if (body.role !== undefined) requireScopes(request, SCOPES_OF_ROLE[body.role]);
    await requireRoleOf(request, params.id);
    return userItemOf(notLastOwner(await users.update(accountId, params.id, body, actOf(request))));
  });

  app.post("/users/:id/link", { schema: CREATE_LINK }, async (request) => {
    const { accountId, params } = request;
    // Who has the link of a person can do what the person may do.
    await requireRoleOf(request, params.id);
    const made = found(await users.createLink(accountId, params.id, actOf(request)), PERSON);
    return userWithLinkItemOf(made, serviceUrl());
  });

  app.delete("/users/:id", { schema: REMOVE }, async (request, reply) => {
    const { accountId, params } = request;
    await requireRoleOf(request, params.id);
    notLastOwner(await users.remove(accountId, params.id, actOf(request)));
    return reply.code(204).send();
  });
}

const PERSON = "person";

function requireValid(request: FastifyRequest): void {
  const problems = [...schemaProblems(request), ...noQueryProblems(request.query)];
  if (problems.length > 0) throw invalidRequest(problems);
}

function notLastOwner<T>(result: T | "last_owner" | undefined): T {
  const existing = found(result, PERSON);
  if (existing === "last_owner") throw new ApiError("conflict", "the account would be without an owner");
  return existing as T;
}
