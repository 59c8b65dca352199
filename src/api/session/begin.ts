import type { FastifyReply, FastifyRequest } from "fastify";
import { type Clock, isoTime } from "../../core/clock.ts";
import { type EpochMs, elapsedMs } from "../../core/clocks.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { NewSession } from "../../store/users/session-store.ts";
import type { UserRecord } from "../../store/users/user-store.ts";
import { userItemOf } from "../users/items.ts";
import { csrfTokenOf, isSecure } from "./auth.ts";
import { cookieHeader } from "./cookies.ts";

export interface BeginDeps {
  publicApiUrls: readonly string[];
  clock: Clock;
  log: Logger;
}

/** Answers with a session that has begun, and gives the browser its cookies. */
export function beginSession(
  request: FastifyRequest,
  reply: FastifyReply,
  session: NewSession,
  deps: BeginDeps,
): object {
  const { user, secret, expiresAtMs, device } = session;
  const secure = isSecure(request, deps);
  const lifetimeMs = (end: EpochMs): number => elapsedMs(deps.clock.epochMs(), end);
  void reply.header("set-cookie", [
    cookieHeader("session", secret, lifetimeMs(expiresAtMs), secure),
    cookieHeader("device", device.secret, lifetimeMs(device.expiresAtMs), secure),
  ]);
  const { id: userId, accountId } = user;
  deps.log.info({ requestId: request.id, userId, accountId }, "person signed in");
  return sessionItemOf(user, secret, expiresAtMs);
}

/** A session as its pages get it. */
export const sessionItemOf = (user: UserRecord, secret: string, expiresAtMs: EpochMs) => ({
  user: userItemOf(user),
  accountId: user.accountId,
  csrfToken: csrfTokenOf(secret),
  expiresAt: isoTime(expiresAtMs),
});
