import type { CallId, NodeName } from "../../core/ids.ts";

/** Which nodes of a cluster carry which calls. */
export interface CallNodes {
  /** The node that holds an active call; undefined for any other call. Rejects with `unavailable`. */
  nodeOf(callId: CallId): Promise<NodeName | undefined>;
}
