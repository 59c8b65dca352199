import type { NodeMessageId, NodeName } from "../../core/ids.ts";

/** A request of one node to another. `body` is sealed. */
export interface NodeMessage {
  id: NodeMessageId;
  from: NodeName;
  to: NodeName;
  kind: string;
  body: string;
}

export interface NewNodeMessage extends NodeMessage {
  /** From now on, by the clock of the database: after it the message is not taken. */
  lastsMs: number;
  /** A later start of the node takes it again, if an earlier one has taken and not answered it. */
  isRepeatable: boolean;
}

/** Which messages a node takes. */
export interface NodeMessagesWanted {
  node: NodeName;
  /** The start of the node. A message that it has taken before, and whose `take` failed, is taken again. */
  taker: string;
  /** These are being handled. */
  except: readonly NodeMessageId[];
  limit: number;
}

/**
 * The messages between nodes that must not be lost, in the database that they share. Every operation rejects with `unavailable` when the
 * store cannot answer at present.
 */
export interface NodeMessageStore {
  /** Stores a message, and notifies its node. */
  send(message: NewNodeMessage): Promise<void>;
  /** The messages for a node that are not answered and not too old, the oldest first. Other starts of the node do not take them then. */
  take(wanted: NodeMessagesWanted): Promise<readonly NodeMessage[]>;
  /** Stores the answer, sealed, and notifies the node that has asked. Does nothing for a message that was deleted. */
  answer(message: Pick<NodeMessage, "id" | "from">, answer: string): Promise<void>;
  /** The answers that there are to these messages. */
  answers(ids: readonly NodeMessageId[]): Promise<readonly { id: NodeMessageId; answer: string }[]>;
  delete(ids: readonly NodeMessageId[]): Promise<void>;
  /** Deletes messages that are over, a limited number. Returns how many. */
  deleteOld(): Promise<number>;
  /** Notifies all nodes of a text of at most ANNOUNCEMENT_BYTES_MAX bytes, once; nothing is stored. */
  announce(text: string): Promise<void>;
}

export interface NodeSignalHandlers {
  /** There may be messages for the node, or answers. */
  onMessage(): void;
  /** What `announce` was called with, on any node. */
  onAnnouncement(text: string): void;
  /** The node is notified from now on, or no longer. */
  onListening(isListening: boolean): void;
}

/** The notifications of the store's other users. */
export interface NodeSignals {
  /** Called once. A lost connection is replaced until `close`; what was sent meanwhile must be looked for. */
  listen(node: NodeName, handlers: NodeSignalHandlers): void;
  close(): Promise<void>;
}
