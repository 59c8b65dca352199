import { TOKEN_CHARS } from "../../core/limits/service/admission.ts";
import { isSignedToken, mintToken, type TokenPurpose } from "../../core/stream-token.ts";

/** The name of a worker within its service, in hexadecimal digits. */
export const WORKER_TAG_CHARS = 16;
const WORKER_TAG = new RegExp(`^[0-9a-f]{${WORKER_TAG_CHARS}}$`);

/** Tokens that name the worker that issues them, so that another worker that gets one knows where to ask. */
export class WorkerTokens {
  readonly #prefix: string;
  readonly #purpose: TokenPurpose;

  /** `prefix` distinguishes them from the tokens of new streams, in the path. */
  constructor(prefix: string, purpose: TokenPurpose) {
    this.#prefix = prefix;
    this.#purpose = purpose;
  }

  get #headChars(): number {
    return this.#prefix.length + WORKER_TAG_CHARS;
  }

  /** Whether this token is one of them, if it is valid. By its length, too: one of 4,096 tokens of a stream begins like it. */
  has(token: string): boolean {
    return token.startsWith(this.#prefix) && token.length === this.#headChars + TOKEN_CHARS;
  }

  mint(workerTag: string, key: Uint8Array): string {
    return this.#prefix + workerTag + mintToken(key, this.#purpose);
  }

  /** The worker that a token names; undefined where the service has not signed it. */
  workerTagOf(token: string, keys: readonly Uint8Array[]): string | undefined {
    const workerTag = token.slice(this.#prefix.length, this.#headChars);
    const isSigned = isSignedToken(token.slice(this.#headChars), keys, this.#purpose);
    return WORKER_TAG.test(workerTag) && isSigned ? workerTag : undefined;
  }
}
