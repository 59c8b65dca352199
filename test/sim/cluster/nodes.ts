import { openNodes, type PlacementNode } from "../../../src/cluster/placement.ts";
import { NODE_HEARTBEAT_MS } from "../../../src/core/limits/cluster/nodes.ts";
import type { Counted, Database } from "./database.ts";

/** Nodes of one group read the rows at the same time: a thousand lists of a thousand rows in each second would take most of the time. */
const BEAT_GROUPS = 50;

interface Node {
  /** A draining node only carries the calls that it has; a stopped or dead one does nothing. */
  state: "accepting" | "draining" | "stopped" | "dead";
  /** One more at each start: what an earlier start carried is not this one's. */
  incarnation: number;
  /** The calls that it carries. */
  live: number;
  /** The rows of all nodes, as it last read them, and the nodes of them that it would place calls on. */
  rows: readonly PlacementNode[];
  readAtMs: number;
  open: readonly PlacementNode[];
  /** What it has placed on each since then. */
  placed: Uint16Array;
  heartbeatAtMs: number;
  /** Since when it is dead or stopped, ms. */
  silentSinceMs: number;
  /** Calls that it lost, until they are recorded. */
  orphans: Counted[];
}

/** All nodes of the cluster: their heartbeats, and who records the calls of those that are gone. */
export class Nodes {
  readonly all: readonly Node[];
  /** Calls that were recorded for a node that was gone. */
  recovered = 0;
  /** A node's lease was taken while it carried calls: they are lost to it. */
  onTaken: (node: number) => void = () => {};
  readonly #database: Database;

  constructor(database: Database, random: () => number) {
    this.#database = database;
    const count = database.slots.length;
    this.all = Array.from({ length: count }, () => ({
      state: "accepting",
      incarnation: 1,
      live: 0,
      rows: [],
      readAtMs: 0,
      open: [],
      placed: new Uint16Array(count),
      heartbeatAtMs: Math.floor(random() * BEAT_GROUPS) * (NODE_HEARTBEAT_MS / BEAT_GROUPS),
      silentSinceMs: 0,
      orphans: [],
    }));
    for (const node of this.all.keys()) database.register(node, 0);
    const rows = database.list(0);
    const open = openNodes(rows);
    for (const node of this.all) reads(node, rows, open, 0);
  }

  get(node: number): Node {
    const found = this.all[node];
    if (found === undefined) throw new Error(`there is no node ${node}`);
    return found;
  }

  /** It serves requests; one that drains does, too. */
  isUp(node: number): boolean {
    const { state } = this.get(node);
    return state === "accepting" || state === "draining";
  }

  /** The nodes that it would place a call on now: what is left of their leases gets less while it does not read them again. */
  openTo(name: number, nowMs: number): readonly PlacementNode[] {
    const { rows, readAtMs, open } = this.get(name);
    const ageMs = nowMs - readAtMs;
    if (ageMs <= NODE_HEARTBEAT_MS) return open;
    return openNodes(rows.map((row) => ({ ...row, leaseLeftMs: row.leaseLeftMs - ageMs })));
  }

  /** From now on it does nothing. */
  silence(node: number, state: "stopped" | "dead", nowMs: number): void {
    const silent = this.get(node);
    silent.state = state;
    silent.silentSinceMs = nowMs;
  }

  /** It takes no new calls from now on, and says so at once. */
  drain(node: number, nowMs: number): void {
    const draining = this.get(node);
    draining.state = "draining";
    this.#database.renew(node, { isAccepting: false, live: draining.live }, nowMs);
  }

  /** The heartbeats that are due: a lease is renewed, gone nodes are taken, all rows are read. */
  beat(nowMs: number): void {
    // Nodes that read at the same time read the same.
    let rows: readonly PlacementNode[] | undefined;
    let open: readonly PlacementNode[] = [];
    for (const [name, node] of this.all.entries()) {
      if (node.heartbeatAtMs > nowMs) continue;
      if (node.state !== "accepting" && node.state !== "draining") continue;
      node.heartbeatAtMs = nowMs + NODE_HEARTBEAT_MS;
      const load = { isAccepting: node.state === "accepting", live: node.live };
      if (!this.#database.renew(name, load, nowMs)) this.start(name, nowMs);
      for (const expired of this.#database.takeExpired(nowMs)) {
        this.onTaken(expired);
        this.#record(expired);
      }
      if (rows === undefined) {
        rows = this.#database.list(nowMs);
        open = openNodes(rows);
      }
      reads(node, rows, open, nowMs);
    }
  }

  /** A start of a node: it has no calls, and records those of its earlier start that no other node took. */
  start(name: number, nowMs: number): void {
    const node = this.get(name);
    this.#record(name);
    node.incarnation += 1;
    node.live = 0;
    node.state = "accepting";
    node.heartbeatAtMs = nowMs + NODE_HEARTBEAT_MS;
    this.#database.register(name, nowMs);
    const rows = this.#database.list(nowMs);
    reads(node, rows, openNodes(rows), nowMs);
  }

  #record(name: number): void {
    const { orphans } = this.get(name);
    for (const counted of orphans) this.#database.record(name, counted);
    this.recovered += orphans.length;
    orphans.length = 0;
  }
}

function reads(node: Node, rows: readonly PlacementNode[], open: readonly PlacementNode[], nowMs: number): void {
  node.rows = rows;
  node.readAtMs = nowMs;
  node.open = open;
  node.placed.fill(0);
}
