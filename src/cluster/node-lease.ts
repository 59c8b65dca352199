import type { Clock } from "../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs } from "../core/clocks.ts";
import { codeOf, TrunklineError } from "../core/errors.ts";
import { NODE_HEARTBEAT_MS, NODE_LEASE_MS, NODE_NAME_WAIT_MS_MAX } from "../core/limits/cluster/nodes.ts";
import type { Logger } from "../core/log/logger.ts";
import type {
  NewNode,
  NodeLoad,
  NodeRecord,
  NodeStore,
  Registration,
  Renewal,
  TakenNode,
} from "../store/cluster/node-store.ts";
import { RepeatedStep } from "./repeated-step.ts";

/** How often a start looks whether its name is free by now. */
const NAME_POLL_MS = 500;

export interface NodeLeaseOptions {
  nodes: NodeStore;
  node: NewNode;
  /** What the node announces now. */
  load: () => NodeLoad;
  /** The rows of all nodes were read. */
  onNodes: (nodes: readonly NodeRecord[]) => void;
  /** The calls of nodes that are gone are this node's from now on. */
  onTaken: (taken: readonly TakenNode[]) => void;
  /** This start has no lease any more, and why. Called once; no record of its calls may be made any more. */
  onFenced: (why: Exclude<Renewal, "renewed">) => void;
  clock: Clock;
  log: Logger;
}

/**
 * Keeps the lease of this node: renews it every NODE_HEARTBEAT_MS, and then reads the rows of all nodes and takes over the calls of those
 * that are gone. Neither a renewal nor the rows wait for a take-over: calls may be locked for seconds by a node that stands still. While
 * the database does not answer nothing is decided: the node goes on with its calls, and finds out what became of its lease when the
 * database is back.
 */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  #isStopped = false;
  #takesOver = false;
  /** Renewals fail, which is logged once. */
  #isFailing = false;
  /** When the last registration or renewal was sent that the store has confirmed; undefined where this start has no lease. */
  #renewedAtMs: MonotonicMs | undefined;
  #renewing: Promise<void> = Promise.resolve();
  readonly #taking: RepeatedStep;
  readonly #reading: RepeatedStep;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    const { log } = options;
    this.#taking = new RepeatedStep(() => this.#take(), "calls of nodes that are gone could not be taken over", log);
    this.#reading = new RepeatedStep(() => this.#read(), "the other nodes could not be read", log);
  }

  /** Whether no other node can have taken this one's calls. It is known without the store. */
  get isCertain(): boolean {
    const { clock } = this.#options;
    return this.#renewedAtMs !== undefined && elapsedMs(this.#renewedAtMs, clock.nowMs()) < NODE_LEASE_MS;
  }

  /**
   * Registers the node, once its name is free. Rejects with `bad_configuration` where a node on another data directory keeps it, or where
   * no node takes the calls of an earlier start whose journals this version does not read; and as the store does.
   */
  async register(): Promise<void> {
    const { nodes, node, clock, log } = this.#options;
    const { name } = node.holder;
    const untilMs = addMs(clock.nowMs(), NODE_NAME_WAIT_MS_MAX);
    for (let waitsFor: Registration["kind"] | undefined; ; ) {
      const sentMs = clock.nowMs();
      const registration = await nodes.register(node);
      if (registration.kind === "registered") {
        this.#renewedAtMs = sentMs;
        log.info({ node: name, incarnation: node.holder.incarnation, calls: registration.calls }, "node registered");
        return;
      }
      if (clock.nowMs() >= untilMs)
        throw registration.kind === "held" ? nameTaken(name) : unreadable(name, registration);
      if (waitsFor !== registration.kind) this.#logWait(registration);
      waitsFor = registration.kind;
      await new Promise<void>((resolve) => {
        clock.after(NAME_POLL_MS, resolve);
      });
    }
  }

  #logWait(registration: Exclude<Registration, { kind: "registered" }>): void {
    const { node, log } = this.#options;
    const { name } = node.holder;
    if (registration.kind === "held") {
      log.warn({ node: name }, "another node has this name: the start waits until its lease has ended");
      return;
    }
    const { calls, version } = registration;
    log.warn(
      { node: name, calls, version },
      "a newer version has left calls under this name: the start waits until a node that reads their journals takes them",
    );
  }

  /** Begins the heartbeats. The rest of a start may take longer than the lease lasts. */
  start(): void {
    this.#next(0);
  }

  /** The heartbeats take the calls of nodes that are gone from now on: there is who records them. */
  takeOver(): void {
    this.#takesOver = true;
  }

  /** Ends the heartbeats and gives the lease up. Only for a node without calls. Never rejects. */
  async stop(): Promise<void> {
    const { nodes, node, log } = this.#options;
    this.#isStopped = true;
    await this.#renewing;
    await this.#taking.idle();
    await this.#reading.idle();
    try {
      await nodes.leave(node.holder);
    } catch (error) {
      log.warn({ err: error, code: codeOf(error) }, "lease could not be given up; it ends by itself");
    }
  }

  #next(delayMs: number): void {
    this.#options.clock.after(delayMs, () => {
      if (this.#isStopped) return;
      this.#renewing = this.#beat().then(() => this.#next(NODE_HEARTBEAT_MS));
    });
  }

  async #beat(): Promise<void> {
    const { nodes, node, load, onFenced, clock, log } = this.#options;
    const sentMs = clock.nowMs();
    try {
      const renewal = await nodes.renew(node.holder, load());
      if (renewal !== "renewed") {
        this.#isStopped = true;
        this.#renewedAtMs = undefined;
        onFenced(renewal);
        return;
      }
      this.#renewedAtMs = sentMs;
      if (this.#isFailing) log.info("lease renewed again");
      this.#isFailing = false;
      if (this.#takesOver) this.#taking.begin();
      this.#reading.begin();
    } catch (error) {
      if (!this.#isFailing) log.error({ err: error, code: codeOf(error) }, "lease could not be renewed");
      this.#isFailing = true;
    }
  }

  /** What a node that stops has taken is left to the others, with its lease. */
  async #take(): Promise<void> {
    const { nodes, node, onTaken } = this.#options;
    const taken = await nodes.takeExpired(node.holder);
    if (taken.length > 0 && !this.#isStopped) onTaken(taken);
  }

  async #read(): Promise<void> {
    const { nodes, onNodes } = this.#options;
    onNodes(await nodes.list());
  }
}

const unreadable = (name: string, { calls, version }: Extract<Registration, { kind: "unreadable" }>): TrunklineError =>
  new TrunklineError(
    "bad_configuration",
    "caller",
    `node ${name} has left ${calls} calls whose journals are of the newer version ${version}, which this version does not read: start that version under this name until it has recorded them, or another node of it, which takes them`,
  );

const nameTaken = (name: string): TrunklineError =>
  new TrunklineError(
    "bad_configuration",
    "caller",
    `NODE_NAME ${name} is the name of another node, which runs on another DATA_DIR: give each node a name of its own`,
  );
