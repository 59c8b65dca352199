import { NETWORK_VARIABLES } from "../variables/network.ts";

export const API_HOST_DEFAULT = NETWORK_VARIABLES.API_HOST.default;
export const API_PORT_DEFAULT = NETWORK_VARIABLES.API_PORT.default;

/** The base path of the control API. */
const API_PATH = "/api/v1";

/** Hosts that a server can listen on and a client cannot connect to, as a URL spells them. */
const WILDCARD_HOSTS: readonly string[] = ["0.0.0.0", "[::]"];

/**
 * Reads PUBLIC_API_URL: the public addresses of the control API, separated by commas, each with the base path added where it is
 * missing. Problems are added to `problems`.
 */
export function readApiUrls(given: string, problems: string[]): string[] {
  if (given === "") return [];
  const urls = given.split(",").map((url) => url.trim().replace(/\/+$/, ""));
  for (const url of urls.filter((url) => !isAddress(url, ["http:", "https:"]))) {
    problems.push(
      `PUBLIC_API_URL must be http:// or https:// addresses without a query or a password, not ${redactedAddress(url)}`,
    );
  }
  return urls.map((url) => (url.endsWith(API_PATH) ? url : `${url}${API_PATH}`));
}

/** The first of the public addresses without the base path of the API; undefined where there is none. */
export const serviceUrlOf = ([first]: readonly string[]): string | undefined => first?.slice(0, -API_PATH.length);

/** Whether a path can be appended: the address has no query, no fragment and no password. */
export const isAddress = (text: string, protocols: readonly string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol) && /^\w+:\/\/[^?#@\\\s]+$/.test(text);

/** A bad address without its password and query, which may be secret. */
export const redactedAddress = (address: string): string =>
  JSON.stringify(address.replace(/^(\w+:\/\/)?.*@/s, "$1…@").replace(/[?#].*$/s, "?…"));

/** Recognizes all spellings: `0` is 0.0.0.0, and `0::0` is `::`. */
export function isWildcard(host: string): boolean {
  const url = `http://${host.includes(":") ? `[${host}]` : host}`;
  return URL.canParse(url) && WILDCARD_HOSTS.includes(new URL(url).hostname);
}

/** The address by which a program on this machine reaches a server that listens on `host`. */
export function localUrlOf(host: string, port: string): string {
  const reachable = isWildcard(host) ? API_HOST_DEFAULT : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
