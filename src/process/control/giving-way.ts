import type { Clock } from "../../core/clock.ts";
import type { CallId, WorkerId } from "../../core/ids.ts";
import { GIVING_WAY_ENDS_MS_MAX, GIVING_WAY_MS_MAX, GIVING_WAY_POLL_MS } from "../../core/limits/cluster/nodes.ts";
import type { Logger } from "../../core/log/logger.ts";

export interface GivingWayOptions {
  /** The calls that workers carry at present, and their workers. */
  carriedCalls: () => ReadonlyMap<CallId, WorkerId>;
  /** False where the worker is not connected. */
  endCall: (workerId: WorkerId, callId: CallId, reason: "worker_lost") => boolean;
  /** Begins no record any more; resolves when those in progress are made. */
  stopRecords: () => Promise<void>;
  /** Ships what is not in the bucket of the journals of this node. Never rejects. Undefined where there is no bucket. */
  shipNow: (() => Promise<void>) | undefined;
  clock: Pick<Clock, "after">;
  log: Pick<Logger, "warn">;
}

/**
 * What a node does whose calls other nodes have taken, before its control process starts again. Those nodes make the records, from what is
 * in the bucket: so the calls end now, and what is left of their journals is shipped. Without this they would go on until the next start
 * has compared them with the store, and nothing of that would be in any record. What there is is shipped first, for the others wait only
 * while journals grow. Takes GIVING_WAY_MS_MAX at most, and never rejects.
 */
export async function giveWay(options: GivingWayOptions): Promise<void> {
  await Promise.race([endAndShip(options), after(options.clock, GIVING_WAY_MS_MAX)]);
}

async function endAndShip({ stopRecords, shipNow = nothingToShip, ...options }: GivingWayOptions): Promise<void> {
  const recordsStopped = stopRecords();
  await Promise.all([shipNow(), endCalls(options)]);
  await shipNow();
  await recordsStopped;
}

/** Resolves when the workers that are connected have closed the journals of their calls, after GIVING_WAY_ENDS_MS_MAX in any case. */
async function endCalls({
  carriedCalls,
  endCall,
  clock,
  log,
}: Pick<GivingWayOptions, "carriedCalls" | "endCall" | "clock" | "log">): Promise<void> {
  const ending = [...carriedCalls()].filter(([callId, workerId]) => endCall(workerId, callId, "worker_lost"));
  if (ending.length > 0) log.warn({ calls: ending.length }, "calls that other nodes have taken end");
  const isCarried = ([callId]: readonly [CallId, WorkerId]): boolean => carriedCalls().has(callId);
  for (let waitedMs = 0; waitedMs < GIVING_WAY_ENDS_MS_MAX && ending.some(isCarried); waitedMs += GIVING_WAY_POLL_MS)
    await after(clock, GIVING_WAY_POLL_MS);
}

const after = (clock: Pick<Clock, "after">, delayMs: number): Promise<void> =>
  new Promise((resolve) => void clock.after(delayMs, resolve));

const nothingToShip = async (): Promise<void> => {};
