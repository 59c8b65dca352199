import { createHmac } from "node:crypto";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";
import { isAmong, portVariantsOf, signaturesIn, sortedParameters, urlVariantsOf } from "../signatures.ts";
import type { WebhookRequest } from "../telephony.ts";
import { textOf } from "../webhooks.ts";

/** Both are lists. */
const SIGNATURES = "x-plivo-signature-v3";
const MAIN_SIGNATURES = "x-plivo-signature-ma-v3";
const NONCE = "x-plivo-signature-v3-nonce";

export const PLIVO_HEADERS: readonly string[] = [SIGNATURES, MAIN_SIGNATURES, NONCE];

/**
 * Base64 of HMAC-SHA256 over the address and a nonce, in one of two documented forms; the header may hold several:
 * https://www.plivo.com/docs/voice/concepts/signature-validation
 */
export function isSignedByPlivo(
  secret: string,
  url: string,
  { [SIGNATURES]: signatures = "", [MAIN_SIGNATURES]: mainSignatures = "", [NONCE]: nonce = "" }: UpgradeHeaders,
): boolean {
  const given = signaturesIn(`${signatures},${mainSignatures}`);
  if (nonce === "" || given.length === 0) return false;
  return urlVariantsOf(url)
    .flatMap((address) => [`${address}.${nonce}`, `GET${address}${nonce}`])
    .some((signed) => isAmong(given, createHmac("sha256", secret).update(signed).digest()));
}

/**
 * A webhook is signed with its parameters: base64 of HMAC-SHA256 over the address with its query sorted, each parameter of a POST with
 * its value, sorted by name, and the nonce, divided by dots. Where the address has no query, the carrier's SDK writes a question mark
 * for the first dot, and its documentation has no example; both count:
 * https://www.plivo.com/docs/voice/concepts/signature-validation and `validateV3Signature` of its SDK for Node.
 */
export function isPlivoWebhook(secret: string, { method, url, headers, body }: WebhookRequest): boolean {
  const given = signaturesIn(`${headers[SIGNATURES] ?? ""},${headers[MAIN_SIGNATURES] ?? ""}`);
  const form = textOf(body);
  const { [NONCE]: nonce = "" } = headers;
  if (form === undefined || nonce === "" || given.length === 0) return false;
  return portVariantsOf(url)
    .flatMap((address) => signedForms(method, address, form))
    .some((signed) => isAmong(given, createHmac("sha256", secret).update(`${signed}.${nonce}`).digest()));
}

/** All forms of what is signed before the nonce; none for a method that Plivo does not use. */
function signedForms(method: string, url: string, form: string): readonly string[] {
  const [address = "", search = ""] = url.split("?", 2);
  const query = written(search, "=").join("&");
  if (method === "GET") return form === "" ? [query === "" ? address : `${address}?${query}`] : [];
  if (method !== "POST") return [];
  const parameters = written(form, "").join("");
  if (query !== "") return [`${address}?${query}${parameters === "" ? "" : `.${parameters}`}`];
  return parameters === "" ? [address] : [`${address}?${parameters}`, `${address}.${parameters}`];
}

const written = (form: string, between: string): readonly string[] =>
  sortedParameters(form).flatMap(([name, values]) => values.map((value) => `${name}${between}${value}`));
