import type { Clock } from "../../../core/clock.ts";
import type { AccountId, ApiKeyId, UserId } from "../../../core/ids.ts";
import { RATE_ENTRIES_MAX, RATE_WINDOW_MS } from "../../../core/limits/control-api/api.ts";
import type { REQUEST_LIMIT_SCOPES } from "../../../core/metrics/control-metrics.ts";
import { ApiError } from "../errors.ts";
import { headerSeconds, TokenBuckets } from "./token-buckets.ts";

/** Requests within RATE_WINDOW_MS. */
export interface RequestLimits {
  /** Also of one person who is signed in. */
  perApiKey: number;
  perAccount: number;
}

/** Whose limit it is, as the headers name it. */
export type RateScope = (typeof REQUEST_LIMIT_SCOPES)[number];

const NAMES: Readonly<Record<RateScope, string>> = { api_key: "API key", user: "person", account: "account" };

/** Whose request it is: that of an API key, or of a person. */
export type Requester = { accountId: AccountId } & ({ apiKeyId: ApiKeyId } | { userId: UserId });

export interface RateAnswer {
  /** The limit that refuses the request; undefined when it may go on. */
  refused?: ApiError;
  refusedBy?: RateScope;
  /** Of the response, in either case. */
  headers: Readonly<Record<"ratelimit" | "ratelimit-policy", string>>;
}

/**
 * Limits requests by token buckets, one for each API key or person and one for each account: a whole minute's requests may
 * come at once, and come back evenly. The buckets are in the memory of this process. A refused request takes nothing.
 */
export class RequestRates {
  readonly #clock: Clock;
  readonly #limits: Readonly<Record<RateScope, number>>;
  readonly #buckets: Readonly<Record<RateScope, TokenBuckets>>;

  constructor({ perApiKey, perAccount }: RequestLimits, clock: Clock) {
    this.#clock = clock;
    this.#limits = { api_key: perApiKey, user: perApiKey, account: perAccount };
    const options = { windowMs: RATE_WINDOW_MS, bucketsMax: RATE_ENTRIES_MAX };
    this.#buckets = {
      api_key: new TokenBuckets(options),
      user: new TokenBuckets(options),
      account: new TokenBuckets(options),
    };
  }

  /** Counts a request. */
  take(requester: Requester): RateAnswer {
    const nowMs = this.#clock.nowMs();
    const own =
      "apiKeyId" in requester ? (["api_key", requester.apiKeyId] as const) : (["user", requester.userId] as const);
    const limits = [own, ["account", requester.accountId] as const].map(([scope, id]) => ({
      scope,
      id,
      limit: this.#limits[scope],
      buckets: this.#buckets[scope],
    }));
    const refusing = limits.find(({ buckets, id, limit }) => buckets.waitMs(id, limit, nowMs) > 0);
    if (refusing === undefined) for (const { buckets, id, limit } of limits) buckets.take(id, limit, nowMs);
    const states = limits.map(({ scope, id, limit, buckets }) => {
      const { remaining, fullInMs } = buckets.state(id, limit, nowMs);
      return `"${scope}";r=${remaining};t=${headerSeconds(fullInMs)}`;
    });
    const policies = limits.map(({ scope, limit }) => `"${scope}";q=${limit};w=${RATE_WINDOW_MS / 1_000}`);
    const headers = { ratelimit: states.join(", "), "ratelimit-policy": policies.join(", ") };
    if (refusing === undefined) return { headers };
    const { scope, id, limit, buckets } = refusing;
    const retryAfter = Math.max(1, headerSeconds(buckets.waitMs(id, limit, nowMs)));
    const message = `this ${NAMES[scope]} has reached its limit of ${limit} requests a minute`;
    const refused = new ApiError("rate_limited", message, { headers: { "retry-after": String(retryAfter) } });
    return { refused, refusedBy: scope, headers };
  }
}
