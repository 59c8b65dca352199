import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { ConnectionType } from "../../core/calls/spec.ts";
import { SIGNATURES_PER_UPGRADE_MAX } from "../../core/limits/connections.ts";

/** The transports whose upgrades can be authenticated by a secret that the carrier shares with us. */
export const SIGNING_CARRIERS = ["carrier_a", "carrier_b", "carrier_c"] as const satisfies readonly ConnectionType[];
export type SigningCarrier = (typeof SIGNING_CARRIERS)[number];

/**
 * The secrets of each carrier, each of which is valid: two during a rotation. Empty where no authentication is
 * configured.
 */
export type CarrierSecrets = Readonly<Record<SigningCarrier, readonly string[]>>;

/** The credentials that carriers send in the head of an upgrade, unchanged; empty where the header is missing. */
export interface SignatureHeaders {
  /** `X-Twilio-Signature` */
  twilioSignature: string;
  /** `X-Telnyx-Streaming-Auth-Token`, or `Authorization: Bearer`, into which a proxy may convert it. */
  telnyxToken: string;
  authorization: string;
  /** `X-Plivo-Signature-V3`, `X-Plivo-Signature-Ma-V3`, both lists, and `X-Plivo-Signature-V3-Nonce`. */
  plivoSignatures: string;
  plivoMainSignatures: string;
  plivoNonce: string;
}

/** Copies them from a request; `header` gets names in lower case. */
export const signatureHeaders = (header: (name: string) => string): SignatureHeaders => ({
  twilioSignature: header("x-twilio-signature"),
  telnyxToken: header("x-telnyx-streaming-auth-token"),
  authorization: header("authorization"),
  plivoSignatures: header("x-plivo-signature-v3"),
  plivoMainSignatures: header("x-plivo-signature-ma-v3"),
  plivoNonce: header("x-plivo-signature-v3-nonce"),
});

/**
 * Which carriers an upgrade of `url` may come from: those that prove it with one of their secrets, and those without a
 * configured secret. `url` is the address that the carrier was given to dial, rebuilt from the configuration:
 * behind a proxy the request has another one.
 */
export function authenticatedCarriers(
  url: string,
  headers: SignatureHeaders,
  secrets: CarrierSecrets,
): ReadonlySet<SigningCarrier> {
  return new Set(
    SIGNING_CARRIERS.filter(
      (carrier) =>
        secrets[carrier].length === 0 || secrets[carrier].some((secret) => CHECKS[carrier](secret, url, headers)),
    ),
  );
}

type Check = (secret: string, url: string, headers: SignatureHeaders) => boolean;

const CHECKS: Readonly<Record<SigningCarrier, Check>> = {
  carrier_a: isSignedByTwilio,
  carrier_b: isFromTelnyx,
  carrier_c: isSignedByPlivo,
};

/** Base64 of HMAC-SHA1 over the address alone: https://www.twilio.com/docs/usage/security#validating-requests */
export function isSignedByTwilio(secret: string, url: string, { twilioSignature }: SignatureHeaders): boolean {
  const given = signaturesIn(twilioSignature);
  return urlVariantsOf(url).some((address) => isAmong(given, createHmac("sha1", secret).update(address).digest()));
}

/** The token itself: the carrier was given it with the address, and returns it. */
export function isFromTelnyx(secret: string, _url: string, { telnyxToken, authorization }: SignatureHeaders): boolean {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  return isSameText(telnyxToken, secret) || isSameText(bearer, secret);
}

/**
 * Base64 of HMAC-SHA256 over the address and a nonce, in one of two documented forms; the header may hold several:
 * https://www.plivo.com/docs/voice/concepts/signature-validation
 */
export function isSignedByPlivo(secret: string, url: string, headers: SignatureHeaders): boolean {
  const { plivoSignatures, plivoMainSignatures, plivoNonce: nonce } = headers;
  const given = signaturesIn(`${plivoSignatures},${plivoMainSignatures}`);
  if (nonce === "" || given.length === 0) return false;
  return urlVariantsOf(url)
    .flatMap((address) => [`${address}.${nonce}`, `GET${address}${nonce}`])
    .some((signed) => isAmong(given, createHmac("sha256", secret).update(signed).digest()));
}

/**
 * All forms in which carriers were seen to write one address: with either scheme, with or without the default port,
 * with or without a trailing slash, with the host as given or in lower case.
 */
function urlVariantsOf(url: string): readonly string[] {
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

const signaturesIn = (header: string): readonly Buffer[] =>
  header
    .split(",")
    .map((signature) => Buffer.from(signature.trim(), "base64"))
    .filter((signature) => signature.length > 0)
    .slice(0, SIGNATURES_PER_UPGRADE_MAX);

const isAmong = (given: readonly Buffer[], digest: Buffer): boolean =>
  given.some((signature) => signature.length === digest.length && timingSafeEqual(signature, digest));

/** Compares in constant time. */
const isSameText = (given: string, secret: string): boolean => timingSafeEqual(sha256(given), sha256(secret));

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
