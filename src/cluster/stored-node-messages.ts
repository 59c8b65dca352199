import type { Clock } from "../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../core/clocks.ts";
import { codeOf, nodeUnreachable, unavailable } from "../core/errors.ts";
import type { NodeMessageId, NodeName } from "../core/ids.ts";
import {
  ANNOUNCEMENT_BYTES_MAX,
  ANNOUNCEMENTS_PENDING_MAX,
  NODE_ANSWER_MS_MAX,
  NODE_MESSAGES_DELETED_MS,
  NODE_MESSAGES_POLL_MS,
  NODE_MESSAGES_RETRY_MS,
  NODE_REQUEST_BYTES_MAX,
  NODE_REQUESTS_PENDING_MAX,
} from "../core/limits/cluster/node-messages.ts";
import type { Logger } from "../core/log/logger.ts";
import type { NodeMessageMetrics, RequestOutcome } from "../core/metrics/node-message-metrics.ts";
import { newId } from "../core/new-id.ts";
import type { NodeMessageStore, NodeSignals } from "../store/cluster/node-message-store.ts";
import {
  type AnnouncementKind,
  type AnswerOf,
  type NodeAnnouncements,
  type NodeRequestKind,
  type PayloadOf,
  REQUEST_RULES,
} from "./message-kinds.ts";
import type { NodeMessages, RequestHandler } from "./node-messages.ts";
import { failureOf, RequestHandling } from "./request-handling.ts";
import type { NodeAnswer, SealedMessages } from "./sealed-messages.ts";

export interface StoredNodeMessagesOptions {
  node: NodeName;
  /** This start of the node, another than every one before. */
  start: string;
  store: NodeMessageStore;
  signals: NodeSignals;
  sealed: SealedMessages;
  metrics: NodeMessageMetrics;
  clock: Clock;
  log: Logger;
}

/** A request whose answer has not come. */
interface Pending {
  to: NodeName;
  answered: (answer: NodeAnswer) => void;
  failed: (error: Error) => void;
}

/**
 * See `NodeMessages`. Requests and answers are rows of the store, so that a lost notification loses none: they are looked for when the node
 * is notified, when its connection was replaced, and every NODE_MESSAGES_POLL_MS.
 */
export class StoredNodeMessages implements NodeMessages {
  readonly node: NodeName;
  readonly #options: StoredNodeMessagesOptions;
  readonly #handling: RequestHandling;
  readonly #pending = new Map<NodeMessageId, Pending>();
  readonly #announced = new Map<string, (payload: never, from: NodeName) => void>();
  #announcing = 0;
  #looking: Promise<void> | undefined;
  #looksAgain = false;
  #isClosed = false;
  #cancelPoll = (): void => {};
  #deletedAtMs: MonotonicMs | undefined;
  /** The last error that was logged, so that a lasting one is logged once. */
  #failure: string | undefined;

  constructor(options: StoredNodeMessagesOptions) {
    this.#options = options;
    this.node = options.node;
    this.#handling = new RequestHandling(options);
  }

  /** Handles messages from now on; the handlers are there before. */
  start(): void {
    const { signals, metrics, log } = this.#options;
    signals.listen(this.node, {
      onMessage: () => void this.#look(),
      onAnnouncement: (text) => this.#hear(text),
      onListening: (isListening) => {
        metrics.listening(isListening);
        if (isListening) void this.#look();
        else log.warn({}, "the connection that gets messages of other nodes was lost");
      },
    });
    this.#pollLater();
  }

  request<Kind extends NodeRequestKind>(to: NodeName, kind: Kind, payload: PayloadOf<Kind>): Promise<AnswerOf<Kind>> {
    const { clock, metrics } = this.#options;
    const sinceMs = clock.nowMs();
    const settled = (outcome: RequestOutcome): void =>
      metrics.requestSettled(kind, outcome, elapsedMs(sinceMs, clock.nowMs()));
    if (this.#isClosed || this.#pending.size >= NODE_REQUESTS_PENDING_MAX) {
      settled("refused");
      return Promise.reject(unavailable("too many requests to other nodes wait for their answers"));
    }
    const json = JSON.stringify({ payload });
    if (Buffer.byteLength(json) > NODE_REQUEST_BYTES_MAX) {
      settled("refused");
      return Promise.reject(new RangeError(`a request ${kind} of more than ${NODE_REQUEST_BYTES_MAX} bytes`));
    }
    return this.#answerTo(to, kind, json, settled) as Promise<AnswerOf<Kind>>;
  }

