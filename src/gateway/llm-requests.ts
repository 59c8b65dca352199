import type { LlmAbortReason } from "../core/metrics.ts";
import type { Question } from "./question.ts";

/**
 * The LLM requests for one call's replies, of which no more than one is ever open: whatever is open is aborted before the next is sent.
 * Each one that is aborted is told, once. A translation of the service's own phrases may run beside them (`PhraseBook`).
 */
export class LlmRequests {
  readonly #onAborted: (reason: LlmAbortReason) => void;
  /** Answers the reply that lives. */
  #current: Question | undefined;
  /** Was asked before anybody knew that it would be. */
  #ahead: Question | undefined;

  constructor(onAborted: (reason: LlmAbortReason) => void) {
    this.#onAborted = onAborted;
  }

  /** What answers a reply from here on: what was asked ahead, unless that has failed, or else what `send` sends now. */
  begin(send: () => Question): Question {
    this.#abort(this.#current, "superseded");
    const ahead = this.#ahead?.hasFailed === true ? undefined : this.#ahead;
    this.#ahead = undefined;
    this.#current = ahead ?? send();
    return this.#current;
  }

  /** Sends what may turn out to be asked. */
  askAhead(send: () => Question): void {
    this.cut("superseded");
    this.#abort(this.#ahead, "superseded");
    this.#ahead = send();
  }

  /** What was asked ahead is not wanted. */
  forgetAhead(): void {
    this.#abort(this.#ahead, "caller_went_on");
    this.#ahead = undefined;
  }

  /** The reply that lives is not wanted any more. */
  cut(reason: LlmAbortReason): void {
    this.#abort(this.#current, reason);
    this.#current = undefined;
  }

  /** The call is over. */
  close(): void {
    this.cut("call_ended");
    this.#abort(this.#ahead, "call_ended");
    this.#ahead = undefined;
  }

  #abort(question: Question | undefined, reason: LlmAbortReason): void {
    if (question === undefined) return;
    const wasOpen = question.isOpen;
    question.stop();
    if (wasOpen) this.#onAborted(reason);
  }
}
