import type { SpendAction } from "../core/billing/spend.ts";
import type { EndReason, SpeakReason } from "../core/calls/reasons.ts";
import { addMs, type CallMs, callMs, earliest } from "../core/clocks.ts";
import { REFUSED_TURNS_MAX, SPEND_LIMIT_GOODBYE_MS_MAX } from "../core/limits/accounts/spend.ts";
import { GOODBYE_MS_MAX } from "../core/limits/calls/calls.ts";
import type { Phrases } from "../core/phrases/names.ts";

/** The agent's last words, their speak reason, and the call's end reason. */
export interface Goodbye {
  text: string;
  speakReason: SpeakReason;
  endReason: EndReason;
}

/**
 * How the service ends a call: it says goodbye, then the call ends for the given reason. The first reason is kept.
 * Times are ms of call time.
 */
export class Ending {
  readonly #say: (words: Goodbye) => void;
  #reason: EndReason | undefined;
  #deadlineMs = callMs(Number.POSITIVE_INFINITY);
  /** Consecutive turns that were refused because of a spend limit. */
  #refusedTurns = 0;

  /** `say` replaces the current reply with the last words. */
  constructor(say: (words: Goodbye) => void) {
    this.#say = say;
  }

  /** Why the call is ending; undefined while it is not ending. */
  get reason(): EndReason | undefined {
    return this.#reason;
  }

  /** When the call ends at the latest; Infinity while it is not ending. */
  get deadlineMs(): CallMs {
    return this.#deadlineMs;
  }

  /**
   * Ends the call with a goodbye. A call that is ending already keeps its reason; its deadline can only become earlier.
   */
  sayGoodbye(endReason: EndReason, { goodbye }: Phrases, nowMs: CallMs): void {
    this.#begin({ endReason, text: goodbye, speakReason: "goodbye" }, addMs(nowMs, GOODBYE_MS_MAX));
  }

  /**
   * A spend limit was reached. Returns whether the agent is to say that it cannot answer. Otherwise the call ends,
   * because of `action` or after too many refused turns, or it is ending already.
   */
  limitReached(action: SpendAction, { limit, goodbye }: Phrases, nowMs: CallMs): boolean {
    if (this.#reason !== undefined) return false;
    this.#refusedTurns += 1;
    if (action === "refuse" && this.#refusedTurns < REFUSED_TURNS_MAX) return true;
    this.#begin(
      { endReason: "spend_limit", text: `${limit} ${goodbye}`, speakReason: "limit" },
      addMs(nowMs, SPEND_LIMIT_GOODBYE_MS_MAX),
    );
    return false;
  }

  /** The LLM has answered. */
  answered(): void {
    this.#refusedTurns = 0;
  }

  #begin(words: Goodbye, untilMs: CallMs): void {
    this.#deadlineMs = earliest(this.#deadlineMs, untilMs);
    if (this.#reason !== undefined) return;
    this.#reason = words.endReason;
    this.#say(words);
  }
}
