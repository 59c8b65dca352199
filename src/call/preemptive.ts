import type { CallSpec } from "../core/call-spec.ts";
import { ASKED_AHEAD_MAX } from "../core/limits.ts";
import type { Conversation } from "./conversation.ts";
import type { CallSink } from "./events.ts";
import type { TurnParameters } from "./parameters.ts";
import { describeTools } from "./tools.ts";

export interface PreemptiveOptions {
  spec: CallSpec;
  parameters: Readonly<TurnParameters>;
  conversation: Conversation;
  sink: CallSink;
}

/** What the model was asked ahead. */
interface Guess {
  /** What the caller was taken to say, in plain words, and to have said before. */
  asked: string;
  messages: number;
  language: string;
}

/**
 * Asks the model for an answer while it is not certain yet that the caller is done: no voice was heard for `preemptiveMs`, nor a word,
 * unless the ear is sure already. Nothing comes of that answer until the caller's turn is over; it is kept if the caller has said by then
 * what it answers, and dropped if not. Times are ms of call time.
 */
export class Preemptive {
  readonly #options: PreemptiveOptions;
  /** What the caller has said and nobody answers yet, as it was told and in plain words. */
  #said = "";
  #plain = "";
  /** Since when those words have stood. */
  #sinceMs = 0;
  #isFinal = false;
  /** How often the model was asked ahead since the caller began. */
  #asks = 0;
  #guess: Guess | undefined;

  constructor(options: PreemptiveOptions) {
    this.#options = options;
  }

  /** What the caller has said up to now, if it could be answered now, or nothing; `isFinal` when the ear is sure of all of it. */
  hears(said: string, isFinal: boolean, nowMs: number): void {
    this.#isFinal = isFinal;
    if (said === this.#said) return;
    this.#said = said;
    const plain = plainWords(said);
    if (plain === this.#plain) return;
    this.#plain = plain;
    this.#sinceMs = nowMs;
    if (plain === "") this.#asks = 0;
    this.drop();
  }

  /** When the model is to be asked, if nothing changes; Infinity for never. `voicedMs` is when voice was heard last, or NaN. */
  deadlineMs(voicedMs: number): number {
    const { preemptiveMs } = this.#options.parameters;
    const isPast = this.#plain === "" || this.#guess !== undefined || this.#asks >= ASKED_AHEAD_MAX;
    if (preemptiveMs === 0 || isPast) return Number.POSITIVE_INFINITY;
    const quietMs = Number.isNaN(voicedMs) ? 0 : voicedMs;
    if (this.#isFinal) return Math.max(this.#sinceMs, quietMs + preemptiveMs);
    // Words that were told before the voice ended lack the last one, as a rule: that may still come.
    return this.#sinceMs > quietMs ? this.#sinceMs + preemptiveMs : quietMs + 2 * preemptiveMs;
  }

  /** Asks, if it is time to. An answer in another language than `language` is not wanted any more. */
  attend(voicedMs: number, nowMs: number, language: string): void {
    if (this.#guess !== undefined && this.#guess.language !== language) this.drop();
    if (nowMs < this.deadlineMs(voicedMs)) return;
    const { conversation, sink, spec } = this.#options;
    const messages = conversation.messagesWith(this.#said);
    this.#asks += 1;
    this.#guess = { asked: plainWords(messages.at(-1)?.text ?? ""), messages: messages.length, language };
    sink({ kind: "ask-ahead", messages, tools: describeTools(spec.tools), language });
  }

  /** The caller's turn is over, and the model is asked in earnest: what it was asked ahead is kept only if that is the same. */
  settle(language: string): void {
    const messages = this.#options.conversation.messages();
    const { asked, messages: count, language: spoken } = this.#guess ?? {};
    const isSame = plainWords(messages.at(-1)?.text ?? "") === asked && messages.length === count;
    if (isSame && spoken === language) this.#guess = undefined;
    else this.drop();
  }

  /** Whatever was asked ahead is not wanted. */
  drop(): void {
    if (this.#guess === undefined) return;
    this.#guess = undefined;
    this.#options.sink({ kind: "forget-ahead" });
  }
}

/** Words without what an ear adds to them once it is sure: capitals, punctuation, and blanks of any kind. */
const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
