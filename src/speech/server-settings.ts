import type { Variable } from "../core/configuration/variable.ts";

// The variables of a provider that is a server: its API key, model and address. Shared by the providers of all stages.

/** The address of OpenAI's own API, which has all three stages. */
export const OPENAI_ADDRESS = "https://api.openai.com/v1";

/** Sent to a server that requires no API key, where the protocol has a place for one. */
export const NO_API_KEY = "none";

export const apiKeyVariable = (of: string): Variable => ({
  format: "printable ASCII without spaces",
  meaning: `the API key of ${of}`,
});

export const modelVariable = (name: string, of: string): Variable => ({ default: name, meaning: `the model of ${of}` });

/** `address` is the provider's own. */
export const addressVariable = (address: string, meaning: string): Variable => ({
  default: address,
  format: address.startsWith("ws") ? "a `ws://` or `wss://` address" : "an `http://` or `https://` address",
  meaning,
});

/** An address as it is configured, without slashes at its end: a path is appended to it. */
export const trimmedAddress = (given: string): string => given.replace(/\/+$/, "");

/**
 * What is wrong with an API key. `whereMissing` completes the problem of a missing one; undefined where none is
 * required, as by most self-hosted servers.
 */
export function apiKeyProblems(
  variable: string,
  apiKey: string | undefined,
  whereMissing: string | undefined,
): string[] {
  if (apiKey === undefined) return whereMissing === undefined ? [] : [`${variable} ${whereMissing}`];
  return /^[\x21-\x7e]+$/.test(apiKey) ? [] : [`${variable} must be printable ASCII without spaces`];
}

/** What is wrong with the address of a server to which a path is appended. */
export const httpAddressProblems = (variable: string, url: string): string[] =>
  URL.canParse(url) && /^https?:\/\/[^?#@\\\s]+$/.test(url)
    ? []
    : [`${variable} must be an http:// or https:// address without a query or a password`];
