import { createHmac } from "node:crypto";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";
import { isAmong, signaturesIn, urlVariantsOf } from "../signatures.ts";

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
