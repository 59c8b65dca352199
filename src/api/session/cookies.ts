import type { IncomingHttpHeaders } from "node:http";

/**
 * `session` authenticates a person; `device` recognizes the browser at the next sign-in, and authenticates nothing; `talk` is of
 * the page /talk that an owner link has opened.
 */
export type CookieName = "session" | "device" | "talk";

/**
 * The name of a cookie. With `__Host-` browsers take it only over TLS, from this host and for all of its paths, so that no
 * page of a neighbouring host can plant one.
 */
const nameOf = (name: CookieName, isSecure: boolean): string => `${isSecure ? "__Host-" : ""}trunkline_${name}`;

/** The value of a cookie of a request; undefined when it is missing or given twice. */
export function readCookie({ cookie }: IncomingHttpHeaders, name: CookieName, isSecure: boolean): string | undefined {
  const begin = `${nameOf(name, isSecure)}=`;
  const values = (cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin))
    .map((pair) => pair.slice(begin.length));
  return values.length === 1 ? values[0] : undefined;
}

/** The header that sets a cookie for `maxAgeMs`; 0 removes it. */
export const cookieHeader = (name: CookieName, value: string, maxAgeMs: number, isSecure: boolean): string =>
  [
    `${nameOf(name, isSecure)}=${value}`,
    "Path=/",
    `Max-Age=${Math.floor(maxAgeMs / 1_000)}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
