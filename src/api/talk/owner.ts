import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { USERS_MAX } from "../../core/limits/accounts/people.ts";
import { normalizedEmail } from "../../core/text/emails.ts";
import { type Act, BY_SERVICE } from "../../store/accounts/audit-store.ts";
import type { SessionStore } from "../../store/users/session-store.ts";
import type { UserStore, UserWithLink } from "../../store/users/user-store.ts";
import { ApiError, invalidRequest } from "../http/errors.ts";
import { noQueryProblems } from "../http/requests/query.ts";
import { schemaProblems } from "../http/requests/validation.ts";
import { type BeginDeps, beginSession } from "../session/begin.ts";
import type { Passwords } from "../session/passwords.ts";
import { newPasswordProblems } from "../session/schemas.ts";
import { currentPage, type OwnerPageDeps } from "./owner-page.ts";
import { OwnerBody } from "./schemas.ts";

export interface OwnerRoutesDeps extends OwnerPageDeps, BeginDeps {
  users: Omit<UserStore, "listAll">;
  sessions: SessionStore;
  passwords: Passwords;
}

/** Registers in `fastify`, whose prefix is `/talk`, what makes the first owner of the account whose page it is. */
export function ownerRoutes(fastify: FastifyInstance, deps: OwnerRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const schema = { hide: true, body: OwnerBody };

  app.post("/owner", { schema, attachValidation: true }, async (request, reply) => {
    const { accountId } = await currentPage(request, deps);
    const { email: given, password } = isObject(request.body) ? request.body : {};
    const email = typeof given === "string" ? normalizedEmail(given) : undefined;
    const problems = [
      ...schemaProblems(request),
      ...noQueryProblems(request.query),
      ...newPasswordProblems(["password"], password, email),
    ];
    if (problems.length > 0 || email === undefined) throw invalidRequest(problems);
    if (await deps.users.ownerExists(accountId)) throw hasOwner();
    // Before anything is stored: a person without a password could not sign in.
    const hash = await deps.passwords.hash(String(password), { lane: "known", name: accountId });
    // Another request may have made one while the password was hashed.
    if (await deps.users.ownerExists(accountId)) throw hasOwner();
    const { link } = await invited(accountId, email, { ...BY_SERVICE, requestId: request.id }, deps);
    const session = await deps.sessions.useLink(link.token, hash, request.id);
    if (session === undefined) throw hasOwner();
    deps.log.info({ requestId: request.id, accountId, userId: session.user.id }, "first owner created");
    return reply.code(201).send(beginSession(request, reply, session, deps));
  });
}

/** Owners are made as all people are, by an invitation; one that was not accepted yet is made again. */
async function invited(
  accountId: AccountId,
  email: string,
  act: Act,
  { users }: Pick<OwnerRoutesDeps, "users">,
): Promise<UserWithLink> {
  const made = await users.invite({ accountId, email, name: email, role: "owner" }, act);
  if (made !== "exists") return made;
  const waiting = await users.list(accountId, { role: "owner", status: "invited", limit: USERS_MAX });
  const found = waiting.users.find((user) => user.email === email);
  const again = found && (await users.createLink(accountId, found.id, act));
  if (again === undefined) throw new ApiError("conflict", "the account has a person with this email already");
  return again;
}

const hasOwner = (): ApiError =>
  new ApiError(
    "conflict",
    "the account has an owner already: sign in, or run npm run users -- reset for a forgotten password",
  );
