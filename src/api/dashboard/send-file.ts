import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesEtag } from "../http/responses/etag.ts";
import type { DashboardFile } from "./files.ts";

/** The forms of a file, the one that browsers take best first. */
const FORMS = [
  { encoding: "br", of: ({ brotli }: DashboardFile) => brotli },
  { encoding: "gzip", of: ({ gzip }: DashboardFile) => gzip },
] as const;

/** Answers with a file in the form that the browser accepts, or with 304 where it has it. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: DashboardFile,
  cacheControl: string,
): FastifyReply {
  const form = FORMS.find(({ encoding }) => accepts(request.headers["accept-encoding"], encoding));
  // Each form is another representation (RFC 9110, section 8.8.3.3).
  const etag = `"${file.etag}${form === undefined ? "" : `-${form.encoding}`}"`;
  // `/` has more than one document, which the caller has said.
  const vary = [reply.getHeader("vary"), "Accept-Encoding"].filter((name) => name !== undefined).join(", ");
  void reply.headers({ "cache-control": cacheControl, etag, vary });
  if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  void reply.type(file.contentType);
  if (form === undefined) return reply.send(file.content);
  return reply.header("content-encoding", form.encoding).send(form.of(file));
}

/** RFC 9110, section 12.5.3: whether a coding is listed, and not with a weight of 0. */
function accepts(header: string | string[] | undefined, coding: string): boolean {
  return String(header ?? "")
    .toLowerCase()
    .split(",")
    .some((one) => {
      const [name, ...parameters] = one.split(";").map((part) => part.trim());
      return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    });
}
