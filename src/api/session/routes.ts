import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Clock } from "../../core/clock.ts";
import { isObject } from "../../core/json.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ControlMetrics } from "../../core/metrics/control-metrics.ts";
import { addressGroup } from "../../core/network/client-address.ts";
import { normalizedEmail } from "../../core/text/emails.ts";
import { hashSecret } from "../../store/secrets.ts";
import type { SessionStore, SignInCandidate, SignInQuery } from "../../store/users/session-store.ts";
import { ApiError, invalidRequest, type Problem, wrongPassword } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { schemaProblems } from "../http/requests/validation.ts";
import { type Attempt, Attempts } from "./attempts.ts";
import { currentSession, isSecure, requireOwnSite } from "./auth.ts";
import { beginSession, sessionItemOf } from "./begin.ts";
import { cookieHeader, readCookie } from "./cookies.ts";
import { ownSessionRoutes } from "./own-sessions.ts";
import type { Hasher, Passwords } from "./passwords.ts";
import { AcceptBody, givenSecretProblems, newPasswordProblems, PasswordBody, SignInBody } from "./schemas.ts";

export interface SessionRoutesDeps {
  sessions: SessionStore;
  passwords: Passwords;
  metrics: Pick<ControlMetrics, "signInAttempted">;
  publicApiUrls: readonly string[];
  clock: Clock;
  log: Logger;
}

/** Pages use these routes, not programs: docs/people.md describes them, and the OpenAPI document does not. */
const hide = true;

/** Registers what signs people in and out in `fastify`, whose prefix is `/dashboard/session`. */
export function sessionRoutes(fastify: FastifyInstance, deps: SessionRoutesDeps): void {
  const app = fastify.withTypeProvider<ZodTypeProvider>();
  const { sessions, passwords, log } = deps;
  const attempts = new Attempts(deps.clock);
  ownSessionRoutes(fastify, deps);

  app.post("/sign-in", { schema: { hide, body: SignInBody }, attachValidation: true }, async (request, reply) => {
    requireOwnSite(request);
    requireValid(request, ({ password }) => givenSecretProblems(["password"], password));
    const { email, accountId, password } = request.body;
    const device = readCookie(request.headers, "device", isSecure(request, deps));
    const query = { email: normalizedEmail(email), accountId, device };
    const { candidate, attempt } = await beginAttempt(request, query, deps, attempts);
    const isRight = await checked(String(password), candidate, attempt, hasherOf(request, candidate), deps);
    const session =
      candidate && isRight
        ? await sessions.signIn({ ...candidate, device: knownDevice(candidate, device), requestId: request.id })
        : undefined;
    if (session === undefined) {
      deps.metrics.signInAttempted("refused");
      log.warn({ requestId: request.id, userId: candidate?.userId ?? null }, "sign-in refused");
      throw wrongPassword();
    }
    attempt.succeeded();
    deps.metrics.signInAttempted("signed_in");
    return beginSession(request, reply, session, deps);
  });

  app.post("/accept", { schema: { hide, body: AcceptBody }, attachValidation: true }, async (request, reply) => {
    requireOwnSite(request);
    requireValid(request, ({ token, password }) => [
      ...givenSecretProblems(["token"], token),
      ...newPasswordProblems(["password"], password),
    ]);
    const { token, password } = request.body;
    const found = await sessions.findLink(String(token));
    if (found === undefined) throw linkEnded();
    requireValid(request, () => newPasswordProblems(["password"], password, found.user.email));
    const hash = await passwords.hash(String(password), { lane: "known", name: found.user.id });
    const session = await sessions.useLink(String(token), hash, request.id);
    if (session === undefined) throw linkEnded();
    return beginSession(request, reply, session, deps);
  });

  app.get("/me", { schema: { hide, querystring: NoQuery } }, async (request) => {
    const { user, secret, expiresAtMs } = await currentSession(request, deps);
    return sessionItemOf(user, secret, expiresAtMs);
  });

  app.post("/sign-out", { schema: { hide, querystring: NoQuery } }, async (request, reply) => {
    const { secret } = await currentSession(request, deps);
    await sessions.signOut(secret, request.id);
    return reply
      .code(204)
      .header("set-cookie", cookieHeader("session", "", 0, isSecure(request, deps)))
      .send();
  });

  app.post("/password", { schema: { hide, body: PasswordBody }, attachValidation: true }, async (request, reply) => {
    const { user, secret } = await currentSession(request, deps);
    requireValid(request, (body) => [
      ...givenSecretProblems(["currentPassword"], body.currentPassword),
      ...newPasswordProblems(["newPassword"], body.newPassword, user.email),
    ]);
    const { currentPassword, newPassword } = request.body;
    // A right password takes its token, too: each change costs two hashes, and a row of the audit log.
    attempts.beginKnown(user.id);
    const hasher = { lane: "known", name: user.id } as const;
    const from = await sessions.passwordHashOf(user.id);
    if (from === undefined || !(await passwords.matches(String(currentPassword), from, hasher))) throw wrongPassword();
    const to = await passwords.hash(String(newPassword), hasher);
    const change = { from, to, sessionSecret: secret, requestId: request.id };
    if (!(await sessions.changePassword(user.id, change))) throw wrongPassword();
    return reply.code(204).send();
  });
}

