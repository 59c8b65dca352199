import type { LlmAbortReason } from "../../core/metrics/worker-metrics.ts";
import type { BufferedReply } from "./buffered-reply.ts";

/**
 * The LLM requests for one call's replies, of which no more than one is ever open: whatever is open is aborted before the next is sent.
 * Each one that is aborted is told, once. A translation of the service's own phrases may run beside them (`PhraseBook`).
 */
export class LlmRequests {
  readonly #onAborted: (reason: LlmAbortReason) => void;
  /** Answers the reply that lives. */
  #current: BufferedReply | undefined;
  /** Was asked before anybody knew that it would be. */
  #preemptive: BufferedReply | undefined;

  constructor(onAborted: (reason: LlmAbortReason) => void) {
    this.#onAborted = onAborted;
  }

  /** What answers a reply from here on: what was asked ahead, unless that has failed, or else what `send` sends now. */
  start(send: () => BufferedReply): BufferedReply {
    this.#abort(this.#current, "superseded");
    const ahead = this.#preemptive?.hasFailed === true ? undefined : this.#preemptive;
    this.#preemptive = undefined;
    this.#current = ahead ?? send();
    return this.#current;
  }

  /** Sends what may turn out to be asked. */
  startPreemptive(send: () => BufferedReply): void {
    this.cancel("superseded");
    this.#abort(this.#preemptive, "superseded");
    this.#preemptive = send();
  }

  /** What was asked ahead is not wanted. */
  cancelPreemptive(): void {
    this.#abort(this.#preemptive, "preemptive_cancelled");
    this.#preemptive = undefined;
  }

  /** The reply that lives is not wanted any more. */
  cancel(reason: LlmAbortReason): void {
    this.#abort(this.#current, reason);
    this.#current = undefined;
  }

  /** The call is over. */
  close(): void {
    this.cancel("call_ended");
    this.#abort(this.#preemptive, "call_ended");
    this.#preemptive = undefined;
  }

  #abort(question: BufferedReply | undefined, reason: LlmAbortReason): void {
    if (question === undefined) return;
    const wasOpen = question.isOpen;
    question.cancel();
    if (wasOpen) this.#onAborted(reason);
  }
}
