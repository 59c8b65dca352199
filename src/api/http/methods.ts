import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, notFound } from "./errors.ts";

/** The path that plugins register for preflights of any path. */
const ANY_PATH = "*";

interface KnownPath {
  pattern: string;
  matcher: RegExp;
  methods: Set<string>;
}

/**
 * Answers requests without a route, without an API key and before their body is read: a path that has other methods with 405 and
 * `Allow`, its `OPTIONS` with 204 and `Allow` (RFC 9110, sections 15.5.6 and 9.3.7), and everything else with 404. Must be called
 * before any route is registered. Returns a function that gives the pattern of a request's path, for logs and metrics; undefined
 * when no route has it.
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
    const path = normalizedPath(url);
    return [...paths.values()].find(({ matcher }) => matcher.test(path));
  };
  const isUntaken = ({ is404, routeOptions }: FastifyRequest): boolean => is404 || routeOptions.url === ANY_PATH;

  // After every onRequest hook: one of them answers preflights.
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

/** Normalises a URL as the router does: no query, no doubled or trailing slashes, decoded except for reserved characters. */
function normalizedPath(url: string): string {
  const path = url
    .replace(/[?#].*$/s, "")
    .replace(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "");
  try {
    return decodeURI(path);
  } catch {
    // The router has already refused this URL.
    return path;
  }
}

/** Supports `:name` for a path segment, and `*` at the end for the rest. */
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
