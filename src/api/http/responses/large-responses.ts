import type { Clock } from "../../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs, monotonicMs } from "../../../core/clocks.ts";
import type { AccountId } from "../../../core/ids.ts";
import {
  DOWNLOADS_MAX,
  DOWNLOADS_PER_ACCOUNT_MAX,
  DOWNLOADS_PER_CONNECTIONS,
  LARGE_RESPONSE_WAIT_MS_MAX,
  LARGE_RESPONSES_MAX,
  LARGE_RESPONSES_PER_ACCOUNT_MAX,
  LARGE_RESPONSES_WAITING_MAX,
  LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX,
  UNREAD_MS_MIN,
} from "../../../core/limits/control-api/api.ts";
import { CORPUS_QUERIES_MAX, CORPUS_QUERIES_PER_ACCOUNT_MAX } from "../../../core/limits/knowledge/retrieval.ts";
import { UPLOADS_MAX, UPLOADS_PER_ACCOUNT_MAX } from "../../../core/limits/transcriptions/transcriptions.ts";
import { ApiError } from "../errors.ts";

/** Counts responses that were not completed. */
export interface ResponseCounter {
  /** A request was refused, because its account or the whole service has reached the limit. */
  refused(by: "account" | "service"): void;
  /** A response was closed, because its client did not read it while another account waited. */
  closed(): void;
}

/** Limits of concurrent responses of one kind. */
export interface ResponseBounds {
  /** The plural noun for error messages. */
  what: string;
  perAccountMax: number;
  max: number;
}

const LIST_BOUNDS: ResponseBounds = {
  what: "lists",
  perAccountMax: LARGE_RESPONSES_PER_ACCOUNT_MAX,
  max: LARGE_RESPONSES_MAX,
};

/** Downloads of recordings, on a port with this many connections. */
export function downloadBounds(connectionsMax: number): ResponseBounds {
  const max = Math.max(1, Math.min(DOWNLOADS_MAX, Math.floor(connectionsMax / DOWNLOADS_PER_CONNECTIONS)));
  return { what: "downloads", perAccountMax: Math.min(DOWNLOADS_PER_ACCOUNT_MAX, Math.ceil(max / 2)), max };
}

/** Uploads of audio. */
export const UPLOAD_BOUNDS: ResponseBounds = {
  what: "uploads",
  perAccountMax: UPLOADS_PER_ACCOUNT_MAX,
  max: UPLOADS_MAX,
};

/** Questions to corpora: calls ask the same process. */
export const CORPUS_QUERY_BOUNDS: ResponseBounds = {
  what: "questions to corpora",
  perAccountMax: CORPUS_QUERIES_PER_ACCOUNT_MAX,
  max: CORPUS_QUERIES_MAX,
};

/** A response in progress. */
export interface ActiveResponse {
  /** Bytes were handed to the connection: from now on the response waits for its reader. */
  written(): void;
  /** The response is over. Must be called once. */
  end(): void;
}

interface TrackedResponse extends ActiveResponse {
  readonly close: () => void;
  /** Since when the response waits for its reader; undefined while it is created, and once it is being closed. */
  unreadSinceMs: MonotonicMs | undefined;
}

interface WaitingRequest {
  accountId: AccountId;
  begin: () => void;
}

/**
 * Bounds the large responses in progress: from their creation until they have been read or their client has disconnected. Further
 * requests wait. The account with the fewest responses is served next, and its oldest request first. When there is no room for a
 * request, the account with the most responses loses the one that has waited longest for its reader.
 */
export class LargeResponses {
  readonly #clock: Clock;
  readonly #counter: ResponseCounter;
  readonly #bounds: ResponseBounds;
  #activeCount = 0;
  readonly #activeByAccount = new Map<AccountId, Set<TrackedResponse>>();
  /** In the order of arrival. */
  readonly #waiting = new Set<WaitingRequest>();

  constructor(clock: Clock, count: ResponseCounter, bounds = LIST_BOUNDS) {
    this.#clock = clock;
    this.#counter = count;
    this.#bounds = bounds;
  }

