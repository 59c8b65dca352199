import type { CallSpec } from "../../core/calls/spec.ts";
import { addMs, type CallMs, callMs, latest } from "../../core/clocks.ts";
import { PREEMPTIVE_GENERATIONS_PER_TURN_MAX } from "../../core/limits/calls/calls.ts";
import { plainWords } from "../../core/text/plain-words.ts";
import type { Conversation } from "../conversation.ts";
import type { CallSink } from "../events.ts";
import type { FoundPassages, TurnRetrieval } from "../knowledge/turn-retrieval.ts";
import type { TurnParameters } from "../parameters.ts";
import { describeTools } from "../tools/plan.ts";
import type { PauseEnd } from "../turn-taking/end-of-turn/pause-end.ts";

/** A pause that ends the turn with this probability is worth a request. */
const PROBABILITY_MIN = 0.5;

export interface PreemptiveGenerationOptions {
  spec: CallSpec;
  parameters: Readonly<TurnParameters>;
  conversation: Conversation;
  /** Undefined where no passages are fetched for the caller's turns. */
  retrieval: TurnRetrieval | undefined;
  sink: CallSink;
}

/** A preemptive generation that is running or complete. */
interface PendingGeneration {
  /** The caller's assumed turn, in plain words, and the number of messages. */
  callerText: string;
  messageCount: number;
  language: string;
  found: FoundPassages | undefined;
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
  /** Preemptive generations in the caller's turn, also where it was answered and taken back; and its number. */
  #startCount = 0;
  #callerTurns = 0;
  #pending: PendingGeneration | undefined;

  constructor(options: PreemptiveGenerationOptions) {
    this.#options = options;
  }

  /**
   * Sets what the caller has said so far, or "" while it could not be answered; `isFinal` when no interim words remain.
   */
  update(text: string, isFinal: boolean, nowMs: CallMs): void {
    const { callerTurns } = this.#options.conversation;
    if (callerTurns !== this.#callerTurns) this.#startCount = 0;
    this.#callerTurns = callerTurns;
    this.#isFinal = isFinal;
    if (text === this.#callerText) return;
    this.#callerText = text;
    const plain = plainWords(text);
    if (plain === this.#plainText) return;
    this.#plainText = plain;
    this.#unchangedSinceMs = nowMs;
    this.cancel();
  }

  /**
   * When to start, if nothing changes; Infinity for never. `lastSpeechMs` is the time of the last voiced frame, or NaN.
   */
  deadlineMs(lastSpeechMs: CallMs): CallMs {
    const { preemptiveMs } = this.#options.parameters;
    if (preemptiveMs === 0 || this.#isBlocked) return callMs(Number.POSITIVE_INFINITY);
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
    if (nowMs >= this.deadlineMs(lastSpeechMs)) this.#start(language);
  }

  /** Starts where the pause probably ends the turn and its words are there; cancels as `startIfDue`. */
  startIfProbable(pause: PauseEnd | undefined, nowMs: CallMs, language: string): void {
    if (this.#pending !== undefined && this.#pending.language !== language) this.cancel();
    if (pause === undefined || this.#isBlocked || nowMs < pause.wordsDueMs) return;
    if (pause.decision.probability >= PROBABILITY_MIN) this.#start(language);
  }

  get #isBlocked(): boolean {
    const { retrieval } = this.#options;
    if (this.#plainText === "" || this.#pending !== undefined) return true;
    // Without its passages it would be another answer than the one that the turn gets.
    return this.#startCount >= PREEMPTIVE_GENERATIONS_PER_TURN_MAX || retrieval?.isUnanswered === true;
  }

  #start(language: string): void {
    const { conversation, retrieval, sink, spec } = this.#options;
    const found = retrieval?.found;
    const messages = conversation.messagesWith(this.#callerText, found?.message);
    const callerText = plainWords(messages.at(-1)?.text ?? "");
    this.#startCount += 1;
    this.#pending = { callerText, messageCount: messages.length, language, found };
    sink({ kind: "preemptive-start", messages, tools: describeTools(spec.tools), language });
  }

  /**
   * The caller's turn has ended and `generate-reply` follows: it uses the preemptive reply if the words are the same.
   */
  useOrCancel(language: string): void {
    const { conversation, retrieval } = this.#options;
    const found = retrieval?.found;
    const messages = conversation.messages(found?.message);
    const { callerText, messageCount: count, language: pendingLanguage } = this.#pending ?? {};
    const isSame = plainWords(messages.at(-1)?.text ?? "") === callerText && messages.length === count;
    const hasSamePassages = found === this.#pending?.found && retrieval?.isAwaited !== true;
    if (isSame && hasSamePassages && pendingLanguage === language) this.#pending = undefined;
    else this.cancel();
  }

  /** Cancels the preemptive generation, if any. */
  cancel(): void {
    if (this.#pending === undefined) return;
    this.#pending = undefined;
    this.#options.sink({ kind: "preemptive-cancel" });
  }
}