/** Takes a token for an attempt before anything else is done, but for a look whether the browser has signed in before. */
async function beginAttempt(
  { ip }: FastifyRequest,
  query: SignInQuery,
  deps: SessionRoutesDeps,
  attempts: Attempts,
): Promise<{ candidate: SignInCandidate | undefined; attempt: Attempt }> {
  const { email, device } = query;
  if (device !== undefined) {
    const candidate = await deps.sessions.findCandidate(query);
    if (candidate?.isKnownDevice) {
      return { candidate, attempt: limited(() => attempts.beginKnown(hashSecret(device)), deps) };
    }
  }
  const attempt = limited(() => attempts.begin(email, ip), deps);
  return { candidate: await deps.sessions.findCandidate(query), attempt };
}

/** Whether the password is right. A password that could not be checked was no attempt. */
async function checked(
  password: string,
  candidate: SignInCandidate | undefined,
  attempt: Attempt,
  hasher: Hasher,
  { passwords, metrics }: SessionRoutesDeps,
): Promise<boolean> {
  try {
    return await passwords.matches(password, candidate?.passwordHash, hasher);
  } catch (error) {
    attempt.succeeded();
    const isOfOne = error instanceof ApiError && error.code === "rate_limited";
    metrics.signInAttempted(isOfOne ? "limited" : "overloaded");
    throw error;
  }
}

const hasherOf = ({ ip }: FastifyRequest, candidate: SignInCandidate | undefined): Hasher =>
  candidate?.isKnownDevice ? { lane: "known", name: candidate.userId } : { lane: "unknown", name: addressGroup(ip) };

function limited(begin: () => Attempt, { metrics }: SessionRoutesDeps): Attempt {
  try {
    return begin();
  } catch (error) {
    metrics.signInAttempted("limited");
    throw error;
  }
}

const knownDevice = ({ isKnownDevice }: SignInCandidate, device: string | undefined): string | undefined =>
  isKnownDevice ? device : undefined;

/** Reports all problems of a request together; a body that is no object has no secrets. */
function requireValid(
  request: FastifyRequest,
  problemsOfSecrets: (body: Readonly<Record<string, unknown>>) => readonly Problem[],
): void {
  const body = isObject(request.body) ? request.body : {};
  const problems = [...schemaProblems(request), ...noQueryProblems(request.query), ...problemsOfSecrets(body)];
  if (problems.length > 0) throw invalidRequest(problems);
}

const linkEnded = (): ApiError =>
  new ApiError("not_found", "this link was used, has expired or was replaced: ask an owner for another one");
