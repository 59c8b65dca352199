import type { Clock } from "../../../src/core/clock.ts";
import type { RetrievalAnswer, RetrievalQuestion, Retriever } from "../../../src/core/knowledge/passages.ts";

/** The answer to a question, after some time; or an error; "hangs" for none, ever. */
export type ScriptedAnswer = (RetrievalAnswer & { afterMs?: number }) | Error | "hangs";

/** Answers questions as its script says, and notes them and whether they were aborted. */
export class ScriptedRetriever implements Retriever {
  readonly questions: RetrievalQuestion[] = [];
  aborted = 0;
  readonly #answer: (question: RetrievalQuestion) => ScriptedAnswer;
  readonly #clock: Clock;

  constructor(clock: Clock, answer: (question: RetrievalQuestion) => ScriptedAnswer) {
    this.#clock = clock;
    this.#answer = answer;
  }

  query(question: RetrievalQuestion, signal: AbortSignal): Promise<RetrievalAnswer> {
    this.questions.push(question);
    const answer = this.#answer(question);
    return new Promise((resolve, reject) => {
      let cancel = (): void => {};
      signal.addEventListener("abort", () => {
        this.aborted += 1;
        cancel();
        reject(signal.reason);
      });
      if (answer === "hangs") return;
      if (answer instanceof Error) {
        reject(answer);
        return;
      }
      const { afterMs = 0, ...rest } = answer;
      cancel = this.#clock.after(afterMs, () => resolve(rest));
    });
  }
}
