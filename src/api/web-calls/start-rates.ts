import type { Clock } from "../../core/clock.ts";
import { START_BUCKETS_MAX, STARTS_WINDOW_MS } from "../../core/limits/accounts/web-calls.ts";
import type { PublishableKey } from "../../store/accounts/publishable-key-store.ts";
import { headerSeconds, TokenBuckets } from "../http/access/token-buckets.ts";
import { ApiError } from "../http/errors.ts";

/** Which limit of starts a minute is reached. `addresses_full`: too many addresses have started calls within a minute. */
export type StartRefusal = "starts" | "starts_of_address" | "addresses_full";

export interface StartAnswer {
  refused?: ApiError;
  refusedBy?: StartRefusal;
  /** Of the response, in either case. */
  headers: Readonly<Record<"ratelimit" | "ratelimit-policy", string>>;
}

/**
 * Limits how often calls are started with a publishable key, and from one address. The buckets are in the memory of this
 * process. A refused start takes nothing, so an address at its limit takes nothing from the publishable key. Forgetting
 * a bucket would give its address a new minute: when there is no room for another address, that address is refused.
 */
export class StartRates {
  readonly #clock: Clock;
  readonly #ofKeys: TokenBuckets;
  readonly #ofAddresses: TokenBuckets;

  constructor({ clock, bucketsMax = START_BUCKETS_MAX }: { clock: Clock; bucketsMax?: number }) {
    this.#clock = clock;
    this.#ofKeys = new TokenBuckets({ windowMs: STARTS_WINDOW_MS, bucketsMax });
    this.#ofAddresses = new TokenBuckets({ windowMs: STARTS_WINDOW_MS, bucketsMax });
  }

  /** Counts a start. `address` is a group of addresses; see `addressGroup`. */
  take({ id, limits }: Pick<PublishableKey, "id" | "limits">, address: string): StartAnswer {
    const nowMs = this.#clock.nowMs();
    const scopes = [
      {
        name: "publishable_key",
        refusal: "starts",
        buckets: this.#ofKeys,
        of: id as string,
        limit: limits.startsPerMinute,
      },
      {
        name: "address",
        refusal: "starts_of_address",
        buckets: this.#ofAddresses,
        of: `${id} ${address}`,
        limit: limits.startsPerMinutePerAddress,
      },
    ] as const;
    const [full] = scopes.filter(({ buckets, of }) => !buckets.hasRoomFor(of, nowMs));
    const over = scopes.find(({ buckets, of, limit }) => buckets.waitMs(of, limit, nowMs) > 0);
    if (over === undefined && full === undefined) {
      for (const { buckets, of, limit } of scopes) buckets.take(of, limit, nowMs);
    }
    const states = scopes.map(({ name, buckets, of, limit }) => {
      const { remaining, fullInMs } = buckets.state(of, limit, nowMs);
      return `"${name}";r=${remaining};t=${headerSeconds(fullInMs)}`;
    });
    const windowS = STARTS_WINDOW_MS / 1_000;
    const policy = scopes.map(({ name, limit }) => `"${name}";q=${limit};w=${windowS}`);
    const headers = { ratelimit: states.join(", "), "ratelimit-policy": policy.join(", ") };
    if (over !== undefined) {
      const retryAfter = Math.max(1, headerSeconds(over.buckets.waitMs(over.of, over.limit, nowMs)));
      const whose = over.name === "address" ? "this address" : "this publishable key";
      const message = `${whose} has reached its limit of ${over.limit} starts a minute`;
      return { refused: limited(message, retryAfter), refusedBy: over.refusal, headers };
    }
    if (full === undefined) return { headers };
    const message = "too many addresses have started calls within the last minute";
    return { refused: limited(message, windowS), refusedBy: "addresses_full", headers };
  }
}

const limited = (message: string, retryAfterS: number): ApiError =>
  new ApiError("rate_limited", message, { headers: { "retry-after": String(retryAfterS) } });
