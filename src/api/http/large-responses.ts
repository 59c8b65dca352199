import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../core/clock.ts";
import {
  DOWNLOADS_MAX,
  DOWNLOADS_PER_ACCOUNT_MAX,
  DOWNLOADS_PER_CONNECTIONS,
  LARGE_ANSWER_WAIT_MS_MAX,
  LARGE_ANSWERS_MAX,
  LARGE_ANSWERS_PER_ACCOUNT_MAX,
  LARGE_ANSWERS_WAITING_MAX,
  LARGE_ANSWERS_WAITING_PER_ACCOUNT_MAX,
  UNREAD_MS_MIN,
} from "../../core/limits/api.ts";
import { ApiError } from "./errors.ts";
import { onResponseEnd } from "./response-end.ts";

/** What counts answers that did not come to their end. */
export interface ResponseCounter {
  /** One was refused, because one account has too many under way, or all of them have. */
  refused(by: "account" | "service"): void;
  /** One was closed, because its client did not read it while another account waited. */
  closed(): void;
}

/** How many answers of one kind may be under way at once. */
export interface ResponseBounds {
  /** What messages of errors call them. */
  what: string;
  perAccountMax: number;
  max: number;
}

export const LIST_BOUNDS: ResponseBounds = {
  what: "lists",
  perAccountMax: LARGE_ANSWERS_PER_ACCOUNT_MAX,
  max: LARGE_ANSWERS_MAX,
};

/** Downloads of recordings, on a port with so many connections. */
export function downloadBounds(connectionsMax: number): ResponseBounds {
  const max = Math.max(1, Math.min(DOWNLOADS_MAX, Math.floor(connectionsMax / DOWNLOADS_PER_CONNECTIONS)));
  return { what: "downloads", perAccountMax: Math.min(DOWNLOADS_PER_ACCOUNT_MAX, Math.ceil(max / 2)), max };
}

/** An answer that is under way. */
export interface ActiveResponse {
  /** Bytes were handed to its connection: from now on it waits for its reader. */
  written(): void;
  /** It is over. To be called once. */
  end(): void;
}

interface TrackedResponse extends ActiveResponse {
  readonly close: () => void;
  /** Since when it has waited for its reader; undefined while it is made, and once it is being closed. */
  unreadSinceMs: number | undefined;
}

interface WaitingRequest {
  accountId: string;
  begin: () => void;
}

/**
 * Bounds the large answers that are under way at once: from the moment they are made until they have been read, or their client has
 * gone. The next request waits for its turn; the account with the fewest answers under way is next, and of those the one that came first.
 * Where there is no room for a request, the account with the most answers loses the one that has waited longest for its reader.
 */
export class LargeResponses {
  readonly #clock: Clock;
  readonly #counter: ResponseCounter;
  readonly #bounds: ResponseBounds;
  #activeCount = 0;
  readonly #activeByAccount = new Map<string, Set<TrackedResponse>>();
  /** In the order of coming. */
  readonly #waiting = new Set<WaitingRequest>();

  constructor(clock: Clock, count: ResponseCounter, bounds = LIST_BOUNDS) {
    this.#clock = clock;
    this.#counter = count;
    this.#bounds = bounds;
  }

  /**
   * Resolves with the answer when it is its turn; `close` breaks it off. Rejects with ApiError `rate_limited` when the account has too
   * many answers under way and waiting, and with `overloaded` when all accounts together have.
   */
  begin(accountId: string, close: () => void): Promise<ActiveResponse> {
    if (this.#hasRoom(accountId)) return Promise.resolve(this.#start(accountId, close));
    const ofAccount = [...this.#waiting].filter((waiting) => waiting.accountId === accountId).length;
    if (ofAccount >= LARGE_ANSWERS_WAITING_PER_ACCOUNT_MAX || this.#waiting.size >= LARGE_ANSWERS_WAITING_MAX) {
      return Promise.reject(this.#refusal(accountId));
    }
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#clock.after(LARGE_ANSWER_WAIT_MS_MAX, () => {
        this.#waiting.delete(waiting);
        reject(this.#refusal(accountId));
      });
      // What is unread now has been so for long enough then.
      const cancelLook = this.#clock.after(UNREAD_MS_MIN, () => this.#makeRoomFor(accountId));
      const waiting: WaitingRequest = {
        accountId,
        begin: () => {
          cancelTimeout();
          cancelLook();
          resolve(this.#start(accountId, close));
        },
      };
      this.#waiting.add(waiting);
      this.#makeRoomFor(accountId);
    });
  }

  #countOf(accountId: string): number {
    return this.#activeByAccount.get(accountId)?.size ?? 0;
  }

