import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { TOKEN_CHARS, TOKEN_RANDOM_BYTES, TOKEN_TAG_BYTES } from "./limits/service/admission.ts";

const TOKEN_PATTERN = new RegExp(`^[A-Za-z0-9_-]{${TOKEN_CHARS}}$`);
/** What a token is for: a new stream, the next connection of a call, or listening to one. They separate the HMACs from each other. */
const PURPOSES = {
  stream: "trunkline stream token\0",
  resume: "trunkline resume token\0",
  listen: "trunkline listen token\0",
} as const;
export type TokenPurpose = keyof typeof PURPOSES;

/** A new token: 32 bytes from the CSPRNG and their HMAC under `key`, as base64url. Only its hash may be stored. */
export function mintToken(key: Uint8Array, purpose: TokenPurpose = "stream"): string {
  const random = randomBytes(TOKEN_RANDOM_BYTES);
  return Buffer.concat([random, tagOf(random, key, purpose)]).toString("base64url");
}

/**
 * Whether a token was signed with one of these keys. Forged tokens are refused by this check, without IPC and database; whether a
 * signed token is still valid only the store knows. All keys are tried, also after a match, so that the time reveals nothing.
 */
export function isSignedToken(token: string, keys: readonly Uint8Array[], purpose: TokenPurpose = "stream"): boolean {
  if (!TOKEN_PATTERN.test(token)) return false;
  const bytes = Buffer.from(token, "base64url");
  const [random, tag] = [bytes.subarray(0, TOKEN_RANDOM_BYTES), bytes.subarray(TOKEN_RANDOM_BYTES)];
  let isSigned = false;
  for (const key of keys) if (timingSafeEqual(tag, tagOf(random, key, purpose))) isSigned = true;
  return isSigned;
}

const tagOf = (random: Uint8Array, key: Uint8Array, purpose: TokenPurpose): Buffer =>
  createHmac("sha256", key).update(PURPOSES[purpose]).update(random).digest().subarray(0, TOKEN_TAG_BYTES);
