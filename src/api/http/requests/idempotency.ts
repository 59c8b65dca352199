import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../../../core/canonical-json.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "../../../core/limits/control-api/api.ts";
import type { IdempotentRequest } from "../../../store/calls/call-store.ts";
import { hashSecret } from "../../../store/secrets.ts";

/** The headers of requests that can be idempotent. */
export const IdempotencyHeaders = z.looseObject({
  "idempotency-key": z
    .string()
    .regex(new RegExp(`^[\\x20-\\x7e]{1,${IDEMPOTENCY_KEY_CHARS_MAX}}$`), {
      error: `must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} printable ASCII characters`,
    })
    .optional()
    .meta({
      description:
        "A unique key for this request, ideally random, so that it can be retried without creating a second call: for 24 hours the same request with the same key and API key returns the first response again. Only created calls are stored; a refused request can be retried. A different request with the same key is 409.",
      examples: ["8e03978e-40d5-43e8-bc93-6894a57f9324"],
    }),
});

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * An idempotent request: one with an Idempotency-Key, so that the client can retry it.
 *
 * The retry is answered with the stream token of the first request, but only the token's SHA-256 may be stored in the clear. So
 * the token is sealed: AES-256-GCM under a key that HKDF-SHA256 (RFC 5869) derives from the text of the request's API key (or session), with
 * the Idempotency-Key as the salt. The store has only hashes of the Idempotency-Key and of the API key, so the data on the disk
 * opens nothing: only a client that sends both again can. The fingerprint that distinguishes bodies is an HMAC under a key
 * derived the same way, so that a guessed prompt cannot be verified against the disk. The price: with another API key of the
 * same account the fingerprint differs, and the request counts as a different one.
 */
export class IdempotencySealer {
  readonly #idempotencyKeyHash: string;
  readonly #fingerprint: string;
  readonly #sealingKey: Uint8Array;

  /** `asked` is the content of the request as JSON; the order of members does not matter. */
  constructor({ name, credential, asked }: { name: string; credential: string; asked: unknown }) {
    const derive = (purpose: string) => new Uint8Array(hkdfSync("sha256", credential, name, purpose, KEY_BYTES));
    this.#idempotencyKeyHash = hashSecret(name);
    this.#fingerprint = createHmac("sha256", derive("trunkline idempotency fingerprint"))
      .update(canonicalJson(asked))
      .digest("hex");
    this.#sealingKey = derive("trunkline idempotency seal");
  }

  /** What the store saves of the request, with the call that it creates. */
  seal(token: string): IdempotentRequest {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#sealingKey, nonce);
    const sealed = Buffer.concat([nonce, cipher.update(token), cipher.final(), cipher.getAuthTag()]);
    return {
      keyHash: this.#idempotencyKeyHash,
      fingerprint: this.#fingerprint,
      sealedToken: sealed.toString("base64url"),
    };
  }

  /** The token that an earlier request with this fingerprint sealed. Throws when another request sealed it, or it was changed. */
  open(sealedToken: string): string {
    const sealed = Buffer.from(sealedToken, "base64url");
    const decipher = createDecipheriv(CIPHER, this.#sealingKey, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const token = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return token.toString();
  }
}
