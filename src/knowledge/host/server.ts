import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { encodeMessage, readMessages } from "../../core/child-processes/socket-messages.ts";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import type { CorpusId } from "../../core/ids.ts";
import type { RetrievalAnswer, RetrievalQuestion } from "../../core/knowledge/passages.ts";
import { RETRIEVAL_MESSAGE_BYTES_MAX } from "../../core/limits/knowledge/retrieval.ts";
import type { RetrievalOutcome } from "../../core/metrics/retrieval-metrics.ts";
import type { ChangeOutcome, IndexChange } from "../index/changes.ts";
import type { IndexPage } from "../index/open-corpora.ts";
import type { FromRetrieval, ToRetrieval } from "./messages.ts";
import type { QuestionQueue } from "./question-queue.ts";

export interface RetrievalServerOptions {
  readonly questions: QuestionQueue;
  readonly change: (change: IndexChange) => Promise<ChangeOutcome>;
  /** What the index has after a corpus. */
  readonly state: (after: CorpusId | undefined) => Promise<IndexPage>;
  /** The metrics of this process, in the Prometheus text format. */
  readonly metrics: () => Promise<string>;
  readonly clock: Clock;
  readonly onQuestion: (outcome: RetrievalOutcome, tookMs: number) => void;
  /** A request failed by a defect. */
  readonly onDefect: (error: unknown) => void;
  /** Called when the last connection has closed. */
  readonly onAbandoned: () => void;
}

/** Gives workers and control process access to the index of this process, over a Unix socket. */
export class RetrievalServer {
  readonly #options: RetrievalServerOptions;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();

  constructor(options: RetrievalServerOptions) {
    this.#options = options;
    this.#server = createServer((connection) => this.#serve(connection));
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** `bind` starts to listen on the socket. Resolves when clients can connect; rejects with the system's error. */
  async listen(bind: (server: Server) => void): Promise<void> {
    const listening = once(this.#server, "listening");
    bind(this.#server);
    await listening;
  }

  /** Says to all clients that a corpus must be indexed again. */
  reportLost(corpusId: CorpusId): void {
    for (const connection of this.#connections) send(connection, { kind: "lost", corpusId });
  }

  close(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }

  #serve(connection: Socket): void {
    const questions = new Map<number, AbortController>();
    this.#connections.add(connection);
    connection.on("error", () => {});
    // The clients run the same version of this service and send only these messages.
    readMessages(connection, RETRIEVAL_MESSAGE_BYTES_MAX, (message) => {
      void this.#handle(message as ToRetrieval, connection, questions);
    });
    connection.on("close", () => {
      this.#connections.delete(connection);
      for (const question of questions.values()) question.abort();
      if (this.#connections.size === 0) this.#options.onAbandoned();
    });
  }

  async #handle(message: ToRetrieval, connection: Socket, questions: Map<number, AbortController>): Promise<void> {
    if (message.kind === "cancel") {
      questions.get(message.id)?.abort();
      return;
    }
    try {
      send(connection, await this.#answer(message, questions));
    } catch (error) {
      const isExpected = codeOf(error) !== "internal" || questions.get(message.id)?.signal.aborted === true;
      if (!isExpected) this.#options.onDefect(error);
      send(connection, { kind: "failed", id: message.id, message: isExpected ? messageOf(error) : "internal error" });
    } finally {
      questions.delete(message.id);
    }
  }

  async #answer(
    message: Exclude<ToRetrieval, { kind: "cancel" }>,
    questions: Map<number, AbortController>,
  ): Promise<FromRetrieval> {
    const { id } = message;
    switch (message.kind) {
      case "query": {
        const aborter = new AbortController();
        questions.set(id, aborter);
        return { kind: "answered", id, answer: await this.#query(message.question, aborter.signal) };
      }
      case "change":
        return { kind: "changed", id, outcome: await this.#options.change(message.change) };
      case "state":
        return { kind: "state", id, page: await this.#options.state(message.after) };
      case "metrics":
        return { kind: "metrics", id, exposition: await this.#options.metrics() };
    }
  }

  async #query(question: RetrievalQuestion, signal: AbortSignal): Promise<RetrievalAnswer> {
    const { questions, clock, onQuestion } = this.#options;
    const startMs = clock.nowMs();
    const isRefused = questions.isFull;
    const ended = (outcome: RetrievalOutcome): void => onQuestion(outcome, elapsedMs(startMs, clock.nowMs()));
    try {
      const answer = await questions.query(question, signal);
      ended("answered");
      return answer;
    } catch (error) {
      if (isRefused) ended("refused");
      else if (signal.aborted) ended("cancelled");
      else ended(codeOf(error) === "unavailable" ? "unavailable" : "failed");
      throw error;
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function send(connection: Socket, message: FromRetrieval): void {
  if (connection.writable) connection.write(encodeMessage(message));
}
