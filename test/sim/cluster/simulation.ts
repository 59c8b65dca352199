import { chooseNode } from "../../../src/cluster/placement.ts";
import { Callers, TICK_MS, WAITS } from "./callers.ts";
import { type Counted, Database } from "./database.ts";
import { Deploy } from "./deploy.ts";
import { Nodes } from "./nodes.ts";
import { Observer } from "./observer.ts";
import { CALL_MS, CALL_MS_MAX, drawCounted, type Options, type Plan, planFor } from "./plan.ts";

/** Until when a call waits for its stream. */
const TOKEN_MS = 30_000;
/** What `Retry-After` and a refused connection mean to a client. */
const RETRY_MS = 1_000;
/** How long a balancer sends requests to a node that does not answer. */
const UNNOTICED_MS = 3_000;
/** All who were cut off call again within this time. */
const CALL_AGAIN_MS = 2_000;
/** How long a node that stood still serves calls before it learns what became of its lease. */
const RESUME_MS = 200;
/** Machines that failed at once are back one by one, all within this time. */
const RETURN_MS = 100_000;
/** More callers at once than usual, as a share of all calls, within a second. */
const HERD_SHARE = 0.2;
const HERD_MS = 1_000;
/** At the end more call than there is room for. */
const OVERLOAD_MS = 90_000;
const OVERLOAD_RATE = 2;
/** A caller who got no call for so long gives up. */
const PATIENCE_MS = 20_000;

/** A waiting call whose caller asked for another one. */
interface Abandoned extends Counted {
  node: number;
  untilMs: number;
}

/** Half a million calls at a thousand nodes that share a database, in virtual time. */
export class Simulation {
  readonly plan: Plan;
  readonly database: Database;
  readonly nodes: Nodes;
  readonly callers: Callers;
  readonly observer: Observer;
  readonly deploy: Deploy;
  abandoned: Abandoned[] = [];
  #owed = 0;
  #overloadedFromMs: number | undefined;

  constructor(options: Options) {
    this.plan = planFor(options);
    this.database = new Database(this.plan);
    this.nodes = new Nodes(this.database, this.plan.random);
    this.callers = new Callers(Math.ceil(options.calls * 2.5) + 1_000);
    this.observer = new Observer(this);
    this.deploy = new Deploy(this);
    this.nodes.onTaken = (node) => this.loseCalls(node);
  }

  get nowMs(): number {
    return this.callers.nowMs;
  }

  /** More calls are wanted than there is room for. */
  get isOverloaded(): boolean {
    return this.#overloadedFromMs !== undefined;
  }

  /** Plays everything; `progress` is called every ten minutes of virtual time. */
  run(progress: () => void): void {
    const isOver = (): boolean =>
      this.#overloadedFromMs !== undefined && this.nowMs >= this.#overloadedFromMs + OVERLOAD_MS;
    while (!isOver()) {
      this.callers.advance((caller) => this.#due(caller));
      this.#arrivals();
      this.nodes.beat(this.nowMs);
      this.#accidents();
      if (this.nowMs % 1_000 !== 0) continue;
      this.#expire();
      this.deploy.advance();
      if (this.deploy.isDone) this.#overloadedFromMs ??= this.nowMs;
      this.observer.observe();
      if (this.nowMs % 600_000 === 0) progress();
    }
  }

  #arrivals(): void {
    const { calls, phases } = this.plan;
    this.#owed += (calls / CALL_MS) * (this.isOverloaded ? OVERLOAD_RATE : 1) * TICK_MS;
    for (; this.#owed >= 1; this.#owed -= 1) this.#arrive(TICK_MS);
    if (this.nowMs !== phases.herdAtMs) return;
    for (let n = 0; n < calls * HERD_SHARE; n += 1) this.#arrive(HERD_MS);
  }

  #arrive(withinMs: number): void {
    const { random } = this.plan;
    this.#ask(drawCounted(random), drawCounted(random), random() * withinMs);
  }

