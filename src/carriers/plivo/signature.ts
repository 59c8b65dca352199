import { createHmac } from "node:crypto";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";
import { isAmong, signaturesIn, urlVariantsOf } from "../signatures.ts";

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