  #hasRoom(accountId: string): boolean {
    return this.#activeCount < this.#bounds.max && this.#isAllowed(accountId);
  }

  #isAllowed(accountId: string): boolean {
    return this.#countOf(accountId) < this.#bounds.perAccountMax;
  }

  #start(accountId: string, close: () => void): ActiveResponse {
    const answers = this.#activeByAccount.get(accountId) ?? new Set();
    const answer: TrackedResponse = {
      close,
      unreadSinceMs: undefined,
      written: () => {
        answer.unreadSinceMs = this.#clock.nowMs();
      },
      end: () => {
        this.#activeCount -= 1;
        answers.delete(answer);
        if (answers.size === 0) this.#activeByAccount.delete(accountId);
        this.#beginNext();
      },
    };
    this.#activeCount += 1;
    this.#activeByAccount.set(accountId, answers.add(answer));
    return answer;
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

  /** Closes one answer of another account, which has more of them than this one, where only that keeps this one waiting. */
  #makeRoomFor(accountId: string): void {
    if (!this.#isAllowed(accountId)) return;
    const untilMs = this.#clock.nowMs() - UNREAD_MS_MIN;
    const isLate = ({ unreadSinceMs = Number.POSITIVE_INFINITY }: TrackedResponse): boolean => unreadSinceMs <= untilMs;
    let most: readonly TrackedResponse[] = [];
    let mostCount = this.#countOf(accountId);
    for (const answers of this.#activeByAccount.values()) {
      if (answers.size <= mostCount) continue;
      const late = [...answers].filter(isLate);
      if (late.length > 0) [most, mostCount] = [late, answers.size];
    }
    const [oldest] = most.toSorted((a, b) => (a.unreadSinceMs ?? 0) - (b.unreadSinceMs ?? 0));
    if (oldest === undefined) return;
    oldest.unreadSinceMs = undefined;
    this.#counter.closed();
    oldest.close();
  }

  #refusal(accountId: string): ApiError {
    const { what } = this.#bounds;
    if (this.#isAllowed(accountId)) {
      this.#counter.refused("service");
      return new ApiError("overloaded", `the service has reached its limit of concurrent ${what}`);
    }
    this.#counter.refused("account");
    return new ApiError("rate_limited", `this account has reached its limit of concurrent ${what}`);
  }
}

/** What the routes with large answers need. */
export interface LargeResponsesDeps {
  largeResponses: LargeResponses;
}

/** How they may fail beside their own ways. */
export const LARGE_RESPONSE_ERRORS = ["rate_limited", "overloaded"] as const;

/** Hooks for routes with large answers, behind the one that knows the account. */
export function largeResponseHooks(answers: LargeResponses) {
  const underWay = new WeakMap<FastifyRequest, ActiveResponse>();
  return {
    preHandler: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { socket } = request.raw;
      const answer = await answers.begin(request.accountId, () => socket.destroy());
      underWay.set(request, answer);
      onResponseEnd(request.raw, reply.raw, () => answer.end());
      // The client has gone while its request waited: nothing is made for it.
      if (socket.destroyed) reply.hijack();
    },
    onSend: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const answer = underWay.get(request);
      if (answer === undefined) return;
      answer.written();
      reply.raw.on("drain", () => answer.written());
    },
  };
}
