import { pump } from "../call/pump.ts";
import type { LlmEvent } from "../speech/speech.ts";
import { ModelAnswer } from "./model-answer.ts";

/** What the call is told of an answer that was stopped: what has been said of it is all of it. */
const END: LlmEvent = { kind: "end", inputTokens: 0, outputTokens: 0 };

/** What becomes of a question: an event of the answer, or a failure, which is the last. */
type Outcome = LlmEvent | { kind: "failed"; error: unknown };

/** One question to the model, and what it answers: held back until somebody wants that, and bounded. */
export class Question {
  /** Who answered, once somebody has. */
  provider: string | undefined;
  readonly #life = new AbortController();
  readonly #held: Outcome[] = [];
  #tell: ((outcome: Outcome) => void) | undefined;
  #isStopped = false;
  #isComplete = false;

  /** `open` asks the model; `onOverlong` is told of an answer that is longer than anybody hears. */
  constructor(open: (signal: AbortSignal) => AsyncIterable<LlmEvent>, onOverlong: () => void) {
    const { signal } = this.#life;
    const answer = new ModelAnswer();
    void pump(
      open(signal),
      signal,
      (event) => {
        this.#take(answer.bounded(event));
        if (!answer.over || event.kind === "end" || signal.aborted) return;
        onOverlong();
        this.#life.abort();
        this.#take(END);
      },
      (error) => this.#take({ kind: "failed", error }),
    );
  }

  /** The model is still asked: the answer is neither complete nor failed, nor was it stopped. */
  get isOpen(): boolean {
    return !this.#isComplete && !this.#isStopped;
  }

  /** It has failed already: nobody needs to hear of an answer that nobody waited for. */
  get hasFailed(): boolean {
    return this.#held.at(-1)?.kind === "failed";
  }

  /** From here on somebody waits for the answer; what of it was there before is told later, but at once. */
  answer(onEvent: (event: LlmEvent) => void, onFailure: (error: unknown) => void): void {
    const tell = (outcome: Outcome): void => {
      if (outcome.kind === "failed") onFailure(outcome.error);
      else onEvent(outcome);
    };
    if (this.#held.length === 0) {
      this.#tell = tell;
      return;
    }
    // The call asks while it handles something, and can be told of nothing else meanwhile.
    queueMicrotask(() => {
      for (const outcome of this.#held.splice(0)) if (!this.#isStopped) tell(outcome);
      this.#tell = tell;
    });
  }

  /** Nobody wants the answer: nothing more is told of it. */
  stop(): void {
    this.#isStopped = true;
    // Behind a complete answer the rest of its body is being read, after which the connection can be used again.
    if (!this.#isComplete) this.#life.abort();
  }

  #take(outcome: Outcome): void {
    this.#isComplete ||= outcome.kind === "end" || outcome.kind === "failed";
    if (this.#tell === undefined) this.#held.push(outcome);
    else this.#tell(outcome);
  }
}
