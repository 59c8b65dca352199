import type { FastifyRequest } from "fastify";
import type { OwnerLinkStore, OwnerPage } from "../../store/accounts/owner-link-store.ts";
import { ApiError } from "../http/errors.ts";
import { CSRF_HEADER, csrfTokenOf, isSecure, requireOwnSite } from "../session/auth.ts";
import { readCookie } from "../session/cookies.ts";

export interface OwnerPageDeps {
  ownerLinks: Pick<OwnerLinkStore, "findPage">;
  publicApiUrls: readonly string[];
}

/** The page of a request, and the text of its cookie. */
export interface CurrentPage extends OwnerPage {
  secret: string;
}

/** The page that the cookie of a request names, if a link has opened it. Throws ApiError `forbidden` for a request of another site. */
export async function findPage(request: FastifyRequest, deps: OwnerPageDeps): Promise<CurrentPage | undefined> {
  requireOwnSite(request);
  const secret = readCookie(request.headers, "talk", isSecure(request, deps));
  const page = secret === undefined ? undefined : await deps.ownerLinks.findPage(secret);
  return secret === undefined || page === undefined ? undefined : { ...page, secret };
}

/**
 * The page of a request. Throws ApiError `unauthorized` where no link has opened it, and `forbidden` for a request of another
 * site, and for one that changes something without the CSRF token: the cookie alone starts no call.
 */
export async function currentPage(request: FastifyRequest, deps: OwnerPageDeps): Promise<CurrentPage> {
  const page = await findPage(request, deps);
  if (page === undefined) throw notOpened();
  if (request.method === "POST" && request.headers[CSRF_HEADER] !== csrfTokenOf(page.secret)) {
    throw new ApiError("forbidden", "the header X-CSRF-Token must carry the csrfToken of the page");
  }
  return page;
}

const notOpened = (): ApiError =>
  new ApiError("unauthorized", "no owner link has opened this page: npm run admin -- owner-link makes one", {
    headers: { "www-authenticate": 'OwnerLink realm="Trunkline"' },
  });
