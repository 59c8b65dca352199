import { createHash, randomBytes } from "node:crypto";

/** The prefix of every API key, by which people and secret scanners recognize one. */
export const API_KEY_PREFIX = "tlk_";
/** How much of an API key may be shown later: its prefix and 48 of its 256 bits. */
export const API_KEY_VISIBLE_CHARS = API_KEY_PREFIX.length + 8;

/** A new API key: the prefix and 32 bytes from the CSPRNG. Shown once; only its hash may be stored. */
export const createApiKey = (): string => API_KEY_PREFIX + randomBytes(32).toString("base64url");

/**
 * The SHA-256 of a token or an API key in lower-case hex. Enough for 256 random bits, which cannot be guessed from it.
 */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");
