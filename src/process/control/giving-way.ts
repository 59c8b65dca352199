import type { Clock } from "../../core/clock.ts";
import type { CallId, WorkerId } from "../../core/ids.ts";
import {
  GIVING_WAY_ENDS_MS_MAX,
  GIVING_WAY_POLL_MS,
  GIVING_WAY_SHIPMENT_MS_MAX,
} from "../../core/limits/cluster/nodes.ts";
import type { Logger } from "../../core/log/logger.ts";

export interface GivingWayOptions {
  /** The calls that workers carry at present, and their workers. */
  carriedCalls: () => ReadonlyMap<CallId, WorkerId>;
  endCall: (workerId: WorkerId, callId: CallId, reason: "worker_lost") => boolean;
  /** Ships what is not in the bucket of the journals of this node. Never rejects. Undefined where there is no bucket. */
  shipNow: (() => Promise<void>) | undefined;
  clock: Pick<Clock, "after">;
  log: Pick<Logger, "warn">;
}

/**
 * What a node does whose calls other nodes have taken, before its control process starts again. Those nodes make the records, from what is
 * in the bucket: so the calls end now, and the rest of their journals is shipped, while the others still wait for it. Without this the
 * calls would go on until the next start has compared them with the store, and nothing of that would be in any record. Never rejects.
 */
export async function giveWay({ carriedCalls, endCall, shipNow, clock, log }: GivingWayOptions): Promise<void> {
  const after = (delayMs: number): Promise<void> => new Promise((resolve) => void clock.after(delayMs, resolve));
  const calls = carriedCalls();
  if (calls.size > 0) log.warn({ calls: calls.size }, "calls that other nodes have taken end");
  for (const [callId, workerId] of calls) endCall(workerId, callId, "worker_lost");
  for (let waitedMs = 0; carriedCalls().size > 0 && waitedMs < GIVING_WAY_ENDS_MS_MAX; waitedMs += GIVING_WAY_POLL_MS)
    await after(GIVING_WAY_POLL_MS);
  if (shipNow !== undefined) await Promise.race([shipNow(), after(GIVING_WAY_SHIPMENT_MS_MAX)]);
}
