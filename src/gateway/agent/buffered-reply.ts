import { type CallMs, elapsedMs } from "../../core/clocks.ts";
import type { LlmEvent } from "../../speech/contracts.ts";
import { pump } from "../../speech/pump.ts";
import { ReplyLimiter } from "./reply-limiter.ts";

/** Ends a reply that was stopped: the text received so far is the whole reply. */
const END: LlmEvent = { kind: "end", inputTokens: 0, outputTokens: 0 };

/** What an LLM request yields: events of the reply, or a failure, which comes last. */
type ReplyEvent = LlmEvent | { kind: "failed"; error: unknown };

interface BufferedReplyOptions {
  /** Sends the request. */
  open: (signal: AbortSignal) => AsyncIterable<LlmEvent>;
  /** Called with the first event, before it is delivered or buffered: how long it took. */
  onFirst: (tookMs: number) => void;
  /** Called when the reply exceeds its length limit. */
  onOverlong: () => void;
  /** Call time. */
  nowMs: () => CallMs;
}

/** One LLM request and its reply: buffered until a consumer attaches, and limited in length. */
export class BufferedReply {
  /** The provider that replied; undefined until one has. */
  provider: string | undefined;
  readonly #abortController = new AbortController();
  readonly #buffered: ReplyEvent[] = [];
  #deliver: ((event: ReplyEvent) => void) | undefined;
  #isStopped = false;
  #isComplete = false;

  constructor({ open, onFirst, onOverlong, nowMs }: BufferedReplyOptions) {
    const { signal } = this.#abortController;
    const limiter = new ReplyLimiter();
    const startedMs = nowMs();
    let hasBegun = false;
    void pump(
      open(signal),
      signal,
      (event) => {
        if (!hasBegun) onFirst(elapsedMs(startedMs, nowMs()));
        hasBegun = true;
        this.#receive(limiter.limit(event));
        if (!limiter.isLimitReached || event.kind === "end" || signal.aborted) return;
        onOverlong();
        this.#abortController.abort();
        this.#receive(END);
      },
      (error) => this.#receive({ kind: "failed", error }),
    );
  }

  /** The request is still open: the reply is neither complete nor failed nor cancelled. */
  get isOpen(): boolean {
    return !this.#isComplete && !this.#isStopped;
  }

  /** The request has failed and its failure has not been delivered. Such a reply can be discarded without a report. */
  get hasFailed(): boolean {
    return this.#buffered.at(-1)?.kind === "failed";
  }

  /** Delivers the reply from here on. Events that were buffered before are delivered in the next microtask. */
  deliverTo(onEvent: (event: LlmEvent) => void, onFailure: (error: unknown) => void): void {
    const dispatch = (event: ReplyEvent): void => {
      if (event.kind === "failed") onFailure(event.error);
      else onEvent(event);
    };
    if (this.#buffered.length === 0) {
      this.#deliver = dispatch;
      return;
    }
    // The call sends the request while it handles an event, and cannot handle another event until that returns.
    queueMicrotask(() => {
      for (const event of this.#buffered.splice(0)) if (!this.#isStopped) dispatch(event);
      this.#deliver = dispatch;
    });
  }

  /** The reply is not wanted any more: nothing more of it is delivered. */
  cancel(): void {
    this.#isStopped = true;
    // After a complete reply the rest of the HTTP body is still read, so that the connection can be reused.
    if (!this.#isComplete) this.#abortController.abort();
  }

  #receive(event: ReplyEvent): void {
    this.#isComplete ||= event.kind === "end" || event.kind === "failed";
    if (this.#deliver === undefined) this.#buffered.push(event);
    else this.#deliver(event);
  }
}
