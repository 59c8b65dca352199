import type { Schema, TrunklineClient } from "../../../client/src/index.ts";

export type Call = Schema<"CallSummary">;

/** The states of calls that are not over, in the order in which a call has them. */
const STATUSES = ["active", "ringing", "queued", "created"] as const;
type LiveStatus = (typeof STATUSES)[number];

/** Of each state, at most. */
export const CALLS_PER_STATUS = 100;

/** After these, other calls are live, or in another state. */
export const LIVE_EVENTS = ["call.created", "call.started", "call.ended", "call.expired"];

/** The calls that are not over, as far as the page shows them. */
export interface LiveCalls {
  /** Those with a caller first, and of each state the newest first. */
  calls: readonly Call[];
  /** The states of which there are more. */
  cut: readonly LiveStatus[];
}

export async function loadLiveCalls(api: Pick<TrunklineClient, "get">, signal: AbortSignal): Promise<LiveCalls> {
  const pages = await Promise.all(
    STATUSES.map((status) => api.get("/calls", { query: { status, limit: CALLS_PER_STATUS }, signal })),
  );
  return {
    calls: pages.flatMap(({ data }) => data),
    cut: STATUSES.filter((_, at) => pages[at]?.nextCursor !== null),
  };
}

/** How many calls there are, in one line; empty where none is live. */
export function summaryOf({ calls, cut }: LiveCalls): string {
  if (calls.length === 0) return "";
  const active = calls.filter(({ status }) => status === "active").length;
  const text = (count: number, isCut: boolean): string => `${count}${isCut ? " or more" : ""}`;
  const isOtherCut = cut.some((status) => status !== "active");
  return `${text(active, cut.includes("active"))} in progress, ${text(calls.length - active, isOtherCut)} not connected yet`;
}