  /** A caller who wants a call in a moment. */
  #ask(account: number, number: number, inMs: number): void {
    const { callers } = this;
    const caller = callers.add();
    callers.account[caller] = account;
    callers.number[caller] = number;
    callers.askedAtMs[caller] = this.nowMs + inMs;
    callers.wait(caller, WAITS.attempt, inMs);
  }

  #accidents(): void {
    const { phases, failing, stopped } = this.plan;
    const { nowMs, nodes } = this;
    if (nowMs === phases.failureAtMs) {
      for (const node of failing) {
        nodes.silence(node, "dead", nowMs);
        this.loseCalls(node);
      }
      for (const node of stopped.keys()) nodes.silence(node, "stopped", nowMs);
    }
    for (const [node, forMs] of stopped) {
      if (nowMs !== phases.failureAtMs + forMs) continue;
      const resumed = nodes.get(node);
      resumed.state = "accepting";
      resumed.heartbeatAtMs = nowMs + RESUME_MS;
    }
    const everyMs = Math.round(RETURN_MS / failing.size / TICK_MS) * TICK_MS;
    const returning = (nowMs - phases.returnAtMs) / everyMs;
    const node = Number.isInteger(returning) ? [...failing][returning] : undefined;
    if (node !== undefined) nodes.start(node, nowMs);
  }

  /** The live calls of a node that carries them no more: another node will record them, and their callers call again. */
  loseCalls(node: number): void {
    const { callers } = this;
    const lost = this.nodes.get(node);
    for (let caller = 0; caller < callers.capacity; caller += 1) {
      if (callers.waits[caller] !== WAITS.end || callers.node[caller] !== node) continue;
      if (callers.incarnation[caller] !== lost.incarnation) continue;
      const counted = this.#countedOf(caller);
      lost.orphans.push(counted);
      this.#ask(counted.account, counted.number, this.plan.random() * CALL_AGAIN_MS);
    }
    lost.incarnation += 1;
    lost.live = 0;
  }

  #countedOf(caller: number): Counted {
    const { account, number } = this.callers;
    return { account: account[caller] ?? 0, number: number[caller] ?? 0 };
  }

  #due(caller: number): void {
    const waits = this.callers.waits[caller];
    if (waits === WAITS.attempt) this.#create(caller);
    else if (waits === WAITS.stream) this.#connect(caller);
    else this.#end(caller);
  }

  /** A node that the balancer sends the request to; undefined where that does not answer. */
  #requested(): number | undefined {
    for (;;) {
      const node = Math.floor(this.plan.random() * this.plan.nodes);
      if (this.nodes.isUp(node)) return node;
      if (this.nowMs - this.nodes.get(node).silentSinceMs < UNNOTICED_MS) return undefined;
    }
  }

  #create(caller: number): void {
    const { callers, database, observer } = this;
    const requested = this.#requested();
    if (requested === undefined) {
      this.#again(caller);
      return;
    }
    const { placed } = this.nodes.get(requested);
    const open = this.nodes.openTo(requested, this.nowMs);
    observer.creations += 1;
    const chosen = chooseNode(open, (name) => placed[Number(name)] ?? 0, this.plan.random);
    if (chosen === undefined) {
      observer.refused(requested);
      this.#again(caller);
      return;
    }
    const node = Number(chosen);
    if (!database.create(node, this.#countedOf(caller))) {
      observer.limited += 1;
      callers.remove(caller);
      return;
    }
    placed[node] = (placed[node] ?? 0) + 1;
    observer.placed(node);
    callers.node[caller] = node;
    callers.tokenUntilMs[caller] = this.nowMs + TOKEN_MS;
    callers.wait(caller, WAITS.stream, 20 + this.plan.random() * 480);
  }

  #again(caller: number): void {
    const { callers } = this;
    if (this.nowMs - (callers.askedAtMs[caller] ?? 0) < PATIENCE_MS) {
      callers.wait(caller, WAITS.attempt, RETRY_MS);
      return;
    }
    this.observer.gaveUp(caller);
    callers.remove(caller);
  }

  #connect(caller: number): void {
    const { callers, database } = this;
    const named = callers.node[caller] ?? 0;
    const node = this.plan.hasSharedAddress ? this.#balanced(named) : named;
    if (!this.#accepts(node) || !database.redeem(named, node)) {
      const untilMs = callers.tokenUntilMs[caller] ?? 0;
      this.abandoned.push({ ...this.#countedOf(caller), node: named, untilMs });
      this.#again(caller);
      return;
    }
    const taker = this.nodes.get(node);
    taker.live += 1;
    callers.node[caller] = node;
    callers.incarnation[caller] = taker.incarnation;
    this.observer.connected(caller);
    callers.wait(caller, WAITS.end, CALL_MS_MAX * (1 / 3 + (2 / 3) * this.plan.random()));
  }

  /** It answers, and a worker of it has room: also for calls that were created before it drained. */
  #accepts(node: number): boolean {
    return this.nodes.isUp(node) && this.nodes.get(node).live < (this.database.slots[node] ?? 0);
  }

  /** The node that a balancer leads a stream to: the less loaded of two that take calls, as nginx has it with `random two least_conn`. */
  #balanced(named: number): number {
    const { nodes, plan } = this;
    let least: number | undefined;
    for (let n = 0; n < 2; ) {
      const node = Math.floor(plan.random() * plan.nodes);
      if (nodes.get(node).state !== "accepting") continue;
      n += 1;
      if (!this.#accepts(node)) continue;
      if (least === undefined || this.loadOf(node) < this.loadOf(least)) least = node;
    }
    return least ?? named;
  }

  /** How much of the node its calls take, 0 to 1. */
  loadOf(node: number): number {
    return this.nodes.get(node).live / (this.database.slots[node] ?? 1);
  }

  #end(caller: number): void {
    const { callers, nodes } = this;
    const node = callers.node[caller] ?? 0;
    const carrier = nodes.get(node);
    const isItsCall = callers.incarnation[caller] === carrier.incarnation;
    if (isItsCall && carrier.state === "stopped") {
      // A node that stands still records the end when it goes on.
      callers.wait(caller, WAITS.end, RETRY_MS);
      return;
    }
    if (isItsCall) {
      carrier.live -= 1;
      this.database.record(node, this.#countedOf(caller));
    }
    callers.remove(caller);
  }

  /** Waiting calls whose tokens will not be used. */
  #expire(): void {
    const { nowMs } = this;
    for (const call of this.abandoned) if (call.untilMs <= nowMs) this.database.expire(call.node, call);
    this.abandoned = this.abandoned.filter(({ untilMs }) => untilMs > nowMs);
  }
}