  /**
   * Resolves with the response when its turn comes; `close` aborts it. Rejects with ApiError `rate_limited` when the account has
   * too many responses in progress and waiting, and with `overloaded` when all accounts together have.
   */
  begin(accountId: AccountId, close: () => void): Promise<ActiveResponse> {
    if (this.#hasRoom(accountId)) return Promise.resolve(this.#start(accountId, close));
    const ofAccount = [...this.#waiting].filter((waiting) => waiting.accountId === accountId).length;
    if (ofAccount >= LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX || this.#waiting.size >= LARGE_RESPONSES_WAITING_MAX) {
      return Promise.reject(this.#refusal(accountId));
    }
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#clock.after(LARGE_RESPONSE_WAIT_MS_MAX, () => {
        this.#waiting.delete(waiting);
        reject(this.#refusal(accountId));
      });
      // By then, every response that is unread now has been unread for long enough.
      const cancelCheck = this.#clock.after(UNREAD_MS_MIN, () => this.#makeRoomFor(accountId));
      const waiting: WaitingRequest = {
        accountId,
        begin: () => {
          cancelTimeout();
          cancelCheck();
          resolve(this.#start(accountId, close));
        },
      };
      this.#waiting.add(waiting);
      this.#makeRoomFor(accountId);
    });
  }

  #countOf(accountId: AccountId): number {
    return this.#activeByAccount.get(accountId)?.size ?? 0;
  }

  #hasRoom(accountId: AccountId): boolean {
    return this.#activeCount < this.#bounds.max && this.#isAllowed(accountId);
  }

  #isAllowed(accountId: AccountId): boolean {
    return this.#countOf(accountId) < this.#bounds.perAccountMax;
  }

  #start(accountId: AccountId, close: () => void): ActiveResponse {
    const responses = this.#activeByAccount.get(accountId) ?? new Set();
    const response: TrackedResponse = {
      close,
      unreadSinceMs: undefined,
      written: () => {
        response.unreadSinceMs = this.#clock.nowMs();
      },
      end: () => {
        this.#activeCount -= 1;
        responses.delete(response);
        if (responses.size === 0) this.#activeByAccount.delete(accountId);
        this.#beginNext();
      },
    };
    this.#activeCount += 1;
    this.#activeByAccount.set(accountId, responses.add(response));
    return response;
  }

  #beginNext(): void {
    let next: WaitingRequest | undefined;
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting.accountId)) continue;
      if (next === undefined || this.#countOf(waiting.accountId) < this.#countOf(next.accountId)) next = waiting;
    }
    if (next === undefined) return;
    this.#waiting.delete(next);
    next.begin();
  }

  /** Closes a response of an account that has more of them than this one, if only the total limit makes this one wait. */
  #makeRoomFor(accountId: AccountId): void {
    if (!this.#isAllowed(accountId)) return;
    const untilMs = addMs(this.#clock.nowMs(), -UNREAD_MS_MIN);
    const isLate = ({ unreadSinceMs = monotonicMs(Number.POSITIVE_INFINITY) }: TrackedResponse): boolean =>
      unreadSinceMs <= untilMs;
    let most: readonly TrackedResponse[] = [];
    let mostCount = this.#countOf(accountId);
    for (const responses of this.#activeByAccount.values()) {
      if (responses.size <= mostCount) continue;
      const late = [...responses].filter(isLate);
      if (late.length > 0) [most, mostCount] = [late, responses.size];
    }
    const [oldest] = most.toSorted((a, b) =>
      elapsedMs(b.unreadSinceMs ?? monotonicMs(0), a.unreadSinceMs ?? monotonicMs(0)),
    );
    if (oldest === undefined) return;
    oldest.unreadSinceMs = undefined;
    this.#counter.closed();
    oldest.close();
  }

  #refusal(accountId: AccountId): ApiError {
    const { what, perAccountMax, max } = this.#bounds;
    if (this.#isAllowed(accountId)) {
      this.#counter.refused("service");
      return new ApiError("overloaded", `the service has reached its limit of ${max} concurrent ${what}`);
    }
    this.#counter.refused("account");
    return new ApiError("rate_limited", `this account has reached its limit of ${perAccountMax} concurrent ${what}`);
  }
}
