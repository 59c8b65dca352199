import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

/** What precedes the 32 bytes of an Ed25519 key in its DER forms: RFC 8410. */
const PRIVATE_PREFIX = "302e020100300506032b657004220420";
const PUBLIC_PREFIX_BYTES = 12;

/** The account's key pair, by 64 hexadecimal digits. */
export function telnyxKeys(hex: string): { privateKey: KeyObject; publicKey: string } {
  const der = Buffer.from(`${PRIVATE_PREFIX}${hex}`, "hex");
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const publicDer = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return { privateKey, publicKey: publicDer.subarray(PUBLIC_PREFIX_BYTES).toString("base64") };
}

/**
 * Ed25519 over the time of sending, in seconds, and the body:
 * https://developers.telnyx.com/development/api-fundamentals/webhooks/receiving-webhooks
 */
export function telnyxHeaders(privateKey: KeyObject, timestampS: number, body: string): Record<string, string> {
  const signature = sign(null, Buffer.from(`${timestampS}|${body}`), privateKey).toString("base64");
  return { "telnyx-signature-ed25519": signature, "telnyx-timestamp": String(timestampS) };
}
