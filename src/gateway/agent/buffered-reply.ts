import type { LlmEvent } from "../../speech/contracts.ts";
import { pump } from "../../speech/pump.ts";
import { ReplyLimiter } from "./reply-limiter.ts";

/** What the call is told of an answer that was stopped: what has been said of it is all of it. */
const END: LlmEvent = { kind: "end", inputTokens: 0, outputTokens: 0 };

/** What becomes of a question: an event of the answer, or a failure, which is the last. */
type ReplyEvent = LlmEvent | { kind: "failed"; error: unknown };

/** One question to the model, and what it answers: held back until somebody wants that, and bounded. */
export class BufferedReply {
  /** Who answered, once somebody has. */
  provider: string | undefined;
  readonly #abortController = new AbortController();
  readonly #buffered: ReplyEvent[] = [];
  #deliver: ((outcome: ReplyEvent) => void) | undefined;
  #isStopped = false;
  #isComplete = false;

  /** `open` asks the model; `onOverlong` is told of an answer that is longer than anybody hears. */
  constructor(open: (signal: AbortSignal) => AsyncIterable<LlmEvent>, onOverlong: () => void) {
    const { signal } = this.#abortController;
    const answer = new ReplyLimiter();
    void pump(
      open(signal),
      signal,
      (event) => {
        this.#receive(answer.limit(event));
        if (!answer.isLimitReached || event.kind === "end" || signal.aborted) return;
        onOverlong();
        this.#abortController.abort();
        this.#receive(END);
      },
      (error) => this.#receive({ kind: "failed", error }),
    );
  }

  /** The model is still asked: the answer is neither complete nor failed, nor was it stopped. */
  get isOpen(): boolean {
    return !this.#isComplete && !this.#isStopped;
  }

  /** It has failed already: nobody needs to hear of an answer that nobody waited for. */
  get hasFailed(): boolean {
    return this.#buffered.at(-1)?.kind === "failed";
  }

  /** From here on somebody waits for the answer; what of it was there before is told later, but at once. */
  deliverTo(onEvent: (event: LlmEvent) => void, onFailure: (error: unknown) => void): void {
    const tell = (outcome: ReplyEvent): void => {
      if (outcome.kind === "failed") onFailure(outcome.error);
      else onEvent(outcome);
    };
    if (this.#buffered.length === 0) {
      this.#deliver = tell;
      return;
    }
    // The call asks while it handles something, and can be told of nothing else meanwhile.
    queueMicrotask(() => {
      for (const outcome of this.#buffered.splice(0)) if (!this.#isStopped) tell(outcome);
      this.#deliver = tell;
    });
  }

  /** Nobody wants the answer: nothing more is told of it. */
  cancel(): void {
    this.#isStopped = true;
    // Behind a complete answer the rest of its body is being read, after which the connection can be used again.
    if (!this.#isComplete) this.#abortController.abort();
  }

  #receive(outcome: ReplyEvent): void {
    this.#isComplete ||= outcome.kind === "end" || outcome.kind === "failed";
    if (this.#deliver === undefined) this.#buffered.push(outcome);
    else this.#deliver(outcome);
  }
}
