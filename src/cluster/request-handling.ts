import type { Clock } from "../core/clock.ts";
import { codeOf, unavailable } from "../core/errors.ts";
import type { NodeMessageId } from "../core/ids.ts";
import {
  NODE_ANSWER_BYTES_MAX,
  NODE_ANSWER_MS_MAX,
  NODE_MESSAGES_KNOWN_MAX,
  NODE_MESSAGES_RETRY_MS,
  NODE_REQUESTS_HANDLED_MAX,
} from "../core/limits/cluster/node-messages.ts";
import type { Logger } from "../core/log/logger.ts";
import type { NodeMessageMetrics } from "../core/metrics/node-message-metrics.ts";
import type { NodeMessage, NodeMessageStore } from "../store/cluster/node-message-store.ts";
import type { NodeRequestKind } from "./message-kinds.ts";
import type { RequestHandler } from "./node-messages.ts";
import type { NodeAnswer, SealedMessages } from "./sealed-messages.ts";

export interface RequestHandlingOptions {
  store: Pick<NodeMessageStore, "answer">;
  sealed: SealedMessages;
  metrics: Pick<NodeMessageMetrics, "requestHandled">;
  clock: Pick<Clock, "after">;
  log: Logger;
}

/** Handles the requests of other nodes, each once, however often its message comes. */
export class RequestHandling {
  readonly #options: RequestHandlingOptions;
  readonly #handlers = new Map<string, RequestHandler<NodeRequestKind>>();
  readonly #inProgress = new Set<NodeMessageId>();
  /** The last NODE_MESSAGES_KNOWN_MAX that were handled. */
  readonly #handled = new Set<NodeMessageId>();
  #isClosed = false;

  constructor(options: RequestHandlingOptions) {
    this.#options = options;
  }

  on(kind: NodeRequestKind, handler: RequestHandler<NodeRequestKind>): void {
    this.#handlers.set(kind, handler);
  }

  get inProgress(): readonly NodeMessageId[] {
    return [...this.#inProgress];
  }

  /** How many more can be handled now. */
  get room(): number {
    return this.#isClosed ? 0 : NODE_REQUESTS_HANDLED_MAX - this.#inProgress.size;
  }

  /** Resolves when the message is answered, or the answer has come too late. Never rejects. */
  async handle(message: NodeMessage): Promise<void> {
    const { id, kind } = message;
    if (this.#isClosed || this.#inProgress.has(id) || this.#handled.has(id)) return;
    this.#inProgress.add(id);
    try {
      const answer = await this.#answerTo(message);
      const isKnown = this.#handlers.has(kind);
      const outcome = "failed" in answer ? "failed" : "handled";
      this.#options.metrics.requestHandled(isKnown ? (kind as NodeRequestKind) : "unknown", outcome);
      await this.#send(message, answer);
    } finally {
      this.#inProgress.delete(id);
      this.#remember(id);
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #answerTo({ id, from, kind, body }: NodeMessage): Promise<NodeAnswer> {
    const { sealed, log } = this.#options;
    const handler = this.#handlers.get(kind);
    if (handler === undefined) return { failed: "unavailable", message: "its version does not know this request" };
    try {
      const payload = sealed.openBody(id, body) as Parameters<typeof handler>[0];
      return { value: await handler(payload, { from, id }) };
    } catch (error) {
      const code = codeOf(error);
      if (code === "internal") log.error({ node: from, kind, err: error, code }, "request of another node failed");
      else log.warn({ node: from, kind, code }, "request of another node could not be served");
      return { failed: code };
    }
  }

  /** An answer that the database does not take is sent again while somebody may wait for it. */
  async #send({ id, from }: NodeMessage, answer: NodeAnswer): Promise<void> {
    const { store, sealed, clock, log } = this.#options;
    const json = JSON.stringify(answer);
    const fits = Buffer.byteLength(json) <= NODE_ANSWER_BYTES_MAX;
    const text = fits ? json : JSON.stringify({ failed: "too_large" } satisfies NodeAnswer);
    const tries = Math.ceil(NODE_ANSWER_MS_MAX / NODE_MESSAGES_RETRY_MS);
    for (let left = tries; left > 0 && !this.#isClosed; left -= 1) {
      try {
        await store.answer({ id, from }, sealed.sealAnswer(id, text));
        return;
      } catch (error) {
        if (left === tries) log.warn({ node: from, code: codeOf(error) }, "another node could not be answered yet");
      }
      await new Promise<void>((resolve) => {
        clock.after(NODE_MESSAGES_RETRY_MS, resolve);
      });
    }
  }

  #remember(id: NodeMessageId): void {
    this.#handled.add(id);
    const [oldest] = this.#handled;
    if (this.#handled.size > NODE_MESSAGES_KNOWN_MAX && oldest !== undefined) this.#handled.delete(oldest);
  }
}

/** The error of a node that could not handle a request. */
export const failureOf = (node: string, { failed, message }: Extract<NodeAnswer, { failed: string }>): Error =>
  unavailable(`node ${node} could not do it: ${message ?? failed}`);
