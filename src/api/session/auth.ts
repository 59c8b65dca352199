import { createHmac } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { SCOPES_OF_ROLE } from "../../core/accounts/roles.ts";
import type { SessionPrincipal, SessionStore } from "../../store/users/session-store.ts";
import type { Caller } from "../http/access/auth.ts";
import { ApiError, notSignedIn } from "../http/errors.ts";
import { readCookie } from "./cookies.ts";

export interface SessionAuthDeps {
  sessions: Pick<SessionStore, "authenticate">;
  publicApiUrls: readonly string[];
}

/** The header that shows that a request comes from a page which can read the answers of this service. */
export const CSRF_HEADER = "x-csrf-token";
const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];
/** What a browser says of requests of the dashboard itself, and of addresses that a person has typed. */
const OWN_SITES: readonly unknown[] = [undefined, "same-origin", "none"];

/** The session of a request and its text. */
export interface CurrentSession extends SessionPrincipal {
  secret: string;
}

/** Whether browsers reach the service by TLS: then its cookies are for TLS alone. */
export const isSecure = (
  { protocol }: FastifyRequest,
  { publicApiUrls }: Pick<SessionAuthDeps, "publicApiUrls">,
): boolean => protocol === "https" || publicApiUrls.some((url) => url.startsWith("https:"));

/** What a page sends in `X-CSRF-Token`. Another site can neither read it nor compute it from anything that it can read. */
export const csrfTokenOf = (secret: string): string =>
  createHmac("sha256", secret).update("trunkline csrf").digest("base64url");

/** Throws ApiError `forbidden` for a request that the browser says comes from a page of another site. */
export function requireOwnSite({ headers }: FastifyRequest): void {
  if (OWN_SITES.includes(headers["sec-fetch-site"])) return;
  throw new ApiError("forbidden", "requests of pages of other sites are refused");
}

/**
 * The session that the cookie of a request names. It is looked up for every request: an ended session, a removed person and
 * another role count from the next request on, in every process. Throws ApiError `unauthorized` without a session, and
 * `forbidden` for a request of another site, one with the CSRF token of another session, and one that changes something without it.
 */
export async function currentSession(request: FastifyRequest, deps: SessionAuthDeps): Promise<CurrentSession> {
  requireOwnSite(request);
  const secret = readCookie(request.headers, "session", isSecure(request, deps));
  const principal = secret === undefined ? undefined : await deps.sessions.authenticate(secret);
  if (secret === undefined || principal === undefined) throw notSignedIn();
  // The token is derived from a secret of 256 bits, so comparing it needs no constant time.
  const token = request.headers[CSRF_HEADER];
  // A page that sends the token of another session was loaded for the person who was signed in before.
  const isNeeded = token !== undefined || !SAFE_METHODS.includes(request.method);
  if (isNeeded && token !== csrfTokenOf(secret)) {
    throw new ApiError("forbidden", "the header X-CSRF-Token must carry the csrfToken of the session");
  }
  return { ...principal, secret };
}

/** The person of a request to the API through the dashboard, with the scopes of their role. */
export async function callerOfSession(request: FastifyRequest, deps: SessionAuthDeps): Promise<Caller> {
  const { user, account, secret } = await currentSession(request, deps);
  return { accountId: user.accountId, userId: user.id, account, credential: secret, scopes: SCOPES_OF_ROLE[user.role] };
}
