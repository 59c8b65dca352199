import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { ConnectionType } from "../../core/calls/spec.ts";
import { SIGNATURES_PER_UPGRADE_MAX } from "../../core/limits/connections.ts";

/** The transports whose upgrades can be told from a stranger's by a secret that their carrier shares with us. */
export const SIGNING_CARRIERS = ["carrier_a", "carrier_b", "carrier_c"] as const satisfies readonly ConnectionType[];
export type SigningCarrier = (typeof SIGNING_CARRIERS)[number];

/** The secrets of each carrier, any of which is good: two while one is being changed. None where nothing is asked for. */
export type CarrierSecrets = Readonly<Record<SigningCarrier, readonly string[]>>;

/** What carriers prove themselves with in the head of an upgrade, as it came; empty where the header is missing. */
export interface SignatureHeaders {
  /** `X-Twilio-Signature` */
  twilioSignature: string;
  /** `X-Telnyx-Streaming-Auth-Token`, or what a proxy made of it: `Authorization: Bearer`. */
  telnyxToken: string;
  authorization: string;
  /** `X-Plivo-Signature-V3`, `X-Plivo-Signature-Ma-V3`, both lists, and `X-Plivo-Signature-V3-Nonce`. */
  plivoSignatures: string;
  plivoMainSignatures: string;
  plivoNonce: string;
}

/** Copies them out of a request; `header` is given names in lower case. */
export const signatureHeaders = (header: (name: string) => string): SignatureHeaders => ({
  twilioSignature: header("x-twilio-signature"),
  telnyxToken: header("x-telnyx-streaming-auth-token"),
  authorization: header("authorization"),
  plivoSignatures: header("x-plivo-signature-v3"),
  plivoMainSignatures: header("x-plivo-signature-ma-v3"),
  plivoNonce: header("x-plivo-signature-v3-nonce"),
});

/**
 * Which carriers an upgrade of `url` may come from: those that prove it by one of their secrets, and those that none is known of.
 * `url` is what the carrier was told to dial, rebuilt from configuration: behind a proxy the request knows another one.
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

/** The token itself: the carrier was given it with the address, and sends it back. */
export function isFromTelnyx(secret: string, _url: string, { telnyxToken, authorization }: SignatureHeaders): boolean {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  return isSameText(telnyxToken, secret) || isSameText(bearer, secret);
}

/**
 * Base64 of HMAC-SHA256 over the address and a nonce, of which its documents know two forms; the header may hold several:
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
 * All the ways in which carriers were seen to write one address: by either scheme, with the port that goes without saying or
 * without it, with a slash at the end or without it, the host as it was given or in lower case.
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

/** In a time that does not tell how much of it is right. */
const isSameText = (given: string, secret: string): boolean => timingSafeEqual(sha256(given), sha256(secret));

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
