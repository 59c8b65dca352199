import { finished } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  LARGE_ANSWER_WAIT_MS_MAX,
  LARGE_ANSWERS_MAX,
  LARGE_ANSWERS_PER_ACCOUNT_MAX,
  LARGE_ANSWERS_WAITING_MAX,
  LARGE_ANSWERS_WAITING_PER_ACCOUNT_MAX,
} from "../core/api-limits.ts";
import type { Clock } from "../core/clock.ts";
import { ApiError } from "./errors.ts";

/** What was too much when an answer was refused: what one account has under way, or what all of them have. */
export type AnswerRefusal = "account" | "service";

interface Waiting {
  accountId: string;
  begin: () => void;
}

/**
 * Bounds the large answers, pages of lists as a rule, that are in memory at once: from the moment they are made until they have
 * been read, or their client has gone. The next request waits for its turn, in the order of coming; an account that has all that
 * it may holds up nobody else.
 */
export class LargeAnswers {
  readonly #clock: Clock;
  readonly #onRefused: (by: AnswerRefusal) => void;
  #underWay = 0;
  readonly #underWayOf = new Map<string, number>();
  /** In the order of coming. */
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock, onRefused: (by: AnswerRefusal) => void) {
    this.#clock = clock;
    this.#onRefused = onRefused;
  }

  /**
   * Resolves with what ends the answer, to be called once, when it is its turn. Rejects with ApiError `rate_limited` when the
   * account has too many answers under way and waiting, and with `overloaded` when all accounts together have.
   */
  begin(accountId: string): Promise<() => void> {
    if (this.#hasRoom(accountId)) return Promise.resolve(this.#take(accountId));
    const ofAccount = [...this.#waiting].filter((waiting) => waiting.accountId === accountId).length;
    if (ofAccount >= LARGE_ANSWERS_WAITING_PER_ACCOUNT_MAX || this.#waiting.size >= LARGE_ANSWERS_WAITING_MAX) {
      return Promise.reject(this.#refusal(accountId));
    }
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(LARGE_ANSWER_WAIT_MS_MAX, () => {
        this.#waiting.delete(waiting);
        reject(this.#refusal(accountId));
      });
      const waiting: Waiting = {
        accountId,
        begin: () => {
          cancel();
          resolve(this.#take(accountId));
        },
      };
      this.#waiting.add(waiting);
    });
  }

  #hasRoom(accountId: string): boolean {
    return this.#underWay < LARGE_ANSWERS_MAX && this.#isAllowed(accountId);
  }

  #isAllowed(accountId: string): boolean {
    return (this.#underWayOf.get(accountId) ?? 0) < LARGE_ANSWERS_PER_ACCOUNT_MAX;
  }

  #take(accountId: string): () => void {
    this.#underWay += 1;
    this.#underWayOf.set(accountId, (this.#underWayOf.get(accountId) ?? 0) + 1);
    return () => {
      this.#underWay -= 1;
      const left = (this.#underWayOf.get(accountId) ?? 1) - 1;
      if (left > 0) this.#underWayOf.set(accountId, left);
      else this.#underWayOf.delete(accountId);
      this.#beginNext();
    };
  }

  #beginNext(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting.accountId)) continue;
      this.#waiting.delete(waiting);
      waiting.begin();
      return;
    }
  }

  #refusal(accountId: string): ApiError {
    if (this.#isAllowed(accountId)) {
      this.#onRefused("service");
      return new ApiError("overloaded", "the service has as many lists under way as it may have at once");
    }
    this.#onRefused("account");
    return new ApiError("rate_limited", "this account has as many lists under way as it may have at once");
  }
}

/** What the routes with large answers need. */
export interface LargeAnswersDeps {
  largeAnswers: LargeAnswers;
}

/** How they may fail beside their own ways. */
export const LARGE_ANSWER_ERRORS = ["rate_limited", "overloaded"] as const;

/** A hook for routes with large answers, behind the one that knows the account. */
export const largeAnswer =
  (answers: LargeAnswers) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const end = await answers.begin(request.accountId);
    // Read, or given up, or given up while it waited: each of them once.
    finished(reply.raw, end);
  };
