import type { EpochMs } from "../../core/clocks.ts";
import type { CallId, NodeName } from "../../core/ids.ts";

/**
 * One start of a node's control process: whose calls are whose. Of each node one start at a time holds its calls; what an earlier start
 * still writes of them is refused.
 */
export interface NodeHolder {
  name: NodeName;
  /** The number of the start, which no other start of any node has: see `EpochStore`. */
  incarnation: number;
}

/** The holder of this process's calls; undefined in a service without a name, and until its node is registered. */
export type HolderOf = () => NodeHolder | undefined;

/** What a node announces about itself with each heartbeat. */
export interface NodeLoad {
  state: NodeState;
  /** How many calls of carriers and WebSockets the node carries at most, and how many it carries. */
  callSlots: number;
  calls: number;
  /** The same of WebRTC calls; no slots where they are not configured. */
  webrtcSlots: number;
  webrtcCalls: number;
}

/** Whether a node takes new calls: not while it drains, or refuses them for another reason. */
export const NODE_STATES = ["accepting", "refusing", "draining"] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** What does not change between two starts. */
export interface NodeDescription {
  /** Where streams reach this node alone; undefined where all nodes have one address. */
  mediaUrl: string | undefined;
  webrtcUrl: string | undefined;
  /** Where other nodes reach its media port. */
  relayUrl: string | undefined;
  /** Of the software. */
  version: string;
  /** Of the protocol between control process and workers, and of journals. */
  ipcVersion: number;
  journalVersion: number;
}

export interface NewNode extends NodeDescription {
  holder: NodeHolder;
  /** Names the data directory of the node: a start on the same one is the same node, which takes its calls back at once. */
  installation: string;
}

/** A node as every node sees it. */
export interface NodeRecord extends NodeDescription, NodeLoad {
  name: NodeName;
  incarnation: number;
  /** Its calls that wait for their streams. */
  waitingCalls: number;
  waitingWebrtcCalls: number;
  startedAtMs: EpochMs;
  /** Until then its calls are its own, from now; below 0 once its lease has ended. */
  leaseLeftMs: number;
  /** The node that has taken its calls; undefined where none has. */
  takenBy: NodeName | undefined;
}

/** What came of a registration. */
export type Registration =
  /** The calls of the earlier start of the node are those of this one, unless another node has taken them meanwhile. */
  | { kind: "registered"; calls: number }
  /** A node of this name on another data directory has a lease. */
  | { kind: "held"; leaseLeftMs: number }
  /** The earlier start was of this newer version, and has left calls with journals that this one may not be able to read. */
  | { kind: "unreadable"; calls: number; version: string };

/** A node whose calls were taken, because its lease had ended. */
export interface TakenNode {
  name: NodeName;
  /** The active calls that are the taker's from now on. */
  callIds: readonly CallId[];
}

/**
 * `taken`: another node has the calls of this start, or another start its name, and the calls with it. `unknown`: the database does not
 * know this start, as a replica that has become the primary before its registration had reached it: no other node has its calls.
 */
export type Renewal = "renewed" | "taken" | "unknown";

/**
 * The nodes that share a database, and their leases. The server's clock decides about leases, so clocks of machines that differ change
 * nothing. Every operation rejects with `unavailable` when the store cannot answer at present.
 */
export interface NodeStore {
  /**
   * Takes the name for this start, with a lease of NODE_LEASE_MS, and moves the active calls of the earlier start to it. On the same
   * data directory the earlier start is over; on another one its lease must have ended. Changes nothing where it does not register.
   */
  register(node: NewNode): Promise<Registration>;
  /** Renews the lease, or says why there is none to renew any more. */
  renew(holder: NodeHolder, load: NodeLoad): Promise<Renewal>;
  /**
   * Takes the active calls of nodes whose leases have ended, each node once. None while the holder's own lease was not renewed without a
   * gap for NODE_LEASE_MS: after an outage of the database all leases have ended, and the nodes that are there renew theirs first. Those of
   * a node whose journals are of a newer version than the holder's are left to a node that reads them.
   */
  takeExpired(holder: NodeHolder): Promise<readonly TakenNode[]>;
  /** All nodes by name, also those whose leases have ended. */
  list(): Promise<readonly NodeRecord[]>;
  /** The node stops without calls: its lease ends now, and nothing is to be taken. Does nothing where the holder has no lease. */
  leave(holder: NodeHolder): Promise<void>;
  /**
   * A service without a name begins on this database: it holds the active calls of all nodes from now on, and there are no nodes any
   * more. False, and nothing is changed, while a node has a lease.
   */
  dissolve(): Promise<boolean>;
  /**
   * Gives active calls of a service without a name to this node, whose journals it has. Returns how many they were.
   */
  adopt(holder: NodeHolder, callIds: readonly CallId[]): Promise<number>;
  /** Active calls of a service without a name. */
  listUnnamed(): Promise<readonly CallId[]>;
}
