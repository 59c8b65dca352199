import type { Schema } from "../../../../client/src/index.ts";

type Call = Pick<Schema<"CallSummary">, "agentVersion" | "status" | "endReason" | "latency" | "cost">;

/** How the calls of one version went. */
export interface VersionFigures {
  /** Those that were connected and are over. */
  calls: number;
  /** The median, over the calls, of a call's median time until a reply; undefined where none has one. */
  delayMs: number | undefined;
  /** Of a call, on average, where it is known in full. */
  cost: { amount: number; currency: string } | undefined;
  /** The reasons of the ends, the most frequent first. */
  ends: readonly { reason: string; calls: number }[];
}

/** The figures of each version that some of the calls had. */
export function figuresOf(calls: readonly Call[]): ReadonlyMap<number, VersionFigures> {
  const byVersion = new Map<number, Call[]>();
  for (const call of calls) {
    const { agentVersion } = call;
    if (agentVersion === null || call.status !== "ended") continue;
    byVersion.set(agentVersion, [...(byVersion.get(agentVersion) ?? []), call]);
  }
  return new Map(Array.from(byVersion, ([version, own]) => [version, figuresOfCalls(own)]));
}

function figuresOfCalls(calls: readonly Call[]): VersionFigures {
  const delays = calls.flatMap(({ latency }) => latency?.total?.p50Ms ?? []);
  const costs = calls.flatMap(({ cost }) => (cost?.complete ? [cost] : []));
  const reasons = new Map<string, number>();
  for (const { endReason } of calls) {
    if (endReason !== null) reasons.set(endReason, (reasons.get(endReason) ?? 0) + 1);
  }
  return {
    calls: calls.length,
    delayMs: medianOf(delays),
    cost: costs[0] && {
      amount: costs.reduce((sum, { total }) => sum + total, 0) / costs.length,
      currency: costs[0].currency,
    },
    ends: Array.from(reasons, ([reason, count]) => ({ reason, calls: count })).sort((a, b) => b.calls - a.calls),
  };
}

function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[middle - 1];
  if (upper === undefined) return undefined;
  return sorted.length % 2 === 1 || lower === undefined ? upper : (lower + upper) / 2;
}
