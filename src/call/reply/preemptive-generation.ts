import type { CallSpec } from "../../core/calls/spec.ts";
import { addMs, type CallMs, callMs, latest } from "../../core/clocks.ts";
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

/** A preemptive generation that is running or complete. */
interface PendingGeneration {
  /** The caller's assumed turn, in plain words, and the number of messages. */
  callerText: string;
  messageCount: number;
  language: string;
}

/**
 * Requests a reply from the LLM before the end of the caller's turn is certain: for `preemptiveMs` there was no speech
 * and, unless the transcript is final, no new word. The reply is used only if the caller's turn ends with the same
 * words, and cancelled otherwise. Times are ms of call time.
 */
export class PreemptiveGeneration {
  readonly #options: PreemptiveGenerationOptions;
  /** What the caller has said and is not answered yet: the transcript, and its plain words. */
  #callerText = "";
  #plainText = "";
  /** Since when those words are unchanged. */
  #unchangedSinceMs = callMs(0);
  #isFinal = false;
  /** Preemptive generations since the caller's turn began. */
  #startCount = 0;
  #pending: PendingGeneration | undefined;

  constructor(options: PreemptiveGenerationOptions) {
    this.#options = options;
  }

  /**
   * Sets what the caller has said so far, or "" while it could not be answered; `isFinal` when no interim words remain.
   */
  update(text: string, isFinal: boolean, nowMs: CallMs): void {
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

  /**
   * When to start, if nothing changes; Infinity for never. `lastSpeechMs` is the time of the last voiced frame, or NaN.
   */
  deadlineMs(lastSpeechMs: CallMs): CallMs {
    const { preemptiveMs } = this.#options.parameters;
    const isBlocked =
      this.#plainText === "" || this.#pending !== undefined || this.#startCount >= PREEMPTIVE_GENERATIONS_PER_TURN_MAX;
    if (preemptiveMs === 0 || isBlocked) return callMs(Number.POSITIVE_INFINITY);
    const quietMs = Number.isNaN(lastSpeechMs) ? callMs(0) : lastSpeechMs;
    if (this.#isFinal) return latest(this.#unchangedSinceMs, addMs(quietMs, preemptiveMs));
    // Transcripts from before the end of speech usually lack the last word: wait for it.
    return this.#unchangedSinceMs > quietMs
      ? addMs(this.#unchangedSinceMs, preemptiveMs)
      : addMs(quietMs, 2 * preemptiveMs);
  }

  /** Starts if it is due. A reply in another language than `language` is cancelled. */
  startIfDue(lastSpeechMs: CallMs, nowMs: CallMs, language: string): void {
    if (this.#pending !== undefined && this.#pending.language !== language) this.cancel();
    if (nowMs < this.deadlineMs(lastSpeechMs)) return;
    const { conversation, sink, spec } = this.#options;
    const messages = conversation.messagesWith(this.#callerText);
    this.#startCount += 1;
    this.#pending = { callerText: plainWords(messages.at(-1)?.text ?? ""), messageCount: messages.length, language };
    sink({ kind: "preemptive-start", messages, tools: describeTools(spec.tools), language });
  }

  /**
   * The caller's turn has ended and `generate-reply` follows: it uses the preemptive reply if the words are the same.
   */
  useOrCancel(language: string): void {
    const messages = this.#options.conversation.messages();
    const { callerText, messageCount: count, language: pendingLanguage } = this.#pending ?? {};
    const isSame = plainWords(messages.at(-1)?.text ?? "") === callerText && messages.length === count;
    if (isSame && pendingLanguage === language) this.#pending = undefined;
    else this.cancel();
  }

  /** Cancels the preemptive generation, if any. */
  cancel(): void {
    if (this.#pending === undefined) return;
    this.#pending = undefined;
    this.#options.sink({ kind: "preemptive-cancel" });
  }
}

/** Words without what an STT adds in a final transcript: capitals, punctuation and spaces of any kind. */
const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
