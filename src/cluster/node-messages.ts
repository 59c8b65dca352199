import type { NodeMessageId, NodeName } from "../core/ids.ts";
import type { AnnouncementKind, AnswerOf, NodeAnnouncements, NodeRequestKind, PayloadOf } from "./message-kinds.ts";

/** Where a request comes from. */
export interface RequestOrigin {
  from: NodeName;
  /** The same for a request that is handled again after its node was restarted. */
  id: NodeMessageId;
}

/** Handles a request of another node. What it throws is answered as a failure. */
export type RequestHandler<Kind extends NodeRequestKind> = (
  payload: PayloadOf<Kind>,
  origin: RequestOrigin,
) => Promise<AnswerOf<Kind>> | AnswerOf<Kind>;

/** What the nodes of a cluster say to each other. */
export interface NodeMessages {
  /** This node. */
  readonly node: NodeName;
  /**
   * Asks a node, which handles the request at most once while it runs, also when the request reaches it twice. Rejects with
   * `node_unreachable` when no answer has come within NODE_ANSWER_MS_MAX: the request may have been handled or, by its rule, may still
   * be. Rejects with `unavailable` where the database does not take the request, too many wait, or the node could not handle it.
   */
  request<Kind extends NodeRequestKind>(to: NodeName, kind: Kind, payload: PayloadOf<Kind>): Promise<AnswerOf<Kind>>;
  /** Handles the requests of a kind from now on; one without a handler is answered as a failure. */
  onRequest<Kind extends NodeRequestKind>(kind: Kind, handler: RequestHandler<Kind>): void;
  /**
   * Says something to all other nodes that can be reached now. What too many wait before is dropped, as is what the database does not
   * take. Throws RangeError for more than ANNOUNCEMENT_BYTES_MAX, which is a defect.
   */
  announce<Kind extends AnnouncementKind>(kind: Kind, payload: NodeAnnouncements[Kind]): void;
  /** Takes the place of the handler before. */
  onAnnouncement<Kind extends AnnouncementKind>(
    kind: Kind,
    handler: (payload: NodeAnnouncements[Kind], from: NodeName) => void,
  ): void;
  /** Sends nothing more, and handles nothing more. Requests that wait reject with `unavailable`. */
  close(): Promise<void>;
}
