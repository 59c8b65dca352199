import type { CallSpec } from "../../core/calls/spec.ts";
import { PREEMPTIVE_GENERATIONS_PER_TURN_MAX } from "../../core/limits/calls.ts";
import type { Conversation } from "../conversation.ts";
import type { CallSink } from "../events.ts";
import type { TurnParameters } from "../parameters.ts";
import { describeTools } from "../tools/plan.ts";

export interface PreemptiveGenerationOptions {
  spec: CallSpec;
  parameters: Readonly<TurnParameters>;
  conversation: Conversation;
  sink: CallSink;
}

/** What the model was asked ahead. */
interface PendingGeneration {
  /** What the caller was taken to say, in plain words, and to have said before. */
  callerText: string;
  messageCount: number;
  language: string;
}

/**
 * Asks the model for an answer while it is not certain yet that the caller is done: no voice was heard for `preemptiveMs`, nor a word,
 * unless the ear is sure already. Nothing comes of that answer until the caller's turn is over; it is kept if the caller has said by then
 * what it answers, and dropped if not. Times are ms of call time.
 */
export class PreemptiveGeneration {
  readonly #options: PreemptiveGenerationOptions;
  /** What the caller has said and nobody answers yet, as it was told and in plain words. */
  #callerText = "";
  #plainText = "";
  /** Since when those words have stood. */
  #unchangedSinceMs = 0;
  #isFinal = false;
  /** How often the model was asked ahead since the caller began. */
  #startCount = 0;
  #pending: PendingGeneration | undefined;

  constructor(options: PreemptiveGenerationOptions) {
    this.#options = options;
  }

  /** What the caller has said up to now, if it could be answered now, or nothing; `isFinal` when the ear is sure of all of it. */
  update(text: string, isFinal: boolean, nowMs: number): void {
    this.#isFinal = isFinal;
    if (text === this.#callerText) return;
    this.#callerText = text;
    const plain = plainWords(text);
    if (plain === this.#plainText) return;
    this.#plainText = plain;
    this.#unchangedSinceMs = nowMs;
    if (plain === "") this.#startCount = 0;
    this.cancel();
  }

  /** When the model is to be asked, if nothing changes; Infinity for never. `lastSpeechMs` is when voice was heard last, or NaN. */
  deadlineMs(lastSpeechMs: number): number {
    const { preemptiveMs } = this.#options.parameters;
    const isBlocked =
      this.#plainText === "" || this.#pending !== undefined || this.#startCount >= PREEMPTIVE_GENERATIONS_PER_TURN_MAX;
    if (preemptiveMs === 0 || isBlocked) return Number.POSITIVE_INFINITY;
    const quietMs = Number.isNaN(lastSpeechMs) ? 0 : lastSpeechMs;
    if (this.#isFinal) return Math.max(this.#unchangedSinceMs, quietMs + preemptiveMs);
    // Words that were told before the voice ended lack the last one, as a rule: that may still come.
    return this.#unchangedSinceMs > quietMs ? this.#unchangedSinceMs + preemptiveMs : quietMs + 2 * preemptiveMs;
  }

  /** Asks, if it is time to. An answer in another language than `language` is not wanted any more. */
  startIfDue(lastSpeechMs: number, nowMs: number, language: string): void {
    if (this.#pending !== undefined && this.#pending.language !== language) this.cancel();
    if (nowMs < this.deadlineMs(lastSpeechMs)) return;
    const { conversation, sink, spec } = this.#options;
    const messages = conversation.messagesWith(this.#callerText);
    this.#startCount += 1;
    this.#pending = { callerText: plainWords(messages.at(-1)?.text ?? ""), messageCount: messages.length, language };
    sink({ kind: "preemptive-start", messages, tools: describeTools(spec.tools), language });
  }

  /** The caller's turn is over, and the model is asked in earnest: what it was asked ahead is kept only if that is the same. */
  useOrCancel(language: string): void {
    const messages = this.#options.conversation.messages();
    const { callerText, messageCount: count, language: pendingLanguage } = this.#pending ?? {};
    const isSame = plainWords(messages.at(-1)?.text ?? "") === callerText && messages.length === count;
    if (isSame && pendingLanguage === language) this.#pending = undefined;
    else this.cancel();
  }

  /** Whatever was asked ahead is not wanted. */
  cancel(): void {
    if (this.#pending === undefined) return;
    this.#pending = undefined;
    this.#options.sink({ kind: "preemptive-cancel" });
  }
}

/** Words without what an ear adds to them once it is sure: capitals, punctuation, and blanks of any kind. */
const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
