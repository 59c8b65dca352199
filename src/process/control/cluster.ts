import { existsSync } from "node:fs";
import type { CallAcceptance } from "../../api/http/health.ts";
import { NodeLease } from "../../cluster/node-lease.ts";
import { NodeView } from "../../cluster/node-view.ts";
import type { ClusterSettings } from "../../config/cluster.ts";
import type { Clock } from "../../core/clock.ts";
import { codeOf, TrunklineError } from "../../core/errors.ts";
import type { CallId, NodeName, WorkerId } from "../../core/ids.ts";
import { NODE_CLOSING_MS, NODE_HEARTBEAT_MS, NODE_SLOTS_COMPARED_MS } from "../../core/limits/cluster/nodes.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { MediaUrls } from "../../core/network/media-urls.ts";
import { nodeTagOf, type RelayNode } from "../../core/network/node-tags.ts";
import { SOFTWARE } from "../../core/runtime/version.ts";
import type { CallOwnership } from "../../record/bucket/journal-shipper.ts";
import type { LostCallRecovery } from "../../record/finalization/lost-call-recovery.ts";
import { journalPath } from "../../record/journal/reader.ts";
import { JOURNAL_VERSION } from "../../record/journal/versions.ts";
import type { CallPlacement } from "../../store/admission/call-admission.ts";
import type { Capacity } from "../../store/admission/capacity.ts";
import type { CallStore } from "../../store/calls/call-store.ts";
import type { NodeHolder, NodeLoad, NodeStore, Renewal, TakenNode } from "../../store/cluster/node-store.ts";
import { installationId } from "../../store/data-dir/installation.ts";
import { HANDOFF_PROTOCOL_VERSION } from "../../store/handoff/messages.ts";
import type { HandoffHandlers } from "../../store/handoff/thread-client.ts";
import type { PhoneCallStore } from "../../store/telephony/phone-call-store.ts";

/** How soon a worker's calls are compared again with the store, after that did not answer. */
const COMPARE_RETRY_MS = 1_000;

export interface ClusterOptions {
  settings: ClusterSettings;
  /** The number of this start. */
  incarnation: number;
  nodes: NodeStore;
  calls: Pick<CallStore, "listActive" | "listWaiting">;
  dataDir: string;
  /** Of WebRTC calls, where this node alone is reached. */
  webrtcUrl: string | undefined;
  /** This start has no lease any more, and what others need of its calls is shipped: the process must end. */
  onFenced: () => void;
  clock: Clock;
  log: Logger;
}

/** What a node needs of the rest of the control process, once that exists. */
export interface ClusterParts {
  load: () => NodeLoad;
  lostCalls: Pick<LostCallRecovery, "recoverTaken">;
  capacity: Pick<Capacity, "compareHeld">;
  phoneCalls: Pick<PhoneCallStore, "listPending">;
  endCall: (workerId: WorkerId, callId: CallId, reason: "worker_lost") => boolean;
  /** Ends the calls of this node and ships what is left of their journals: other nodes have taken them. Never rejects. */
  giveWay: () => Promise<void>;
  /** To its workers. */
  sendRelayNodes: (nodes: readonly RelayNode[]) => void;
}

/** This node as a member of its cluster. */
export class ClusterMember {
  readonly holder: NodeHolder;
  readonly view: NodeView;
  readonly lease: NodeLease;
  readonly #options: ClusterOptions;
  readonly #seenWorkers = new Set<WorkerId>();
  /** Calls from before this start, of which the store has not said that they are this node's. */
  readonly #unknown = new Set<CallId>();
  #parts: ClusterParts | undefined;

