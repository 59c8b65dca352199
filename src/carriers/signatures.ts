import { timingSafeEqual } from "node:crypto";
import { WEBHOOK_FIELDS_MAX } from "../core/limits/phone/telephony.ts";
import { SIGNATURES_PER_UPGRADE_MAX } from "../core/limits/streams/connections.ts";

// What the signatures of several carriers have in common.

/**
 * All forms in which carriers were seen to write one address: with either scheme, with or without the default port,
 * with or without a trailing slash, with the host as given or in lower case.
 */
export function urlVariantsOf(url: string): readonly string[] {
  const [, host = "", port = "", path = ""] = /^wss?:\/\/([^/:]+|\[[^\]]*\])(:\d+)?(\/.*)$/.exec(url) ?? [];
  const ports = port === "" || port === ":443" ? ["", ":443"] : [port];
  const addresses = new Set([url]);
  for (const scheme of ["wss", "https"]) {
    for (const name of [host, host.toLowerCase()]) {
      for (const number of ports)
        for (const end of ["", "/"]) addresses.add(`${scheme}://${name}${number}${path}${end}`);
    }
  }
  return [...addresses];
}

/** The address of a webhook, with and without the port: carriers sign either. */
export function portVariantsOf(url: string): readonly string[] {
  const [, scheme = "", host = "", port = "", rest = ""] =
    /^(https?):\/\/([^/:?#]+|\[[^\]]*\])(:\d+)?(.*)$/s.exec(url) ?? [];
  const other = port === "" ? (scheme === "https" ? ":443" : ":80") : "";
  return scheme === "" ? [url] : [url, `${scheme}://${host}${other}${rest}`];
}

/**
 * The parameters of a form, each with all of its values, by name and then by value in the order of UTF-16. Undefined for more than
 * WEBHOOK_FIELDS_MAX, which no carrier signs.
 */
export function sortedParameters(
  form: string,
): readonly (readonly [name: string, values: readonly string[]])[] | undefined {
  const pairs = [...new URLSearchParams(form)];
  if (pairs.length > WEBHOOK_FIELDS_MAX) return undefined;
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return [...values.keys()].sort().map((name) => [name, (values.get(name) ?? []).sort()] as const);
}

/** The signatures in a list of them in base64, SIGNATURES_PER_UPGRADE_MAX at most. */
export const signaturesIn = (header: string): readonly Buffer[] =>
  header
    .split(",")
    .map((signature) => Buffer.from(signature.trim(), "base64"))
    .filter((signature) => signature.length > 0)
    .slice(0, SIGNATURES_PER_UPGRADE_MAX);

/** Compares in constant time. */
export const isAmong = (given: readonly Buffer[], digest: Buffer): boolean =>
  given.some((signature) => signature.length === digest.length && timingSafeEqual(signature, digest));
