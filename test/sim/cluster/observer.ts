import { NODE_LEASE_MS } from "../../../src/core/limits/cluster/nodes.ts";
import { WAITS } from "./callers.ts";
import type { Simulation } from "./simulation.ts";

export const INVARIANTS = [
  "no limit is broken",
  "what is counted is true",
  "no node is above 1.15 times the mean load",
  "creations succeed within 10 s",
  "no call is placed on a node that is silent for 4 s",
  "a call is refused only where there is no room",
  "calls of a dead node are recorded within 12 s",
  "a deploy cuts no call",
] as const;
export type Invariant = (typeof INVARIANTS)[number];

const LOAD_OF_MEAN_MAX = 1.15;
const CREATED_MS_MAX = 10_000;
const RECORDED_MS_MAX = 12_000;
/** Two missed heartbeats, and the age of the rows. */
const SILENT_MS_MAX = 4_000;
/** A node that draws among rows a second old may miss the last free slots. */
const FREE_SHARE_MAX = 0.03;
/** Counting all calls anew takes some ms. */
const RECOUNT_MS = 5_000;

/** Looks at everything once a second, and keeps what it sees. */
export class Observer {
  creations = 0;
  connections = 0;
  /** Creations that a limit of an account or a number refused. */
  limited = 0;
  refusals = 0;
  /** The highest load of a node, as a multiple of the mean, and when. */
  highest = { ofMean: 0, atMs: 0 };
  liveMax = 0;
  slowestMs = 0;
  readonly violations = new Map<Invariant, { count: number; first: string }>();
  readonly #simulation: Simulation;
  /** When all slots were counted last, and that they were as good as full: within a tick they do not become much emptier. */
  #full = { atMs: -1, isFull: false };

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  violated(invariant: Invariant, detail: string): void {
    const seen = this.violations.get(invariant);
    const first = `at ${(this.#simulation.nowMs / 1_000).toFixed(1)} s: ${detail}`;
    this.violations.set(invariant, { count: (seen?.count ?? 0) + 1, first: seen?.first ?? first });
  }

  /** A call is created on a node. */
  placed(node: number): void {
    const { nodes, nowMs } = this.#simulation;
    const silentMs = nodes.isUp(node) ? 0 : nowMs - nodes.get(node).silentSinceMs;
    if (silentMs > SILENT_MS_MAX) this.violated("no call is placed on a node that is silent for 4 s", `node ${node}`);
  }

  /** A caller has a stream. */
  connected(caller: number): void {
    this.connections += 1;
    this.#took(caller);
  }

  /** A caller got no call in time. */
  gaveUp(caller: number): void {
    this.#took(caller);
  }

