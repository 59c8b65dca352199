import type { Clock } from "../../core/clock.ts";
import type { MonotonicMs } from "../../core/clocks.ts";
import {
  ATTEMPT_ENTRIES_MAX,
  ATTEMPTS_PER_ADDRESS,
  ATTEMPTS_PER_DEVICE,
  ATTEMPTS_PER_EMAIL,
  ATTEMPTS_PER_PAIR,
} from "../../core/limits/accounts/people.ts";
import { addressGroup } from "../../core/network/client-address.ts";
import { TokenBuckets } from "../http/access/token-buckets.ts";
import { ApiError } from "../http/errors.ts";

/** An attempt that may be made; to be called when the password was right. */
export interface Attempt {
  succeeded: () => void;
}

/** After this some of the buckets are full again. */
const NO_ROOM_MS = 60_000;

type Limit = readonly [buckets: AttemptLimit, name: string];

/**
 * Slows the guessing of passwords. An attempt takes a token of its email at its address, of its address, and of its email;
 * one that is refused takes none, so that one address cannot use up the tokens of an email for the others. A right password
 * gives the tokens back. A browser that the person has signed in with before has tokens of its own and needs no others: so
 * the person gets in while their email is attacked from many addresses. The buckets are in the memory of this process, and
 * their number is limited.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #pairs = new AttemptLimit(ATTEMPTS_PER_PAIR);
  readonly #addresses = new AttemptLimit(ATTEMPTS_PER_ADDRESS);
  readonly #emails = new AttemptLimit(ATTEMPTS_PER_EMAIL);
  readonly #devices = new AttemptLimit(ATTEMPTS_PER_DEVICE);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many buckets are held in all. */
  get size(): number {
    return this.#pairs.size + this.#addresses.size + this.#emails.size + this.#devices.size;
  }

  /** By a browser that nothing is known of. Throws ApiError `rate_limited`. */
  begin(email: string, address: string): Attempt {
    const network = addressGroup(address);
    return this.#take([
      [this.#pairs, `${network} ${email}`],
      [this.#addresses, network],
      [this.#emails, email],
    ]);
  }

  /** By a browser that has signed in before, or by a person who is signed in; `id` is theirs. Throws ApiError `rate_limited`. */
  beginKnown(id: string): Attempt {
    return this.#take([[this.#devices, id]]);
  }

  #take(limits: readonly Limit[]): Attempt {
    const nowMs = this.#clock.nowMs();
    // Where there is no room for another bucket, one that is not full would be forgotten, and guessing at it begin anew.
    const waitMs = Math.max(
      ...limits.map(([buckets, name]) => (buckets.hasRoomFor(name, nowMs) ? buckets.waitMs(name, nowMs) : NO_ROOM_MS)),
    );
    if (waitMs > 0) {
      throw new ApiError("rate_limited", "there were too many attempts with a wrong password", {
        headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) },
      });
    }
    for (const [buckets, name] of limits) buckets.take(name, nowMs);
    return {
      succeeded: () => {
        const atMs = this.#clock.nowMs();
        for (const [buckets, name] of limits) buckets.giveBack(name, atMs);
      },
    };
  }
}

/** Buckets that hold `capacity` tokens, of which one comes back in each interval. */
class AttemptLimit {
  readonly #capacity: number;
  readonly #buckets: TokenBuckets;

  constructor({ capacity, intervalMs }: { capacity: number; intervalMs: number }) {
    this.#capacity = capacity;
    this.#buckets = new TokenBuckets({ windowMs: capacity * intervalMs, bucketsMax: ATTEMPT_ENTRIES_MAX });
  }

  get size(): number {
    return this.#buckets.size;
  }

  waitMs(name: string, nowMs: MonotonicMs): number {
    return this.#buckets.waitMs(name, this.#capacity, nowMs);
  }

  take(name: string, nowMs: MonotonicMs): void {
    this.#buckets.take(name, this.#capacity, nowMs);
  }

  hasRoomFor(name: string, nowMs: MonotonicMs): boolean {
    return this.#buckets.hasRoomFor(name, nowMs);
  }

  giveBack(name: string, nowMs: MonotonicMs): void {
    this.#buckets.giveBack(name, this.#capacity, nowMs);
  }
}
