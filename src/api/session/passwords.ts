import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import {
  PASSWORDS_OF_ONE_MAX,
  PASSWORDS_WAITING_MAX,
  SCRYPT_LOG_N,
  SCRYPT_P,
  SCRYPT_R,
} from "../../core/limits/accounts/people.ts";
import { ApiError } from "../http/errors.ts";

/**
 * Requests whose passwords are hashed one at a time: `known` are those with a session, with a one-time link or from a browser
 * that has signed in before, `unknown` all others. So guessing never keeps known people waiting.
 */
export type PasswordLane = "unknown" | "known";

/** Whose password is hashed: in which lane, and the name of the person, the browser or the address in it. */
export interface Hasher {
  lane: PasswordLane;
  name: string;
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** scrypt needs a little more than 128 * N * r bytes. */
const MEMORY_MARGIN = 1.25;
const TEXT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

interface Cost {
  logN: number;
  r: number;
  p: number;
}

/**
 * Hashes passwords by scrypt, on threads of libuv and with bounded memory: one password a lane at a time, and a bounded number
 * that wait. A hash is stored as `$scrypt$ln=17,r=8,p=1$salt$hash`, and is compared by the parameters in its text.
 */
export class Passwords {
  readonly #cost: Cost;
  readonly #lanes: Readonly<Record<PasswordLane, Lane>> = { unknown: new Lane(), known: new Lane() };
  /** Compared with where there is no hash, so that the answer takes the same time. No password has it. */
  readonly #noHash: string;

  /** `logN` is less than the default in tests alone. */
  constructor({ logN = SCRYPT_LOG_N }: { logN?: number } = {}) {
    this.#cost = { logN, r: SCRYPT_R, p: SCRYPT_P };
    this.#noHash = textOf(this.#cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
  }

  /** The text of a new hash. Throws ApiError `overloaded` where too many wait, `rate_limited` where too many of one do. */
  async hash(password: string, { lane, name }: Hasher): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return textOf(this.#cost, salt, await this.#lanes[lane].run(name, () => derive(password, salt, this.#cost)));
  }

  /**
   * Whether a password has this hash; false, after the same time, without a hash. Throws ApiError `overloaded` where too
   * many wait, `rate_limited` where too many of one do.
   */
  async matches(password: string, hash: string | undefined, { lane, name }: Hasher): Promise<boolean> {
    const { cost, salt, expected } = partsOf(hash ?? this.#noHash);
    const derived = await this.#lanes[lane].run(name, () => derive(password, salt, cost));
    return timingSafeEqual(derived, expected);
  }
}

/** Runs one task at a time. */
class Lane {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  readonly #waitingOf = new Map<string, number>();

  /** `name` is whose task it is. */
  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const waitingOfOne = this.#waitingOf.get(name) ?? 0;
    if (waitingOfOne >= PASSWORDS_OF_ONE_MAX) {
      const headers = { "retry-after": "1" };
      throw new ApiError("rate_limited", "passwords of yours are being checked at present", { headers });
    }
    if (this.#waiting > PASSWORDS_WAITING_MAX) {
      throw new ApiError("overloaded", "too many passwords are being checked at present");
    }
    this.#waiting += 1;
    this.#waitingOf.set(name, waitingOfOne + 1);
    const result = this.#last.then(task);
    this.#last = result.catch(() => {});
    try {
      return await result;
    } finally {
      this.#waiting -= 1;
      const left = (this.#waitingOf.get(name) ?? 1) - 1;
      if (left > 0) this.#waitingOf.set(name, left);
      else this.#waitingOf.delete(name);
    }
  }
}

/** Equal characters in different encodings are the same password (NIST SP 800-63B, section 3.1.1.2). */
const derive = (password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const N = 2 ** logN;
    const maxmem = MEMORY_MARGIN * 128 * N * r;
    scrypt(password.normalize("NFKC"), salt, HASH_BYTES, { N, r, p, maxmem }, (error, derived) => {
      if (error === null) resolve(derived);
      else reject(error);
    });
  });

const textOf = ({ logN, r, p }: Cost, salt: Buffer, hash: Buffer): string =>
  `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString("base64url")}$${hash.toString("base64url")}`;

function partsOf(text: string): { cost: Cost; salt: Buffer; expected: Buffer } {
  const [, logN, r, p, salt, hash] = TEXT.exec(text) ?? [];
  if (salt === undefined || hash === undefined) throw new Error("a password's hash cannot be read");
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64url"),
    expected: Buffer.from(hash, "base64url"),
  };
}
