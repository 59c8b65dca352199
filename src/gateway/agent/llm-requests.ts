import type { LlmAbortReason } from "../../core/metrics/labels.ts";
import type { BufferedReply } from "./buffered-reply.ts";

/**
 * The LLM requests for one call's replies. At most one answers the current turn: an open request is aborted before the
 * next one is sent. Each aborted request is reported once. Translations of service phrases run independently of these
 * requests (`PhraseBook`).
 */
export class LlmRequests {
  readonly #onAborted: (reason: LlmAbortReason) => void;
  /** The request of the current reply. */
  #current: BufferedReply | undefined;
  /** The preemptive request: sent before the end of the turn was certain. */
  #preemptive: BufferedReply | undefined;

  constructor(onAborted: (reason: LlmAbortReason) => void) {
    this.#onAborted = onAborted;
  }

  /** Starts the current reply: uses the preemptive request, unless it has failed; otherwise sends a new one. */
  start(send: () => BufferedReply): BufferedReply {
    this.#abort(this.#current, "superseded");
    const preemptive = this.#preemptive?.hasFailed === true ? undefined : this.#preemptive;
    this.#preemptive = undefined;
    this.#current = preemptive ?? send();
    return this.#current;
  }

  /** Starts preemptive generation. */
  startPreemptive(send: () => BufferedReply): void {
    this.cancel("superseded");
    this.#abort(this.#preemptive, "superseded");
    this.#preemptive = send();
  }

  /** Cancels preemptive generation. */
  cancelPreemptive(): void {
    this.#abort(this.#preemptive, "preemptive_cancelled");
    this.#preemptive = undefined;
  }

  /** Cancels the current reply. */
  cancel(reason: LlmAbortReason): void {
    this.#abort(this.#current, reason);
    this.#current = undefined;
  }

  /** The call has ended. */
  close(): void {
    this.cancel("call_ended");
    this.#abort(this.#preemptive, "call_ended");
    this.#preemptive = undefined;
  }

  #abort(request: BufferedReply | undefined, reason: LlmAbortReason): void {
    if (request === undefined) return;
    const wasOpen = request.isOpen;
    request.cancel();
    if (wasOpen) this.#onAborted(reason);
  }
}