  private constructor(options: ClusterOptions) {
    const { settings, incarnation, nodes, dataDir, webrtcUrl, clock, log } = options;
    this.#options = options;
    this.holder = { name: settings.name, incarnation };
    this.view = new NodeView(clock, Math.random);
    this.lease = new NodeLease({
      nodes,
      node: {
        holder: this.holder,
        installation: installationId(dataDir),
        mediaUrl: settings.mediaUrl,
        webrtcUrl,
        relayUrl: settings.relayUrl,
        version: SOFTWARE,
        ipcVersion: HANDOFF_PROTOCOL_VERSION,
        journalVersion: JOURNAL_VERSION,
      },
      load: () => this.#parts?.load() ?? NOTHING_YET,
      onNodes: (records) => {
        this.view.update(records);
        this.#parts?.sendRelayNodes(this.#relayNodes());
      },
      onTaken: (taken) => this.#onTaken(taken),
      onFenced: (why) => void this.#endStart(why),
      clock,
      log,
    });
  }

  /**
   * Registers the node and takes the calls of a service without a name whose journals are on this disk. Rejects as `NodeLease.register`
   * does.
   */
  static async join(options: ClusterOptions): Promise<ClusterMember> {
    const member = new ClusterMember(options);
    await member.lease.register();
    member.lease.start();
    const { nodes, dataDir, log } = options;
    const own = (await nodes.listUnnamed()).filter((callId) => existsSync(journalPath(dataDir, callId)));
    const adopted = await nodes.adopt(member.holder, own);
    if (adopted > 0) log.info({ calls: adopted }, "calls of this service from before it had a name are the node's");
    return member;
  }

  /** The rest of the process is there: the node takes the calls of nodes that are gone from now on. */
  start(parts: ClusterParts): void {
    this.#parts = parts;
    this.lease.takeOver();
    this.#compareSlotsLater(parts);
  }

