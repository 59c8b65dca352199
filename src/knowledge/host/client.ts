import { Socket } from "node:net";
import { encodeMessage, readMessages } from "../../core/child-processes/socket-messages.ts";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import type { CorpusId } from "../../core/ids.ts";
import type { RetrievalAnswer, RetrievalQuestion, Retriever } from "../../core/knowledge/passages.ts";
import {
  INDEX_CHANGE_MS_MAX,
  QUESTION_MS_MAX,
  RETRIEVAL_MESSAGE_BYTES_MAX,
  RETRIEVAL_RECONNECT_MS,
  RETRIEVAL_RECONNECT_MS_MAX,
} from "../../core/limits/knowledge/retrieval.ts";
import type { ChangeOutcome, IndexChange } from "../index/changes.ts";
import type { IndexedCorpus } from "../index/open-corpora.ts";
import type { FromRetrieval, ToRetrieval } from "./messages.ts";

export interface RetrievalClientOptions {
  /** Starts to connect a socket to the retrieval process. */
  readonly connect: (socket: Socket) => void;
  readonly clock: Clock;
  /** The file of a corpus is missing or damaged. With this, the connection is opened again whenever it breaks. */
  readonly onLost?: (corpusId: CorpusId) => void;
  /** The connection was opened again: what the process has may differ from before. */
  readonly onReconnected?: () => void;
}

type Request = Exclude<ToRetrieval, { kind: "cancel" }>;
type Answer = Exclude<FromRetrieval, { kind: "lost" }>;

interface Pending {
  readonly request: Request;
  readonly settle: (answer: Answer | Error) => void;
}

const GONE = "the retrieval process does not run";

/**
 * The index of another process of this service. The connection is opened for a request, and again when it breaks while there are requests:
 * questions that were pending are sent to the next process, and everything else fails, since half of it may be done.
 */
export class RetrievalClient implements Retriever {
  readonly #options: RetrievalClientOptions;
  readonly #pending = new Map<number, Pending>();
  #ids = 0;
  #socket: Socket | undefined;
  #isConnected = false;
  #wasConnected = false;
  #isClosed = false;
  /** Connections in a row that broke before there was an answer. */
  #failures = 0;
  #cancelReconnect = (): void => {};

  constructor(options: RetrievalClientOptions) {
    this.#options = options;
  }

  async query(question: RetrievalQuestion, signal: AbortSignal): Promise<RetrievalAnswer> {
    signal.throwIfAborted();
    const answer = await this.#request((id) => ({ kind: "query", id, question }), QUESTION_MS_MAX, signal);
    if (answer.kind !== "answered") throw unavailable("the retrieval process gave another answer");
    return answer.answer;
  }

  /** Changes the index. Rejects with `unavailable`; whether the change was made is unknown then. */
  async change(change: IndexChange): Promise<ChangeOutcome> {
    const answer = await this.#request((id) => ({ kind: "change", id, change }), INDEX_CHANGE_MS_MAX);
    return answer.kind === "changed" ? answer.outcome : "lost";
  }

  /** What the index has. Rejects with `unavailable`. */
  async state(): Promise<readonly IndexedCorpus[]> {
    const corpora: IndexedCorpus[] = [];
    let after: CorpusId | undefined;
    do {
      const answer = await this.#request((id) => ({ kind: "state", id, after }), INDEX_CHANGE_MS_MAX);
      if (answer.kind !== "state") throw unavailable("the retrieval process gave another answer");
      corpora.push(...answer.page.corpora);
      after = answer.page.next;
    } while (after !== undefined);
    return corpora;
  }

  /** The metrics of the process; undefined when it does not answer within `answerMsMax`. Never rejects. */
  async metrics(answerMsMax: number): Promise<string | undefined> {
    try {
      const answer = await this.#request((id) => ({ kind: "metrics", id }), answerMsMax);
      return answer.kind === "metrics" ? answer.exposition : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelReconnect();
    this.#socket?.destroy();
    for (const { settle } of [...this.#pending.values()]) settle(unavailable("closed"));
  }

  #request(make: (id: number) => Request, answerMsMax: number, signal?: AbortSignal): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(unavailable("closed"));
    this.#ids += 1;
    const request = make(this.#ids);
    return new Promise((resolve, reject) => {
      const settle = (answer: Answer | Error): void => {
        this.#pending.delete(request.id);
        cancelDeadline();
        signal?.removeEventListener("abort", onAbort);
        if (answer instanceof Error) reject(answer);
        else if (answer.kind === "failed") reject(unavailable(answer.message));
        else resolve(answer);
      };
      const give = (error: Error): void => {
        this.#send({ kind: "cancel", id: request.id });
        settle(error);
      };
      const onAbort = (): void => give(signal?.reason as Error);
      const cancelDeadline = this.#options.clock.after(answerMsMax, () =>
        give(unavailable(this.#isConnected ? `the retrieval process gave no answer within ${answerMsMax} ms` : GONE)),
      );
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#pending.set(request.id, { request, settle });
      if (this.#socket === undefined) this.#connect();
      else this.#send(request);
    });
  }

  #send(message: ToRetrieval): void {
    if (this.#isConnected) this.#socket?.write(encodeMessage(message));
  }

  #connect(): void {
    this.#cancelReconnect();
    const socket = new Socket();
    this.#socket = socket;
    socket.on("error", () => {});
    socket.on("connect", () => {
      this.#isConnected = true;
      for (const { request } of this.#pending.values()) this.#send(request);
      if (this.#wasConnected) this.#options.onReconnected?.();
      this.#wasConnected = true;
    });
    readMessages(socket, RETRIEVAL_MESSAGE_BYTES_MAX, (received) => {
      const message = received as FromRetrieval;
      this.#failures = 0;
      if (message.kind === "lost") this.#options.onLost?.(message.corpusId);
      else this.#pending.get(message.id)?.settle(message);
    });
    socket.on("close", () => this.#onDisconnected());
    try {
      this.#options.connect(socket);
    } catch {
      socket.destroy();
    }
  }

  #onDisconnected(): void {
    const isBroken = this.#isConnected;
    this.#isConnected = false;
    if (this.#isClosed) return;
    const backoffMs = Math.min(RETRIEVAL_RECONNECT_MS * 2 ** this.#failures, RETRIEVAL_RECONNECT_MS_MAX);
    // While no process listens it is about to start: that is seen at once.
    const delayMs = isBroken ? backoffMs : RETRIEVAL_RECONNECT_MS;
    if (isBroken) this.#failures += 1;
    for (const { request, settle } of [...this.#pending.values()]) {
      if (isBroken && request.kind !== "query") settle(unavailable("the connection to the retrieval process broke"));
    }
    // A socket in place of none: requests wait for the next attempt instead of starting one each.
    this.#cancelReconnect = this.#options.clock.after(delayMs, () => {
      this.#socket = undefined;
      if (this.#pending.size > 0 || (this.#wasConnected && this.#options.onLost !== undefined)) this.#connect();
    });
  }
}
