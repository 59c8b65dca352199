import type { PlacementNode } from "../../../src/cluster/placement.ts";
import type { NodeName } from "../../../src/core/ids.ts";
import { NODE_LEASE_MS } from "../../../src/core/limits/cluster/nodes.ts";

/** What a call is counted under, each with a limit over all nodes. */
export interface Counted {
  account: number;
  number: number;
}

export interface DatabaseOptions {
  slots: Int32Array;
  accountLimits: Int32Array;
  numberLimits: Int32Array;
}

/** The shared database: one transaction after the other, each whole or not at all. Nodes, accounts and numbers are indexes. */
export class Database {
  readonly slots: Int32Array;
  readonly accountLimits: Int32Array;
  readonly numberLimits: Int32Array;
  /** Calls that name the node and are not over, waiting ones among them. */
  readonly calls: Int32Array;
  readonly waiting: Int32Array;
  readonly accountCalls: Int32Array;
  readonly numberCalls: Int32Array;
  readonly #leaseUntilMs: Float64Array;
  readonly #isAccepting: Uint8Array;
  /** The live calls that the nodes announced with their heartbeats. */
  readonly #announced: Int32Array;
  readonly #names: readonly NodeName[];
  /** No lease ends before, ms: leases only become longer. */
  #noneEndsBeforeMs = 0;

  constructor({ slots, accountLimits, numberLimits }: DatabaseOptions) {
    this.slots = slots;
    this.accountLimits = accountLimits;
    this.numberLimits = numberLimits;
    this.calls = new Int32Array(slots.length);
    this.waiting = new Int32Array(slots.length);
    this.accountCalls = new Int32Array(accountLimits.length);
    this.numberCalls = new Int32Array(numberLimits.length);
    this.#leaseUntilMs = new Float64Array(slots.length);
    this.#isAccepting = new Uint8Array(slots.length);
    this.#announced = new Int32Array(slots.length);
    this.#names = Array.from(slots, (_, n) => String(n) as NodeName);
  }

  /** A node starts. */
  register(node: number, nowMs: number): void {
    this.#leaseUntilMs[node] = nowMs + NODE_LEASE_MS;
    this.renew(node, { isAccepting: true, live: 0 }, nowMs);
  }

  /** A node renews its lease; false where it has none to renew, because another node took its calls. */
  renew(node: number, load: { isAccepting: boolean; live: number }, nowMs: number): boolean {
    if (!this.hasLease(node)) return false;
    this.#leaseUntilMs[node] = nowMs + NODE_LEASE_MS;
    this.#isAccepting[node] = load.isAccepting ? 1 : 0;
    this.#announced[node] = load.live;
    return true;
  }

  /** No other node has taken its calls. */
  hasLease(node: number): boolean {
    return (this.#leaseUntilMs[node] ?? 0) > 0;
  }

  /** The nodes whose leases have ended, each once: their calls are the caller's to record. */
  takeExpired(nowMs: number): number[] {
    const expired: number[] = [];
    if (nowMs < this.#noneEndsBeforeMs) return expired;
    this.#noneEndsBeforeMs = nowMs + NODE_LEASE_MS;
    for (let node = 0; node < this.#leaseUntilMs.length; node += 1) {
      const untilMs = this.#leaseUntilMs[node] ?? 0;
      if (untilMs <= 0) continue;
      if (untilMs > nowMs) {
        this.#noneEndsBeforeMs = Math.min(this.#noneEndsBeforeMs, untilMs);
        continue;
      }
      this.#leaseUntilMs[node] = 0;
      expired.push(node);
    }
    return expired;
  }

  /** A node stops of its own accord: its lease ends, and nothing is to be taken. */
  leave(node: number): void {
    this.#leaseUntilMs[node] = 0;
  }

  /** The rows of all nodes. */
  list(nowMs: number): readonly PlacementNode[] {
    return this.#names.map((name, node) => ({
      name,
      isAccepting: this.#isAccepting[node] === 1 && this.hasLease(node),
      leaseLeftMs: (this.#leaseUntilMs[node] ?? 0) - nowMs,
      slots: this.slots[node] ?? 0,
      used: (this.#announced[node] ?? 0) + (this.waiting[node] ?? 0),
    }));
  }

  /** The transaction that creates a call at a node; false where a limit refuses it. */
  create(node: number, counted: Counted): boolean {
    const { account, number } = counted;
    if ((this.accountCalls[account] ?? 0) >= (this.accountLimits[account] ?? 0)) return false;
    if ((this.numberCalls[number] ?? 0) >= (this.numberLimits[number] ?? 0)) return false;
    this.#count(node, counted, 1);
    add(this.waiting, node, 1);
    return true;
  }

  /**
   * The update that redeems a token at `to`; `from` is the node that was named. False where `to` has no lease: its calls were taken
   * while it stood still, and one that it took now would be no node's.
   */
  redeem(from: number, to: number): boolean {
    if (!this.hasLease(to)) return false;
    add(this.waiting, from, -1);
    add(this.calls, from, -1);
    add(this.calls, to, 1);
    return true;
  }

  /** A token that was not redeemed is no good any more. */
  expire(node: number, counted: Counted): void {
    add(this.waiting, node, -1);
    this.#count(node, counted, -1);
  }

  /** The transaction that records a call. */
  record(node: number, counted: Counted): void {
    this.#count(node, counted, -1);
  }

  #count(node: number, { account, number }: Counted, by: 1 | -1): void {
    add(this.calls, node, by);
    add(this.accountCalls, account, by);
    add(this.numberCalls, number, by);
  }
}

function add(counts: Int32Array, at: number, by: 1 | -1): void {
  counts[at] = (counts[at] ?? 0) + by;
}
