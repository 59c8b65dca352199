import type { Clock } from "../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../core/clocks.ts";
import type { NodeName } from "../core/ids.ts";
import type { NodeRecord } from "../store/cluster/node-store.ts";
import { chooseNode, openNodes, type PlacementNode } from "./placement.ts";

/** Calls of carriers and WebSockets, or WebRTC calls: other workers carry them. */
export type PlacementRole = "media" | "webrtc";

/** A node that was chosen for a call. */
export interface ChosenNode {
  name: NodeName;
  /** Where streams reach it alone; undefined where all nodes have one address. */
  mediaUrl: string | undefined;
  webrtcUrl: string | undefined;
}

/** The nodes as they were when their rows were read last, with the calls that this node has placed since. */
export class NodeView {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #random: () => number;
  #records: readonly NodeRecord[] = [];
  #readMs: MonotonicMs | undefined;
  /** How many calls of each kind were placed on a node since the rows were read. */
  readonly #placed = new Map<string, number>();

  /** `random` gives numbers from 0 up to 1. */
  constructor(clock: Pick<Clock, "nowMs">, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The rows of all nodes were read just now. */
  update(records: readonly NodeRecord[]): void {
    this.#records = records;
    this.#readMs = this.#clock.nowMs();
    this.#placed.clear();
  }

  /** All nodes, by name; what is left of their leases is that of now. */
  get nodes(): readonly NodeRecord[] {
    const ageMs = this.#readMs === undefined ? 0 : elapsedMs(this.#readMs, this.#clock.nowMs());
    return this.#records.map((record) => ({ ...record, leaseLeftMs: record.leaseLeftMs - ageMs }));
  }

  /** The node of this name; undefined where there is none, or its lease has ended. */
  find(name: NodeName): NodeRecord | undefined {
    return this.nodes.find((node) => node.name === name && isThere(node));
  }

  /** Those that have a lease. */
  get present(): readonly NodeRecord[] {
    return this.nodes.filter(isThere);
  }

  /** How many more calls of these workers all nodes together can take. */
  freeSlots(role: PlacementRole): number {
    return this.nodes
      .map((node) => candidateOf(node, role))
      .filter(({ isAccepting }) => isAccepting)
      .reduce((sum, { name, slots, used }) => sum + Math.max(0, slots - used - this.#placedOn(name, role)), 0);
  }

  /** Chooses a node for a new call, which counts as placed on it from now on. Undefined where none has room. */
  place(role: PlacementRole): ChosenNode | undefined {
    const { nodes } = this;
    const open = openNodes(nodes.map((node) => candidateOf(node, role)));
    const name = chooseNode(open, (node) => this.#placedOn(node, role), this.#random);
    const chosen = nodes.find((node) => node.name === name);
    if (chosen === undefined) return undefined;
    const key = `${role} ${chosen.name}`;
    this.#placed.set(key, (this.#placed.get(key) ?? 0) + 1);
    return { name: chosen.name, mediaUrl: chosen.mediaUrl, webrtcUrl: chosen.webrtcUrl };
  }

  #placedOn(name: NodeName, role: PlacementRole): number {
    return this.#placed.get(`${role} ${name}`) ?? 0;
  }
}

function candidateOf(node: NodeRecord, role: PlacementRole): PlacementNode {
  const { name, leaseLeftMs } = node;
  const [slots, carried, waiting] =
    role === "webrtc"
      ? [node.webrtcSlots, node.webrtcCalls, node.waitingWebrtcCalls]
      : [node.callSlots, node.calls, node.waitingCalls];
  return {
    name,
    isAccepting: node.state === "accepting" && isThere(node),
    leaseLeftMs,
    slots,
    used: carried + waiting,
  };
}

const isThere = ({ leaseLeftMs, takenBy }: NodeRecord): boolean => takenBy === undefined && leaseLeftMs > 0;
