import type { Clock } from "../core/clock.ts";
import { type EpochMs, elapsedMs, type MonotonicMs } from "../core/clocks.ts";
import type { CallId, NodeName, WorkerId } from "../core/ids.ts";
import {
  HOLDS_ANNOUNCED_MS,
  HOLDS_FORGOTTEN_MS,
  HOLDS_OF_NODES_MAX,
  HOLDS_PER_ANNOUNCEMENT,
} from "../core/limits/cluster/node-messages.ts";
import type { HoldReport } from "../store/call-handoff.ts";
import type { NodeMessages } from "./node-messages.ts";

/** Which callers are on hold at one node. */
export interface Holds {
  sinceMs(callId: CallId): EpochMs | undefined;
  reported(workerId: WorkerId, report: HoldReport): void;
  ended(callId: CallId): void;
  workerDisconnected(workerId: WorkerId): void;
  /** All of them. */
  readonly all: readonly Hold[];
}

export interface Hold {
  callId: CallId;
  sinceMs: EpochMs;
}

export interface NodeHoldsOptions {
  /** Those of this node. */
  here: Holds;
  messages: Pick<NodeMessages, "announce" | "onAnnouncement">;
  clock: Pick<Clock, "nowMs" | "after">;
}

/** Which callers are on hold at any node, as the nodes announce it to each other. Each repeats all of its own now and then. */
export class NodeHolds implements Holds {
  readonly #options: NodeHoldsOptions;
  /** Of other nodes, in the order in which they were last heard of. */
  readonly #heard = new Map<CallId, { node: NodeName; sinceMs: EpochMs; heardAtMs: MonotonicMs }>();

  constructor(options: NodeHoldsOptions) {
    this.#options = options;
  }

  /** Tells the other nodes of the holds here, and asks them for theirs. */
  start(): void {
    const { messages } = this.#options;
    messages.onAnnouncement("holds", ({ holds, isOver, isFirst }, node) => {
      for (const { callId, sinceMs } of holds) this.heardOf(node, callId, isOver ? undefined : sinceMs);
      if (isFirst === true) this.#announceAll();
    });
    messages.announce("holds", { holds: [], isOver: false, isFirst: true });
    this.#repeatLater();
  }

  get all(): readonly Hold[] {
    return this.#options.here.all;
  }

  sinceMs(callId: CallId): EpochMs | undefined {
    const { here, clock } = this.#options;
    const heard = this.#heard.get(callId);
    const isRecent = heard !== undefined && elapsedMs(heard.heardAtMs, clock.nowMs()) < HOLDS_FORGOTTEN_MS;
    return here.sinceMs(callId) ?? (isRecent ? heard.sinceMs : undefined);
  }

  reported(workerId: WorkerId, report: HoldReport): void {
    const { here } = this.#options;
    const { callId, sinceMs } = report;
    const before = here.sinceMs(callId);
    here.reported(workerId, report);
    if (sinceMs !== undefined) this.#announce([{ callId, sinceMs }], false);
    else if (before !== undefined) this.#announce([{ callId, sinceMs: before }], true);
  }

  ended(callId: CallId): void {
    const sinceMs = this.#options.here.sinceMs(callId);
    this.#options.here.ended(callId);
    if (sinceMs !== undefined) this.#announce([{ callId, sinceMs }], true);
  }

  /** The other nodes hear no more of its holds, and forget them. */
  workerDisconnected(workerId: WorkerId): void {
    this.#options.here.workerDisconnected(workerId);
  }

  /** A caller is on hold at another node since then; no longer where that is absent. */
  heardOf(node: NodeName, callId: CallId, sinceMs: EpochMs | undefined): void {
    this.#heard.delete(callId);
    if (sinceMs === undefined) return;
    this.#heard.set(callId, { node, sinceMs, heardAtMs: this.#options.clock.nowMs() });
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > HOLDS_OF_NODES_MAX && oldest !== undefined) this.#heard.delete(oldest);
  }

  #announce(holds: readonly Hold[], isOver: boolean): void {
    this.#options.messages.announce("holds", { holds, isOver });
  }

  #announceAll(): void {
    const { all } = this.#options.here;
    for (let from = 0; from < all.length; from += HOLDS_PER_ANNOUNCEMENT)
      this.#announce(all.slice(from, from + HOLDS_PER_ANNOUNCEMENT), false);
  }

  #repeatLater(): void {
    const { clock } = this.#options;
    clock.after(HOLDS_ANNOUNCED_MS, () => {
      this.#announceAll();
      for (const [callId, { heardAtMs }] of this.#heard) {
        if (elapsedMs(heardAtMs, clock.nowMs()) < HOLDS_FORGOTTEN_MS) break;
        this.#heard.delete(callId);
      }
      this.#repeatLater();
    });
  }
}
