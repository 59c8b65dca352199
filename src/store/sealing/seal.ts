import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { codeOf, TrunklineError } from "../../core/errors.ts";

/** AES-256-GCM (NIST SP 800-38D): a key of 32 bytes, a nonce of 12 and a tag of 16. */
const CIPHER = "aes-256-gcm";
export const SEALING_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = "v1";

/** The place of a sealed text. One that is copied to another row or column cannot be opened there. */
export interface SealedPlace {
  table: string;
  rowId: string;
  column: string;
}

/** A key with its id, which is no secret. */
export interface SealingKey {
  id: string;
  bytes: Uint8Array;
}

/** The id of a key: enough of a hash to tell the keys of one service apart. */
export const sealingKeyOf = (bytes: Uint8Array): SealingKey => ({
  id: createHash("sha256").update("trunkline sealing key").update(bytes).digest("hex").slice(0, 12),
  bytes,
});

/** The keys of a service: new texts are sealed with the first, and texts of any of them can be opened. */
export class Keyring {
  readonly current: SealingKey;
  readonly #keys: ReadonlyMap<string, SealingKey>;

  constructor([current, ...previous]: readonly [SealingKey, ...SealingKey[]]) {
    this.current = current;
    this.#keys = new Map([current, ...previous].map((key) => [key.id, key]));
  }

  /** All keys, the current one first. */
  get keys(): readonly [SealingKey, ...SealingKey[]] {
    return [this.current, ...[...this.#keys.values()].filter(({ id }) => id !== this.current.id)];
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Seals a text for its place: `v1.<key id>.<nonce>.<ciphertext and tag>`. */
  seal(text: string, place: SealedPlace): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.current.bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(contextOf(place));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, this.current.id, nonce.toString("base64url"), sealed.toString("base64url")].join(".");
  }

  /** Opens what `seal` gave for the same place. Throws `unsealable` for anything else, also without its key. */
  open(sealed: string, place: SealedPlace): string {
    const [version, keyId = "", nonce = "", data = ""] = sealed.split(".");
    const key = this.#keys.get(keyId);
    if (version !== VERSION || key === undefined) throw unsealable(place, `its key ${keyId} is missing`);
    const bytes = Buffer.from(data, "base64url");
    try {
      const decipher = createDecipheriv(CIPHER, key.bytes, Buffer.from(nonce, "base64url"), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(contextOf(place));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    } catch (error) {
      throw unsealable(place, "it was changed, or belongs elsewhere", error);
    }
  }
}

/** The id of the key that a text is sealed with. */
export const keyIdOf = (sealed: string): string => sealed.split(".")[1] ?? "";

const contextOf = ({ table, rowId, column }: SealedPlace): Uint8Array =>
  Buffer.from(JSON.stringify([table, rowId, column]));

const unsealable = ({ table, rowId, column }: SealedPlace, reason: string, cause?: unknown): TrunklineError =>
  new TrunklineError("unsealable", "service", `${column} of ${rowId} in ${table} cannot be opened: ${reason}`, {
    cause,
  });

/** The value of `work`, or the error `unsealable` where something cannot be opened. */
export function valueOrUnsealable<T>(work: () => T): T | TrunklineError {
  try {
    return work();
  } catch (error) {
    if (codeOf(error) === "unsealable" && error instanceof TrunklineError) return error;
    throw error;
  }
}
