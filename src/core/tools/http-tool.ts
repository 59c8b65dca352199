import { TOOL_HEADER_CHARS_MAX, TOOL_URL_CHARS_MAX } from "../limits/agents/tools.ts";
import { isAllowedToolUrl } from "./addresses.ts";

// The syntax of URLs and headers of HTTP tools, shared by the API, which validates them, and the gateway, which fills them in.

/** `{name}` in a URL: an argument. */
const ARGUMENT = /\{([A-Za-z0-9_.-]{1,64})\}/g;
/** `{{NAME}}` in a header: a secret. */
const SECRET = /\{\{([A-Z0-9_]{1,64})\}\}/g;
export const SECRET_NAME = /^[A-Z0-9_]{1,64}$/;

/** Scheme, server, path and query. The server must not contain a character that delimits another part. */
const TEMPLATE = /^(https?:\/\/)([^/?#\\\s{}@]+)((?:\/[^?#]*)?)((?:\?[^#]*)?)$/i;

/** A path segment `.` or `..`. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** Headers of HTTP itself, and headers that the service sets: a tool must not change how a message is read (RFC 9110, section 7.6.1). */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  ...["accept-encoding", "connection", "content-encoding", "content-length", "content-type", "date", "expect", "host"],
  ...["http2-settings", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "via"],
]);
const RESERVED_HEADER_PREFIXES: readonly string[] = ["proxy-", "sec-"];

/** The parts of a valid URL template. */
export interface UrlTemplate {
  /** Scheme and server. */
  origin: string;
  path: string;
  /** With its question mark; empty without a query. */
  query: string;
}

/** Undefined for a text that is not a URL template. */
export function urlTemplateOf(url: string): UrlTemplate | undefined {
  const [, scheme, server, path, query] = TEMPLATE.exec(url) ?? [];
  if (scheme === undefined || server === undefined) return undefined;
  return { origin: scheme + server, path: path || "/", query: query ?? "" };
}

/** What is wrong with the URL of an HTTP tool, as a text that continues a field's name; undefined when nothing is. */
export function urlProblem(url: string, allowLoopback: boolean): string | undefined {
  if (url.length > TOOL_URL_CHARS_MAX) return `must have at most ${TOOL_URL_CHARS_MAX} characters`;
  const template = urlTemplateOf(url);
  if (template === undefined || /[\p{Control}\s\\]/u.test(url)) {
    return "must be an http:// or https:// address without a user name, a fragment, or an argument in its server";
  }
  if (/[{}]/.test(url.replace(ARGUMENT, ""))) {
    return "must hold arguments as {name}, and braces for nothing else; secrets stand in headers alone";
  }
  const filled = url.replace(ARGUMENT, "x");
  if (!URL.canParse(filled) || !isAllowedToolUrl(new URL(filled), allowLoopback)) {
    return "must name a public server, on port 80, 443, or one from 1024 on that is no other well-known service's";
  }
  return hasDotSegment(template.path) ? "must have no . or .. in its path" : undefined;
}

/** Whether a path, filled in or not, has a segment `.` or `..`. */
export const hasDotSegment = (path: string): boolean => DOT_SEGMENT.test(path);

/** The names of the arguments in a part of a URL template. */
export const argumentsIn = (part: string): string[] => [...part.matchAll(ARGUMENT)].map(([, name = ""]) => name);

/** Replaces each `{name}` with the result of `textFor`. */
export const fillArguments = (part: string, textFor: (name: string) => string): string =>
  part.replace(ARGUMENT, (_whole, name: string) => textFor(name));

/** What is wrong with a header, as a text that continues its name. It never quotes the value, which may be a secret. */
export function headerProblem(name: string, value: string): string | undefined {
  const lower = name.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/.test(lower)) return "must have a header's name of at most 64 characters";
  if (RESERVED_HEADERS.has(lower) || RESERVED_HEADER_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
    return "must not be set: the service says it itself";
  }
  if (value.length > TOOL_HEADER_CHARS_MAX || !/^[\t\x20-\x7e]*$/.test(value)) {
    return `must be a string of at most ${TOOL_HEADER_CHARS_MAX} characters of printable ASCII`;
  }
  if (/\{\{|\}\}/.test(value.replace(SECRET, ""))) return "must name secrets as {{NAME}}, in A-Z, 0-9 and _";
  return undefined;
}

/** The names of the secrets in a header's value. */
export const secretsIn = (value: string): string[] => [...value.matchAll(SECRET)].map(([, name = ""]) => name);

/** Replaces each `{{NAME}}` with the result of `secretOf`. */
export const fillSecrets = (value: string, secretOf: (name: string) => string): string =>
  value.replace(SECRET, (_whole, name: string) => secretOf(name));
