import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import { TOKEN_KEY_POLL_MS } from "../../core/limits/service/admission.ts";
import type { Logger } from "../../core/log/logger.ts";
import { mintToken } from "../../core/stream-token.ts";
import { openTokenKeys, type TokenKeys } from "./token-keys.ts";

const bytesOf = (key: string): Uint8Array => Buffer.from(key, "base64url");

export interface TokenSignerOptions {
  dataDir: string;
  clock: Clock;
  log: Logger;
  /** The token keys that workers must accept from now on, base64url. */
  onKeys(keys: readonly string[]): void;
}

/**
 * Signs new tokens with the current key and follows rotations. Workers get a new key at once; it signs from the next
 * poll on, so that no worker meets a token before its key.
 */
export class TokenSigner {
  readonly #options: TokenSignerOptions;
  /** The file's contents at the last poll. */
  #keys: TokenKeys;
  #signingKey: string;

  /** Throws as `openTokenKeys` does. */
  constructor(options: TokenSignerOptions) {
    this.#options = options;
    this.#keys = openTokenKeys(options.dataDir);
    this.#signingKey = this.#keys.current;
    this.#pollRepeatedly();
  }

  /** A new stream token; only its hash may be stored. */
  mint(): string {
    return mintToken(bytesOf(this.#signingKey));
  }

  /** The keys that workers must accept now: the signing one, the current one and the previous one. */
  get accepted(): readonly string[] {
    const { current, previous } = this.#keys;
    return [...new Set([current, ...(previous === undefined ? [] : [previous]), this.#signingKey])];
  }

  #pollRepeatedly(): void {
    const { dataDir, clock, log, onKeys } = this.#options;
    clock.after(TOKEN_KEY_POLL_MS, () => {
      const before = this.accepted.join();
      this.#signingKey = this.#keys.current;
      try {
        this.#keys = openTokenKeys(dataDir);
      } catch (error) {
        log.error({ err: error, code: codeOf(error) }, "token keys could not be read");
      }
      if (this.#keys.current !== this.#signingKey) log.info("token key rotated");
      if (this.accepted.join() !== before) onKeys(this.accepted);
      this.#pollRepeatedly();
    });
  }
}
