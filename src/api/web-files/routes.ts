import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError, notFound } from "../http/errors.ts";
import { matchesEtag } from "../http/responses/etag.ts";
import type { WebEntry, WebFile, WebFiles } from "./files.ts";

export interface WebFilesDeps {
  /** Undefined where the files were not built. */
  webFiles: WebFiles | undefined;
}

/** An address with the hash of its content never has another content. */
export const IMMUTABLE = "public, max-age=31536000, immutable";
/** How long a page may have the version before: what an unpinned address costs. */
const UNPINNED = "public, max-age=300";

/** The folders for pages of others, with the file of the unpinned address. */
const FOLDERS: Readonly<Record<string, WebEntry>> = { "/widget": "widget", "/sdk": "sdk" };
/** For the page /talk. */
const OWN_FOLDER = "/talk/files";

/**
 * Registers the files of pages: `/widget/<hash>.js` with a content that never changes, `/widget/v1.js` with that of this
 * version, `/widget/v1.json` with the pinned address of it and its integrity, and the same for `/sdk`. Pages of any origin may
 * load these files, because they are the same for everyone and no request for them has an effect; nothing else of the service
 * is so.
 */
export function webFileRoutes(fastify: FastifyInstance, { webFiles }: WebFilesDeps): void {
  for (const [folder, entry] of Object.entries(FOLDERS)) {
    fastify.get(`${folder}/v1.js`, { schema: { hide: true } }, async (request, reply) =>
      send(request, reply, built(webFiles).entry(entry), UNPINNED),
    );
    fastify.get(`${folder}/v1.json`, { schema: { hide: true } }, async (_request, reply) => {
      const { name, integrity } = built(webFiles).entry(entry);
      void openToAll(reply).header("cache-control", UNPINNED);
      return { path: `${folder}/${name}`, integrity };
    });
  }
  // Each folder has every file, so that a module finds beside itself what it loads later.
  for (const folder of [...Object.keys(FOLDERS), OWN_FOLDER]) {
    fastify.get(`${folder}/:name`, { schema: { hide: true } }, async (request, reply) => {
      const { name } = request.params as { name: string };
      const file = built(webFiles).find(name);
      if (file === undefined) throw notFound("file: it is of another version of the service");
      return send(request, reply, file, IMMUTABLE);
    });
  }
}

/** The files. Throws ApiError `unavailable` where they were not built. */
export function built(webFiles: WebFiles | undefined): WebFiles {
  if (webFiles === undefined) {
    throw new ApiError(
      "unavailable",
      "the files of web pages are not built: run npm run build, and start the service again",
    );
  }
  return webFiles;
}

function send(request: FastifyRequest, reply: FastifyReply, file: WebFile, cacheControl: string): FastifyReply {
  const etag = `"${file.name}"`;
  void openToAll(reply).headers({ "cache-control": cacheControl, etag });
  if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.type(file.contentType).send(file.content);
}

/** Helmet's default lets pages of the same origin alone load a file. */
const openToAll = (reply: FastifyReply): FastifyReply =>
  reply.headers({ "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" });
