import { createHmac, createPublicKey, type KeyObject, verify } from "node:crypto";
import { WEBHOOK_AGE_MS_MAX } from "../../core/limits/phone/telephony.ts";
import { isSameText } from "../../core/same-text.ts";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";
import type { WebhookRequest } from "../telephony.ts";

const TOKEN = "x-telnyx-streaming-auth-token";
/** `Bearer`: a proxy may convert the token into it. */
const AUTHORIZATION = "authorization";

export const TELNYX_HEADERS: readonly string[] = [TOKEN, AUTHORIZATION];

/** The token itself: the carrier was given it with the address, and returns it. */
export function isFromTelnyx(
  secret: string,
  _url: string,
  { [TOKEN]: token = "", [AUTHORIZATION]: authorization = "" }: UpgradeHeaders,
): boolean {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  return isSameText(token, secret) || isSameText(bearer, secret);
}

/**
 * The `stream_auth_token` of an account, which streams are ordered with. It is derived from the API key, so that operators have no
 * further secret to choose and to store.
 */
export const streamAuthToken = (apiKey: string): string =>
  createHmac("sha256", apiKey).update("trunkline stream_auth_token").digest("base64url");

const SIGNATURE = "telnyx-signature-ed25519";
const TIMESTAMP = "telnyx-timestamp";

/** What precedes the 32 bytes of an Ed25519 public key in DER (RFC 8410, section 4). */
const DER_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/**
 * Ed25519 over the time, a bar and the body, byte by byte:
 * https://developers.telnyx.com/development/api-fundamentals/webhooks/receiving-webhooks, and `webhooks.unwrap` of its SDK for Node,
 * which allows the same age.
 */
export function isTelnyxWebhook(publicKey: string, { method, headers, body }: WebhookRequest, nowMs: number): boolean {
  const { [SIGNATURE]: signature = "", [TIMESTAMP]: timestamp = "" } = headers;
  const key = keyOf(publicKey);
  if (method !== "POST" || key === undefined || !/^[A-Za-z0-9+/]{86}==$/.test(signature)) return false;
  if (!/^[0-9]{1,12}$/.test(timestamp) || Math.abs(nowMs - Number(timestamp) * 1_000) > WEBHOOK_AGE_MS_MAX)
    return false;
  return verify(null, Buffer.concat([Buffer.from(`${timestamp}|`), body]), key, Buffer.from(signature, "base64"));
}

/** Undefined for 32 bytes that are no key. */
function keyOf(publicKey: string): KeyObject | undefined {
  try {
    const der = Buffer.concat([DER_PREFIX, Buffer.from(publicKey, "base64")]);
    return createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}
