import { createHmac } from "node:crypto";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";
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
 * sorted by name: https://www.twilio.com/docs/usage/security#validating-requests. The service has all of its webhooks sent by POST;
 * what arrives by another method is none of them.
 */
export function isTwilioWebhook(secret: string, { method, url, headers, body }: WebhookRequest): boolean {
  const given = signaturesIn(headers[SIGNATURE] ?? "");
  const form = textOf(body);
  if (method !== "POST" || form === undefined || given.length === 0) return false;
  const parameters = sortedParameters(form)
    .flatMap(([name, values]) => [...new Set(values)].map((value) => `${name}${value}`))
    .join("");
  return portVariantsOf(url).some((address) =>
    isAmong(given, createHmac("sha1", secret).update(`${address}${parameters}`).digest()),
  );
}
