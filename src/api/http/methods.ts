import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, notFound } from "./errors.ts";

/** What plugins register for preflights of any path. */
const ANY_PATH = "*";

interface KnownPath {
  pattern: string;
  matcher: RegExp;
  methods: Set<string>;
}

/**
 * Answers requests that no route takes, without a key and before their body is read: a path that has other methods with 405 and
 * `Allow`, its `OPTIONS` with 204 and `Allow` (RFC 9110, sections 15.5.6 and 9.3.7), and everything else with 404. To be
 * called before any route is registered. Returns the pattern of the path that a request asks for, for logs and metrics;
 * undefined where there is none.
 */
export function handleOtherMethods(app: FastifyInstance): (request: FastifyRequest) => string | undefined {
  const paths = new Map<string, KnownPath>();
  app.addHook("onRoute", ({ url: pattern, method }) => {
    if (pattern === ANY_PATH) return;
    const path = paths.get(pattern) ?? { pattern, matcher: matcherOf(pattern), methods: new Set(["OPTIONS"]) };
    for (const one of [method].flat()) path.methods.add(one);
    paths.set(pattern, path);
  });
  const pathOf = (url: string): KnownPath | undefined => {
    const asked = normalizedPath(url);
    return [...paths.values()].find(({ matcher }) => matcher.test(asked));
  };
  const isUntaken = ({ is404, routeOptions }: FastifyRequest): boolean => is404 || routeOptions.url === ANY_PATH;

  // Behind every onRequest hook: one of them answers preflights.
  app.addHook("preParsing", async (request, reply) => {
    if (!isUntaken(request)) return;
    const path = pathOf(request.url);
    const allow = [...(path?.methods ?? [])].sort().join(", ");
    if (path !== undefined && request.method === "OPTIONS") return reply.code(204).header("allow", allow).send();
    if (path === undefined || path.methods.has(request.method)) throw notFound("resource");
    throw methodNotAllowed(request.method, allow);
  });
  return (request) => (isUntaken(request) ? pathOf(request.url)?.pattern : request.routeOptions.url);
}

/** As the router takes a URL: without its query, doubled and trailing slashes, and decoded but for what is reserved. */
function normalizedPath(url: string): string {
  const path = url
    .replace(/[?#].*$/s, "")
    .replace(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "");
  try {
    return decodeURI(path);
  } catch {
    // The router has refused it.
    return path;
  }
}

/** Of a pattern with `:name` for a segment, or `*` at its end for all that follows. */
const matcherOf = (pattern: string): RegExp => {
  const source = pattern
    .replace(/(?<=.)\/$/, "")
    .replace(/[.+?^$()[\]{}|\\]/g, "\\$&")
    .replace(/:\w+/g, "[^/]+")
    .replace(/\*$/, ".*");
  return new RegExp(`^${source}$`, "s");
};

const methodNotAllowed = (method: string, allow: string): ApiError =>
  new ApiError("method_not_allowed", `${method} is not a method of this path: it has ${allow}`, { headers: { allow } });
