import type { SpendAction } from "../core/billing/spend.ts";
import type { EndReason, SpeakReason } from "../core/calls/spec.ts";
import { GOODBYE_MS_MAX } from "../core/limits/calls.ts";
import { REFUSED_TURNS_MAX, SPEND_LIMIT_GOODBYE_MS_MAX } from "../core/limits/spend.ts";
import type { Phrases } from "../core/phrases/phrases.ts";

/** What the agent says last, why, and what the call then ends for. */
export interface Goodbye {
  text: string;
  speakReason: SpeakReason;
  endReason: EndReason;
}

/**
 * How the service ends a call: with a goodbye, after which the call ends for the reason that it was asked to. The first reason wins.
 * Times are ms of call time.
 */
export class Ending {
  readonly #say: (words: Goodbye) => void;
  #reason: EndReason | undefined;
  #deadlineMs = Number.POSITIVE_INFINITY;
  /** Turns in a row that were refused because of a spend limit. */
  #refusedTurns = 0;

  /** `say` has the agent say the last words in place of whatever it says or does. */
  constructor(say: (words: Goodbye) => void) {
    this.#say = say;
  }

  /** Why the call ends; undefined while it does not. */
  get reason(): EndReason | undefined {
    return this.#reason;
  }

  /** The call ends then at the latest; Infinity while it does not end. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** The call is to end with a goodbye. One that is ending already waits no longer than for that. */
  sayGoodbye(endReason: EndReason, { goodbye }: Phrases, nowMs: number): void {
    this.#begin({ endReason, text: goodbye, speakReason: "goodbye" }, nowMs + GOODBYE_MS_MAX);
  }

  /**
   * A spend limit was reached. Whether the agent is to say that it cannot answer; otherwise the call ends, by `action` or because it
   * is one refused turn too many, or is ending.
   */
  limitReached(action: SpendAction, { limit, goodbye }: Phrases, nowMs: number): boolean {
    if (this.#reason !== undefined) return false;
    this.#refusedTurns += 1;
    if (action === "refuse" && this.#refusedTurns < REFUSED_TURNS_MAX) return true;
    this.#begin(
      { endReason: "spend_limit", text: `${limit} ${goodbye}`, speakReason: "limit" },
      nowMs + SPEND_LIMIT_GOODBYE_MS_MAX,
    );
    return false;
  }

  /** The model has answered. */
  answered(): void {
    this.#refusedTurns = 0;
  }

  #begin(words: Goodbye, untilMs: number): void {
    this.#deadlineMs = Math.min(this.#deadlineMs, untilMs);
    if (this.#reason !== undefined) return;
    this.#reason = words.endReason;
    this.#say(words);
  }
}