  #took(caller: number): void {
    const { callers, nowMs, isOverloaded } = this.#simulation;
    if (isOverloaded) return;
    const tookMs = nowMs - (callers.askedAtMs[caller] ?? 0);
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    if (tookMs > CREATED_MS_MAX) this.violated("creations succeed within 10 s", `${(tookMs / 1_000).toFixed(1)} s`);
  }

  /** `requested` found no node that has room. */
  refused(requested: number): void {
    this.refusals += 1;
    const { nodes, nowMs } = this.#simulation;
    // A node that stood still knows of no lease that goes on, until it has read the rows again.
    if (nowMs - nodes.get(requested).readAtMs > NODE_LEASE_MS) return;
    if (this.#full.atMs === nowMs && this.#full.isFull) return;
    const { free, slots } = this.#room();
    this.#full = { atMs: nowMs, isFull: free / slots <= FREE_SHARE_MAX / 2 };
    if (free / slots <= FREE_SHARE_MAX) return;
    this.violated("a call is refused only where there is no room", `${free} of ${slots} slots are free`);
  }

  /** Of the nodes that take calls. */
  #room(): { free: number; slots: number } {
    const { database, nodes } = this.#simulation;
    let free = 0;
    let slots = 0;
    for (const [node, { state }] of nodes.all.entries()) {
      if (state !== "accepting") continue;
      slots += database.slots[node] ?? 0;
      free += Math.max(0, (database.slots[node] ?? 0) - (database.calls[node] ?? 0));
    }
    return { free, slots };
  }

  observe(): void {
    const { nowMs, plan, deploy } = this.#simulation;
    if (nowMs >= plan.phases.fullFromMs) this.#compareLoads();
    if (nowMs % RECOUNT_MS === 0) this.#recount();
    if (nowMs === plan.phases.failureAtMs + RECORDED_MS_MAX) this.#checkRecorded();
    if (deploy.cut > 0) this.violated("a deploy cuts no call", `${deploy.cut}`);
  }

  #compareLoads(): void {
    const { nodes, nowMs } = this.#simulation;
    let highest = 0;
    let sum = 0;
    let count = 0;
    for (const [node, { state }] of nodes.all.entries()) {
      if (state !== "accepting") continue;
      const load = this.#simulation.loadOf(node);
      highest = Math.max(highest, load);
      sum += load;
      count += 1;
    }
    const ofMean = (highest * count) / sum;
    if (ofMean > this.highest.ofMean) this.highest = { ofMean, atMs: nowMs };
    if (ofMean > LOAD_OF_MEAN_MAX) {
      this.violated("no node is above 1.15 times the mean load", `${ofMean.toFixed(3)} times`);
    }
  }

  /** Counts all calls from what their callers and nodes know, and holds that to the limits and to what the database counted. */
  #recount(): void {
    const { callers, database, nodes, abandoned } = this.#simulation;
    const calls = new Int32Array(database.calls.length);
    const live = new Int32Array(database.calls.length);
    const accounts = new Int32Array(database.accountCalls.length);
    const numbers = new Int32Array(database.numberCalls.length);
    const count = (node: number, account: number, number: number): void => {
      calls[node] = (calls[node] ?? 0) + 1;
      accounts[account] = (accounts[account] ?? 0) + 1;
      numbers[number] = (numbers[number] ?? 0) + 1;
    };
    for (let caller = 0; caller < callers.capacity; caller += 1) {
      const waits = callers.waits[caller];
      if (waits !== WAITS.stream && waits !== WAITS.end) continue;
      const node = callers.node[caller] ?? 0;
      // A live call of an earlier start is over; its node counts it until it is recorded.
      if (waits === WAITS.end && callers.incarnation[caller] !== nodes.get(node).incarnation) continue;
      count(node, callers.account[caller] ?? 0, callers.number[caller] ?? 0);
      if (waits === WAITS.end) live[node] = (live[node] ?? 0) + 1;
    }
    for (const { node, account, number } of abandoned) count(node, account, number);
    for (const [node, { orphans }] of nodes.all.entries()) {
      for (const { account, number } of orphans) count(node, account, number);
    }
    this.liveMax = Math.max(
      this.liveMax,
      live.reduce((sum, some) => sum + some, 0),
    );
    this.#compare(
      "live calls of node",
      live,
      Int32Array.from(nodes.all, (node) => node.live),
      database.slots,
    );
    this.#compare("calls of node", calls, database.calls);
    this.#compare("calls of account", accounts, database.accountCalls, database.accountLimits);
    this.#compare("calls of number", numbers, database.numberCalls, database.numberLimits);
  }

  #compare(what: string, found: Int32Array, counted: Int32Array, limits?: Int32Array): void {
    for (const [n, calls] of found.entries()) {
      const limit = limits?.[n] ?? Number.POSITIVE_INFINITY;
      if (calls === counted[n] && calls <= limit) continue;
      const detail = `${what} ${n}: ${calls}, counted ${counted[n]}, at most ${limit}`;
      if (calls !== counted[n]) this.violated("what is counted is true", detail);
      if (calls > limit) this.violated("no limit is broken", detail);
    }
  }

  #checkRecorded(): void {
    const { nodes, plan } = this.#simulation;
    for (const node of plan.failing) {
      const { length } = nodes.get(node).orphans;
      if (length > 0) this.violated("calls of a dead node are recorded within 12 s", `${length} of node ${node}`);
    }
  }
}