  async #answerTo(
    to: NodeName,
    kind: NodeRequestKind,
    json: string,
    settled: (outcome: RequestOutcome) => void,
  ): Promise<unknown> {
    const { store, sealed, clock } = this.#options;
    const { isRepeatable, lastsMs = NODE_ANSWER_MS_MAX } = REQUEST_RULES[kind];
    const id = newId("message");
    let isSent = false;
    let cancel = (): void => {};
    const answered = new Promise<NodeAnswer>((resolve, reject) => {
      this.#pending.set(id, { to, answered: resolve, failed: reject });
      cancel = clock.after(NODE_ANSWER_MS_MAX, () =>
        reject(isSent ? nodeUnreachable(to, NODE_ANSWER_MS_MAX) : NOT_SENT),
      );
    });
    try {
      const sent = store.send({
        id,
        from: this.node,
        to,
        kind,
        body: sealed.sealBody(id, json),
        lastsMs,
        isRepeatable,
      });
      sent.then(
        () => {
          isSent = true;
        },
        (error) => this.#pending.get(id)?.failed(error),
      );
      const answer = await answered;
      settled("failed" in answer ? "failed" : "answered");
      if ("failed" in answer) throw failureOf(to, answer);
      return answer.value;
    } catch (error) {
      if (this.#pending.has(id)) settled(codeOf(error) === "node_unreachable" ? "unreachable" : "unavailable");
      throw error;
    } finally {
      cancel();
      this.#pending.delete(id);
    }
  }

  onRequest<Kind extends NodeRequestKind>(kind: Kind, handler: RequestHandler<Kind>): void {
    this.#handling.on(kind, handler as unknown as RequestHandler<NodeRequestKind>);
  }

  announce<Kind extends AnnouncementKind>(kind: Kind, payload: NodeAnnouncements[Kind]): void {
    const { store, sealed, metrics } = this.#options;
    if (this.#isClosed) return;
    const text = sealed.sealAnnouncement({ from: this.node, kind, payload });
    if (Buffer.byteLength(text) > ANNOUNCEMENT_BYTES_MAX)
      throw new RangeError(`an announcement ${kind} of more than ${ANNOUNCEMENT_BYTES_MAX} bytes`);
    if (this.#announcing >= ANNOUNCEMENTS_PENDING_MAX) {
      metrics.announced("dropped");
      return;
    }
    this.#announcing += 1;
    store
      .announce(text)
      .then(
        () => metrics.announced("sent"),
        () => metrics.announced("failed"),
      )
      .finally(() => {
        this.#announcing -= 1;
      });
  }

  onAnnouncement<Kind extends AnnouncementKind>(
    kind: Kind,
    handler: (payload: NodeAnnouncements[Kind], from: NodeName) => void,
  ): void {
    this.#announced.set(kind, handler);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll();
    this.#handling.close();
    for (const { failed } of this.#pending.values()) failed(unavailable("the service is about to stop"));
    await this.#options.signals.close();
    await this.#looking;
  }

  #hear(text: string): void {
    const { sealed, metrics, log } = this.#options;
    try {
      const { from, kind, payload } = sealed.openAnnouncement(text);
      if (from === this.node) return;
      metrics.announced("received");
      this.#announced.get(kind)?.(payload as never, from);
    } catch (error) {
      metrics.announced("unreadable");
      log.warn({ err: error, code: codeOf(error) }, "an announcement of another node cannot be read");
    }
  }

  #pollLater(): void {
    this.#cancelPoll = this.#options.clock.after(NODE_MESSAGES_POLL_MS, () => {
      void this.#look().finally(() => {
        if (!this.#isClosed) this.#pollLater();
      });
    });
  }

  /** Looks for messages and answers; once more, where it is called meanwhile. Never rejects. */
  #look(): Promise<void> {
    this.#looksAgain = true;
    this.#looking ??= this.#lookAll().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookAll(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      while (this.#looksAgain && !this.#isClosed) {
        this.#looksAgain = false;
        await Promise.all([this.#takeMessages(), this.#takeAnswers()]);
        await this.#deleteOld();
      }
      this.#failure = undefined;
    } catch (error) {
      const code = codeOf(error);
      if (code !== this.#failure) log.warn({ code }, "messages of other nodes cannot be read at present");
      // The next connection may be better than the one that was lost; later ones wait for the next poll.
      if (this.#failure === undefined) clock.after(NODE_MESSAGES_RETRY_MS, () => void this.#look());
      this.#failure = code;
    }
  }

  async #takeMessages(): Promise<void> {
    const { store, start } = this.#options;
    const limit = this.#handling.room;
    if (limit <= 0) return;
    const messages = await store.take({ node: this.node, taker: start, except: this.#handling.inProgress, limit });
    const isFull = messages.length === limit;
    for (const message of messages) {
      // Those for which there was no room have waited for this one.
      void this.#handling.handle(message).then(() => {
        if (isFull) void this.#look();
      });
    }
  }

  async #takeAnswers(): Promise<void> {
    const { store, sealed } = this.#options;
    if (this.#pending.size === 0) return;
    const answers = await store.answers([...this.#pending.keys()]);
    if (answers.length === 0) return;
    for (const { id, answer } of answers) {
      const pending = this.#pending.get(id);
      try {
        pending?.answered(sealed.openAnswer(id, answer));
      } catch (error) {
        pending?.failed(
          unavailable(
            `the answer of node ${pending.to} cannot be read: do all nodes have the same SECRETS_KEY?`,
            error,
          ),
        );
      }
    }
    await store.delete(answers.map(({ id }) => id));
  }

  async #deleteOld(): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    if (this.#deletedAtMs !== undefined && elapsedMs(this.#deletedAtMs, nowMs) < NODE_MESSAGES_DELETED_MS) return;
    this.#deletedAtMs = nowMs;
    await this.#options.store.deleteOld();
  }
}

const NOT_SENT = unavailable("the database did not take the request to another node in time");
