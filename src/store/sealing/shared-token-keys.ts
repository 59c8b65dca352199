import { createHmac } from "node:crypto";
import { mintToken } from "../../core/stream-token.ts";
import type { Keyring, SealingKey } from "./seal.ts";

const PURPOSE = "trunkline stream tokens";

/**
 * Signs stream tokens with keys that all nodes of a cluster know, because they follow from SECRETS_KEY: so a token is valid at whatever
 * node its stream reaches. A new SECRETS_KEY is given to all nodes as an earlier key first, and put in front when all of them have it.
 */
export class SharedTokenSigner {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]];

  constructor({ keys: [current, ...others] }: Pick<Keyring, "keys">) {
    this.#keys = [tokenKeyOf(current), ...others.map(tokenKeyOf)];
  }

  /** A new stream token; only its hash may be stored. */
  mint(): string {
    return mintToken(this.#keys[0]);
  }

  /** The keys that workers must accept, base64url. */
  get accepted(): readonly string[] {
    return this.#keys.map((key) => Buffer.from(key).toString("base64url"));
  }
}

const tokenKeyOf = ({ bytes }: SealingKey): Uint8Array => createHmac("sha256", bytes).update(PURPOSE).digest();
