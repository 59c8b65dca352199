import type { CallCommand, CallEvent } from "../../call/events.ts";
import { passagesText, passagesThatFit } from "../../call/knowledge/passages-block.ts";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import { codeOf, unavailable } from "../../core/errors.ts";
import { type CallKnowledge, referenceOf } from "../../core/knowledge/call-knowledge.ts";
import type { RetrievalAnswer, Retriever } from "../../core/knowledge/passages.ts";
import { RETRIEVAL_MS_MAX } from "../../core/limits/knowledge/call-knowledge.ts";
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import { failed, type ToolOutcome } from "../../core/tools/outcome.ts";

type RetrieveCommand = Extract<CallCommand, { kind: "retrieve" }>;
type RetrievalEnded = Extract<CallCommand, { kind: "retrieval-ended" }>;

export interface CallRetrievalOptions {
  /** What the call answers from; undefined where it has no corpora. */
  knowledge: CallKnowledge | undefined;
  /** Undefined where this process has none: every question then fails with `unavailable`. */
  retriever: Retriever | undefined;
  metrics: Pick<WorkerMetrics, "retrievalEnded" | "retrievalAnswered">;
  /** Delivers an event to the call. Never called from within `retrieve`. */
  deliver: (event: Extract<CallEvent, { kind: "passages" | "retrieval-failed" }>) => void;
  clock: Clock;
}

/** A question of the call that has no answer yet. */
interface OpenQuestion {
  readonly retrieval: number;
  readonly abortController: AbortController;
}

/**
 * Asks the corpora of one call: for the turns of the caller, one question at a time, and for the LLM. A failure costs the call
 * nothing but an event and a count.
 */
export class CallRetrieval {
  readonly #options: CallRetrievalOptions;
  #open: OpenQuestion | undefined;

  constructor(options: CallRetrievalOptions) {
    this.#options = options;
  }

  /** Asks for a turn of the caller. The question before it, if it has no answer, is aborted. */
  retrieve({ retrieval, question, language }: RetrieveCommand): void {
    const { clock } = this.#options;
    this.#abort();
    const abortController = new AbortController();
    this.#open = { retrieval, abortController };
    const { signal } = abortController;
    const stopTimeout = clock.after(RETRIEVAL_MS_MAX, () =>
      abortController.abort(unavailable(`no passages within ${RETRIEVAL_MS_MAX} ms`)),
    );
    void this.#ask(question, language, signal)
      .then(
        (answer) => this.#onAnswer(retrieval, answer),
        (error: unknown) => this.#onFailure(retrieval, error),
      )
      .finally(stopTimeout);
  }

  /** What became of a question without passages. */
  ended({ retrieval, outcome }: RetrievalEnded): void {
    this.#options.metrics.retrievalEnded("always", outcome);
    if (this.#open?.retrieval === retrieval) this.#abort();
  }

  /** A reply has passages that were fetched for the caller's turn. */
  used(): void {
    this.#options.metrics.retrievalEnded("always", "used");
  }

  /** Asks for the LLM, whose tool result the outcome is. Rejects never. */
  async query(question: string, language: string, signal: AbortSignal): Promise<ToolOutcome> {
    const { knowledge, metrics } = this.#options;
    try {
      const { passages, tookMs } = await this.#ask(question, language, signal);
      metrics.retrievalEnded("tool", "used");
      return {
        text: passagesText(passages, knowledge?.fence ?? ""),
        retrieval: { tookMs, passages: passages.map(referenceOf) },
      };
    } catch (error) {
      // A deadline aborts with a reason of ours.
      const isCancelled = signal.aborted && error instanceof DOMException;
      metrics.retrievalEnded("tool", isCancelled ? "cancelled" : "failed");
      return failed("unreachable", "the documents cannot be searched at present");
    }
  }

  /** The call is over: what has no answer is aborted. */
  close(): void {
    this.#abort();
  }

  /** The best passages, as many as a prompt takes. Rejects as the retriever, or at once when the signal is aborted. */
  async #ask(text: string, languageId: string, signal: AbortSignal): Promise<RetrievalAnswer> {
    const { knowledge, retriever, metrics, clock } = this.#options;
    if (knowledge === undefined || retriever === undefined) throw unavailable("this process has no corpora to ask");
    const { corpora, passagesMax } = knowledge;
    const begunMs = clock.nowMs();
    const { passages } = await orAborted(
      retriever.query({ corpora: corpora.map(({ id }) => id), text, languageId, passagesMax }, signal),
      signal,
    );
    // As the call has waited for it: with the way to the index.
    const tookMs = Math.round(elapsedMs(begunMs, clock.nowMs()));
    metrics.retrievalAnswered(tookMs);
    return { tookMs, passages: passagesThatFit(passages.slice(0, passagesMax)) };
  }

  #onAnswer(retrieval: number, { tookMs, passages }: RetrievalAnswer): void {
    if (this.#open?.retrieval !== retrieval) return;
    this.#open = undefined;
    this.#options.deliver({ kind: "passages", retrieval, tookMs, passages });
  }

  #onFailure(retrieval: number, error: unknown): void {
    if (this.#open?.retrieval !== retrieval) return;
    this.#open = undefined;
    this.#options.deliver({ kind: "retrieval-failed", retrieval, code: codeOf(error) });
  }

  #abort(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.abortController.abort();
  }
}

/** The promise, or a rejection with the signal's reason as soon as it is aborted: a retriever may hang. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