  #compareSlotsLater(parts: ClusterParts): void {
    this.#options.clock.after(NODE_SLOTS_COMPARED_MS, () => {
      void this.#compareSlots(parts).then(() => this.#compareSlotsLater(parts));
    });
  }

  async #compareSlots({ capacity, phoneCalls }: ClusterParts): Promise<void> {
    try {
      capacity.compareHeld(new Set((await phoneCalls.listPending()).map(({ callId }) => callId)));
    } catch (error) {
      const { log } = this.#options;
      log.warn({ err: error, code: codeOf(error) }, "slots of telephone calls could not be compared with the store");
    }
  }

  /**
   * This node drains. Resolves when no other node places calls on it any more, and none that was placed on it waits for its stream.
   */
  async placedCallsBegun(): Promise<void> {
    const { clock } = this.#options;
    const after = (delayMs: number): Promise<void> => new Promise((resolve) => void clock.after(delayMs, resolve));
    await after(NODE_CLOSING_MS);
    while ((await this.#waitingCalls()) > 0) await after(NODE_HEARTBEAT_MS);
  }

  /** Calls that are placed on this node and have no stream yet; infinitely many while the store cannot say it. */
  async #waitingCalls(): Promise<number> {
    const { calls, log } = this.#options;
    try {
      const dialled = (await this.#parts?.phoneCalls.listPending()) ?? [];
      return (await calls.listWaiting()).length + dialled.length;
    } catch (error) {
      log.warn({ err: error, code: codeOf(error) }, "whether calls wait for this node cannot be asked");
      return Number.POSITIVE_INFINITY;
    }
  }

  /** The handlers, and beside them: a worker that reports calls which other nodes have taken ends them. */
  following(handlers: HandoffHandlers): HandoffHandlers {
    return {
      ...handlers,
      onWorkerConnected: (workerId, connection, callIds, load) => {
        handlers.onWorkerConnected(workerId, connection, callIds, load);
        // Those of a worker that was connected before were redeemed through this process, or are known by now.
        if (!this.#seenWorkers.has(workerId)) for (const callId of callIds) this.#unknown.add(callId);
        this.#seenWorkers.add(workerId);
        void this.#endTaken(workerId, callIds);
      },
    };
  }

  /** What is known of whose a call is, without the store. */
  ownershipOf(callId: CallId): CallOwnership {
    if (this.#unknown.has(callId)) return "unknown";
    return this.lease.isCertain ? "certain" : "possible";
  }

  /** Where new calls of this node's API go. */
  placementWith(callsPerApiKey: number | undefined): CallPlacement {
    return { own: this.holder.name, place: (role) => this.view.place(role)?.name, callsPerApiKey };
  }

  /** What the addresses of a node's calls begin with; undefined where it has none of its own, or is gone. */
  mediaUrlsOf(name: NodeName): MediaUrls | undefined {
    const node = this.view.find(name);
    return node?.mediaUrl === undefined ? undefined : { media: node.mediaUrl, webrtc: node.webrtcUrl };
  }

  /** The other nodes to which streams can be relayed. */
  #relayNodes(): readonly RelayNode[] {
    return this.view.present.flatMap(({ name, relayUrl }) =>
      relayUrl === undefined || name === this.holder.name ? [] : [{ tag: nodeTagOf(name), url: relayUrl }],
    );
  }

  /** The calls of a start that the database does not know go on: the next start takes them. */
  async #endStart(why: Exclude<Renewal, "renewed">): Promise<void> {
    const { onFenced, log } = this.#options;
    const node = this.holder.name;
    if (why === "taken") {
      log.fatal({ node }, "other nodes have taken the calls of this one: the control process starts again");
      await this.#parts?.giveWay();
    } else log.fatal({ node }, "the database does not know this start of the node: the control process starts again");
    onFenced();
  }

  #onTaken(taken: readonly TakenNode[]): void {
    const { log } = this.#options;
    for (const { name, callIds } of taken) {
      if (callIds.length === 0) log.info({ node: name }, "a node is gone, and has left no calls");
      else log.warn({ node: name, calls: callIds.length }, "calls of a node that is gone are taken over");
    }
    void this.#parts?.lostCalls.recoverTaken(new Set(taken.flatMap(({ callIds }) => callIds)));
  }

  /** Their records are another node's, which has made them, or is about to. */
  async #endTaken(workerId: WorkerId, callIds: readonly CallId[]): Promise<void> {
    const { calls, clock, log } = this.#options;
    try {
      const held = new Set((await calls.listActive(workerId)).map(({ id }) => id));
      for (const callId of held) this.#unknown.delete(callId);
      const taken = callIds.filter((callId) => !held.has(callId));
      if (taken.length === 0) return;
      log.warn({ workerId, calls: taken.length }, "calls that other nodes have taken end");
      for (const callId of taken) this.#parts?.endCall(workerId, callId, "worker_lost");
    } catch (error) {
      log.error(
        { workerId, err: error, code: codeOf(error) },
        "calls of a worker could not be compared with the store",
      );
      clock.after(COMPARE_RETRY_MS, () => void this.#endTaken(workerId, callIds));
    }
  }
}

/** What this node announces: what its workers can carry, and whether it takes new calls. */
export function nodeLoad(newCalls: CallAcceptance, capacity: Pick<Capacity, "usageOf">): NodeLoad {
  const [media, webrtc] = [capacity.usageOf("media"), capacity.usageOf("webrtc")];
  // Where only the slots are full, other nodes see that by the numbers.
  const isFull = !newCalls.accepted && newCalls.reason === "overloaded" && media.active + media.reserved >= media.max;
  const isDraining = !newCalls.accepted && newCalls.reason === "draining";
  return {
    state: isDraining ? "draining" : newCalls.accepted || isFull ? "accepting" : "refusing",
    callSlots: media.max,
    calls: media.active,
    webrtcSlots: webrtc.max,
    webrtcCalls: webrtc.active,
  };
}

const NOTHING_YET: NodeLoad = { state: "refusing", callSlots: 0, calls: 0, webrtcSlots: 0, webrtcCalls: 0 };

/**
 * A service without a name begins on a database: it takes the calls of nodes that are gone. Rejects with `bad_configuration` while a node
 * runs on it.
 */
export async function assertAlone(nodes: Pick<NodeStore, "dissolve">): Promise<void> {
  if (await nodes.dissolve()) return;
  throw new TrunklineError(
    "bad_configuration",
    "caller",
    "nodes of a cluster run on this database: set NODE_NAME, or stop them and start again after some seconds",
  );
}
