import type {
  AnnouncementKind,
  AnswerOf,
  NodeAnnouncements,
  NodeRequestKind,
  PayloadOf,
} from "../../../src/cluster/message-kinds.ts";
import type { NodeMessages, RequestHandler } from "../../../src/cluster/node-messages.ts";
import type { Clock } from "../../../src/core/clock.ts";
import { nodeUnreachable, unavailable } from "../../../src/core/errors.ts";
import type { NodeName } from "../../../src/core/ids.ts";
import {
  ANNOUNCEMENT_BYTES_MAX,
  NODE_ANSWER_BYTES_MAX,
  NODE_ANSWER_MS_MAX,
  NODE_REQUEST_BYTES_MAX,
  NODE_REQUESTS_PENDING_MAX,
} from "../../../src/core/limits/cluster/node-messages.ts";
import { newId } from "../../../src/core/new-id.ts";

/** Nodes of a cluster in the memory of one test. */
export class MemoryCluster {
  readonly #clock: Pick<Clock, "after">;
  readonly #nodes = new Map<NodeName, MemoryNodeMessages>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  join(node: NodeName): NodeMessages {
    const joined = new MemoryNodeMessages(node, this.#nodes, this.#clock);
    this.#nodes.set(node, joined);
    return joined;
  }
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify({ value })).value;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify({ value }));

class MemoryNodeMessages implements NodeMessages {
  readonly node: NodeName;
  readonly #nodes: ReadonlyMap<NodeName, MemoryNodeMessages>;
  readonly #clock: Pick<Clock, "after">;
  readonly #handlers = new Map<string, (payload: never, origin: never) => unknown>();
  readonly #announced = new Map<string, (payload: never, from: NodeName) => void>();
  readonly #pending = new Set<(error: Error) => void>();
  #isClosed = false;

  constructor(node: NodeName, nodes: ReadonlyMap<NodeName, MemoryNodeMessages>, clock: Pick<Clock, "after">) {
    this.node = node;
    this.#nodes = nodes;
    this.#clock = clock;
  }

  async request<Kind extends NodeRequestKind>(
    to: NodeName,
    kind: Kind,
    payload: PayloadOf<Kind>,
  ): Promise<AnswerOf<Kind>> {
    if (this.#isClosed || this.#pending.size >= NODE_REQUESTS_PENDING_MAX) throw unavailable("too many requests");
    if (bytesOf(payload) > NODE_REQUEST_BYTES_MAX) throw new RangeError("the request is too large");
    let settle = (_: Error): void => {};
    const given = new Promise<never>((_, reject) => {
      settle = reject;
    });
    const cancel = this.#clock.after(NODE_ANSWER_MS_MAX, () => settle(nodeUnreachable(to, NODE_ANSWER_MS_MAX)));
    this.#pending.add(settle);
    try {
      return await Promise.race([given, this.#nodes.get(to)?.answer(this.node, kind, throughJson(payload)) ?? given]);
    } finally {
      cancel();
      this.#pending.delete(settle);
    }
  }

  /** What this node answers to a request. */
  async answer<Kind extends NodeRequestKind>(
    from: NodeName,
    kind: Kind,
    payload: PayloadOf<Kind>,
  ): Promise<AnswerOf<Kind>> {
    const handler = this.#handlers.get(kind) as RequestHandler<Kind> | undefined;
    if (this.#isClosed) return await new Promise<never>(() => {});
    try {
      const answer = await handler?.(payload, { from, id: newId("message") });
      if (handler === undefined || bytesOf(answer) > NODE_ANSWER_BYTES_MAX) throw new Error("unknown, or too large");
      return throughJson(answer) as AnswerOf<Kind>;
    } catch (error) {
      throw unavailable(`node ${this.node} could not do it`, error);
    }
  }

  onRequest<Kind extends NodeRequestKind>(kind: Kind, handler: RequestHandler<Kind>): void {
    this.#handlers.set(kind, handler as (payload: never, origin: never) => unknown);
  }

  announce<Kind extends AnnouncementKind>(kind: Kind, payload: NodeAnnouncements[Kind]): void {
    // Sealed, they are a third larger.
    if ((bytesOf(payload) * 4) / 3 > ANNOUNCEMENT_BYTES_MAX) throw new RangeError("the announcement is too large");
    const heard = throughJson(payload);
    for (const other of this.#nodes.values())
      if (other !== this && !this.#isClosed) void Promise.resolve().then(() => other.hear(kind, heard, this.node));
  }

  hear(kind: string, payload: unknown, from: NodeName): void {
    if (!this.#isClosed) this.#announced.get(kind)?.(payload as never, from);
  }

  onAnnouncement<Kind extends AnnouncementKind>(
    kind: Kind,
    handler: (payload: NodeAnnouncements[Kind], from: NodeName) => void,
  ): void {
    this.#announced.set(kind, handler);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const settle of this.#pending) settle(unavailable("the service is about to stop"));
  }
}
