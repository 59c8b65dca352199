import type { Schema, TrunklineClient } from "../../../client/src/index.ts";

export type Call = Schema<"CallSummary">;

/** The states of calls that are not over, in the order in which a call has them. */
const STATUSES = ["active", "ringing", "queued", "created"] as const;
/** Of each state, at most. */
const CALLS_PER_STATUS = 100;

/** After these, other calls are live, or in another state. */
export const LIVE_EVENTS = ["call.created", "call.started", "call.ended", "call.expired"];

/** The calls that are not over: those with a caller first, and of each state the newest first. */
export async function loadLiveCalls(api: Pick<TrunklineClient, "get">, signal: AbortSignal): Promise<readonly Call[]> {
  const pages = await Promise.all(
    STATUSES.map((status) => api.get("/calls", { query: { status, limit: CALLS_PER_STATUS }, signal })),
  );
  return pages.flatMap(({ data }) => data);
}
