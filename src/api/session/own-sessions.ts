import type { FastifyInstance } from "fastify";
import { isoTime } from "../../core/clock.ts";
import type { SessionRecord, SessionStore } from "../../store/users/session-store.ts";
import { NoQuery } from "../http/requests/query.ts";
import { currentSession } from "./auth.ts";

export interface OwnSessionDeps {
  sessions: Pick<SessionStore, "authenticate" | "list" | "signOutOthers">;
  publicApiUrls: readonly string[];
}

/** Pages use these routes, not programs. */
const hide = true;

/** Registers what shows people their sessions, and ends them, in `app`. */
export function ownSessionRoutes(app: FastifyInstance, deps: OwnSessionDeps): void {
  const { sessions } = deps;

  app.get("/sessions", { schema: { hide, querystring: NoQuery } }, async (request) => {
    const { user, secret } = await currentSession(request, deps);
    return { data: (await sessions.list(user.id, secret)).map(ownSessionItemOf) };
  });

  app.post("/sign-out-others", { schema: { hide, querystring: NoQuery } }, async (request, reply) => {
    const { user, secret } = await currentSession(request, deps);
    await sessions.signOutOthers(user.id, secret, request.id);
    return reply.code(204).send();
  });
}

const ownSessionItemOf = ({ createdAtMs, expiresAtMs, isCurrent }: SessionRecord) => ({
  createdAt: isoTime(createdAtMs),
  expiresAt: isoTime(expiresAtMs),
  isCurrent,
});
