import { createHmac } from "node:crypto";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";
import { retriedUrl } from "../rest.ts";
import { isAmong, portVariantsOf, signaturesIn, sortedParameters, urlVariantsOf } from "../signatures.ts";
import type { WebhookRequest } from "../telephony.ts";
import { textOf } from "../webhooks.ts";

const SIGNATURE = "x-twilio-signature";

export const TWILIO_HEADERS: readonly string[] = [SIGNATURE];

/** Base64 of HMAC-SHA1 over the address alone: https://www.twilio.com/docs/usage/security#validating-requests */
export function isSignedByTwilio(
  secret: string,
  url: string,
  { [SIGNATURE]: signature = "" }: UpgradeHeaders,
): boolean {
  const given = signaturesIn(signature);
  return urlVariantsOf(url).some((address) => isAmong(given, createHmac("sha1", secret).update(address).digest()));
}

/**
 * A webhook that is a form is signed with its parameters: base64 of HMAC-SHA1 over the address, followed by each name and its value,
 * sorted by name: https://www.twilio.com/docs/usage/security#validating-requests. No page says whether the fragment of the address is
 * signed, so both count. The service has all of its webhooks sent by POST; what arrives by another method is none of them.
 */
export function isTwilioWebhook(secret: string, { method, url, headers, body }: WebhookRequest): boolean {
  const given = signaturesIn(headers[SIGNATURE] ?? "");
  const form = textOf(body);
  const sorted = form === undefined ? undefined : sortedParameters(form);
  if (method !== "POST" || sorted === undefined || given.length === 0) return false;
  const parameters = sorted
    .flatMap(([name, values]) => [...new Set(values)].map((value) => `${name}${value}`))
    .join("");
  return portVariantsOf(url)
    .flatMap((address) => [address, retriedUrl(address)])
    .some((address) => isAmong(given, createHmac("sha1", secret).update(`${address}${parameters}`).digest()));
}
