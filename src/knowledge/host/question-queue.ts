import { unavailable } from "../../core/errors.ts";
import type { RetrievalAnswer, RetrievalQuestion, Retriever } from "../../core/knowledge/passages.ts";
import { QUESTIONS_WAITING_MAX } from "../../core/limits/knowledge/retrieval.ts";

export interface QuestionQueueOptions {
  readonly retriever: Retriever;
  readonly waitingMax?: number;
  /** Runs a task in the next turn of the event loop, after the messages that have arrived; `setImmediate`. */
  readonly defer?: (task: () => void) => void;
}

interface Waiting {
  readonly question: RetrievalQuestion;
  readonly signal: AbortSignal;
  readonly resolve: (answer: RetrievalAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Begins one question in a turn of the event loop, in the order of their arrival, so that cancellations are read between two of them.
 * When too many are not answered yet, a new one is refused: an answer that comes late is of no use in a call.
 */
export class QuestionQueue implements Retriever {
  readonly #retriever: Retriever;
  readonly #waitingMax: number;
  readonly #defer: (task: () => void) => void;
  readonly #waiting: Waiting[] = [];
  #begun = 0;
  #isScheduled = false;

  constructor({ retriever, waitingMax = QUESTIONS_WAITING_MAX, defer = setImmediate }: QuestionQueueOptions) {
    this.#retriever = retriever;
    this.#waitingMax = waitingMax;
    this.#defer = defer;
  }

  /** Questions that have no answer yet. */
  get count(): number {
    return this.#waiting.length + this.#begun;
  }

  /** Whether a further question would be refused. */
  get isFull(): boolean {
    return this.count >= this.#waitingMax;
  }

  /** Rejects with `unavailable` where too many questions wait, and as the retriever does. */
  query(question: RetrievalQuestion, signal: AbortSignal): Promise<RetrievalAnswer> {
    if (this.isFull) return Promise.reject(unavailable(`${this.#waitingMax} questions wait for the index already`));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, signal, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    this.#defer(() => {
      this.#isScheduled = false;
      this.#beginNext();
      this.#schedule();
    });
  }

  #beginNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    if (next.signal.aborted) {
      next.reject(next.signal.reason);
      return;
    }
    this.#begun += 1;
    this.#retriever
      .query(next.question, next.signal)
      .finally(() => {
        this.#begun -= 1;
      })
      .then(next.resolve, next.reject);
  }
}
