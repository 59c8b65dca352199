import { createHash, randomBytes } from "node:crypto";

/** The prefix of every API key, by which people and secret scanners recognize one. */
export const API_KEY_PREFIX = "tlk_";
/** How much of an API key may be shown later: its prefix and 48 of its 256 bits. */
export const API_KEY_VISIBLE_CHARS = API_KEY_PREFIX.length + 8;

/** A new API key: the prefix and 32 bytes from the CSPRNG. Shown once; only its hash may be stored. */
export const createApiKey = (): string => API_KEY_PREFIX + randomBytes(32).toString("base64url");

/** The prefix of every publishable key. */
export const PUBLISHABLE_KEY_PREFIX = "pk_";

/**
 * A new publishable key. It is no secret, because pages show it, but that of an unknown page cannot be
 * guessed.
 */
export const createPublishableKey = (): string => PUBLISHABLE_KEY_PREFIX + randomBytes(32).toString("base64url");

/**
 * The SHA-256 of a token or an API key in lower-case hex. Enough for 256 random bits, which cannot be guessed from it.
 */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** The prefixes of what people carry, by which secret scanners recognize them: sessions, browsers, one-time links. */
const USER_SECRET_PREFIXES = { session: "tls_", device: "tld_", link: "tll_" } as const;

/** A new secret of a person: its prefix and 32 bytes from the CSPRNG. Only its hash may be stored. */
export const createUserSecret = (kind: keyof typeof USER_SECRET_PREFIXES): string =>
  USER_SECRET_PREFIXES[kind] + randomBytes(32).toString("base64url");

/** The prefixes of what the operator's browser carries: the owner link, and the page that it opens. */
const OWNER_SECRET_PREFIXES = { link: "tlo_", page: "tlp_" } as const;
export type OwnerSecretKind = keyof typeof OWNER_SECRET_PREFIXES;

/** A new secret of the operator's browser: its prefix and 32 bytes from the CSPRNG. Only its hash may be stored. */
export const createOwnerSecret = (kind: OwnerSecretKind): string =>
  OWNER_SECRET_PREFIXES[kind] + randomBytes(32).toString("base64url");
