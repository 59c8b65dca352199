import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { MediaUrls } from "../../core/network/media-urls.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { IMMUTABLE } from "../web-files/routes.ts";
import type { DashboardFiles } from "./files.ts";
import type { OwnerKnown } from "./owner-known.ts";
import { sendFile } from "./send-file.ts";

export interface DashboardDeps {
  /** Undefined where the dashboard was not built. */
  dashboardFiles: DashboardFiles | undefined;
  /** The beginning of every `websocketUrl`: a page that tries an agent or listens to a call connects to it. */
  mediaUrls: MediaUrls;
}

export interface DashboardRoutesDeps extends DashboardDeps {
  owner: Pick<OwnerKnown, "exists">;
}

/** Where the pages are. */
const ROOT = "/dashboard";
/** The document names the files of one version: a browser asks each time whether it has another. */
const REVALIDATED = "no-cache";
/** What is below the root beside pages: an address of theirs that leads nowhere is no page. */
const NO_PAGES: readonly string[] = ["session", "files"];

/** Nothing comes from elsewhere, and no text becomes a program; the media plane has an origin of its own. */
const contentPolicy = ({ media, webrtc }: MediaUrls): string =>
  [
    "default-src 'self'",
    `connect-src ${[...new Set(["'self'", ...[media, webrtc ?? media].map((url) => new URL(url).origin)])].join(" ")}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The address of the worker that all tabs share: see web/dashboard/app/events/.
    "trusted-types trunkline-worker",
  ].join("; ");

/**
 * Registers the dashboard: its pages, which are one document, and the files that it loads. Before there is an owner every page
 * leads to `/`, which shows the first steps. The document itself has no data: all of it comes from the API, by a session.
 */
export function dashboardRoutes(fastify: FastifyInstance, deps: DashboardRoutesDeps): void {
  const hide = { schema: { hide: true } };
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { page, id } = request.params as { page?: string; id?: string };
    if (page !== undefined && NO_PAGES.includes(page)) throw notFound("resource");
    if (!(await deps.owner.exists())) return reply.redirect("/");
    if (page !== undefined) {
      const path = id === undefined ? page : `${page}/:id`;
      // With filters a page asks for something else.
      const answers = request.url.includes("?") ? [] : (FIRST_ANSWERS[path] ?? []);
      void reply.header("link", early(built(deps).ofPage(path), answers));
    }
    return sendShell(request, reply, deps);
  };
  fastify.get(ROOT, hide, page);
  fastify.get(`${ROOT}/:page`, hide, page);
  fastify.get(`${ROOT}/:page/:id`, hide, page);
  // Reached by no link before there is an owner, and the same for everyone.
  fastify.get(`${ROOT}/files/:name`, hide, async (request, reply) => {
    const { name } = request.params as { name: string };
    const file = built(deps).find(name);
    if (file === undefined) throw notFound("file: it is of another version of the service");
    return sendFile(request, reply, file, IMMUTABLE);
  });
}

/** What of the API a page shows first, by its path: web/dashboard/app/early-request.ts asks for the same. */
const FIRST_ANSWERS: Readonly<Record<string, readonly string[]>> = { calls: ["calls?limit=50"] };

/** What a page will ask for, so that its browser need not run the program that asks first: who is signed in, these files and these answers. */
const early = (files: readonly string[], answers: readonly string[]): string =>
  [
    ...["me", ...answers.map((address) => `api/v1/${address}`)].map(
      (address) => `<${ROOT}/session/${address}>; rel=preload; as=fetch; crossorigin`,
    ),
    ...files.map((name) => {
      const address = `<${ROOT}/files/${name}>`;
      return name.endsWith(".css") ? `${address}; rel=preload; as=style; crossorigin` : `${address}; rel=modulepreload`;
    }),
  ].join(", ");

/** Answers with the document of every page. Throws ApiError `unavailable` where it was not built. */
export function sendShell(request: FastifyRequest, reply: FastifyReply, deps: DashboardDeps): FastifyReply {
  void reply.headers({
    "content-security-policy": contentPolicy(deps.mediaUrls),
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "permissions-policy": "microphone=(self), speaker-selection=(self), camera=(), geolocation=()",
  });
  return sendFile(request, reply, built(deps).shell, REVALIDATED);
}

function built({ dashboardFiles }: DashboardDeps): DashboardFiles {
  if (dashboardFiles !== undefined) return dashboardFiles;
  const message = "the dashboard is not built: run npm run build, and start the service again";
  throw new ApiError("unavailable", message);
}
