import { isoTime } from "../../core/clock.ts";
import { type EpochMs, millisecondsOf } from "../../core/clocks.ts";
import type { CallUsage } from "../../store/usage-store.ts";

export const DAY_MS = 86_400_000;

export const USAGE_GROUPINGS = ["day", "agent", "provider"] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** What the calls of a group have in common; undefined where the groups are not divided by it. */
interface GroupKey {
  /** The UTC day of the calls' end: `2026-11-26`. */
  day?: string;
  /** Null for calls that were created without an agent. */
  agentId?: string | null;
  provider?: string;
}

/** The cost in one currency. */
interface GroupCost {
  currency: string;
  total: number;
}

export interface UsageGroup extends GroupKey {
  calls: number;
  minutes: number;
  costs: GroupCost[];
  /** Whether all that was used has a price. */
  costComplete: boolean;
}

interface Sum {
  key: GroupKey;
  calls: number;
  durationMs: number;
  /** By currency. */
  costs: Map<string, number>;
  costComplete: boolean;
}

/** A part of a call that belongs to one group. */
interface Share {
  provider?: string;
  /** Undefined where nothing has a price. */
  currency: string | undefined;
  cost: number;
  isComplete: boolean;
}

/** Adds up calls by groups. A call counts once in each group that it belongs to: by provider, in that of each one it used. */
export class UsageGroups {
  readonly #by: readonly UsageGrouping[];
  /** By the number of days since the epoch: calls are many, and days are few. */
  readonly #days = new Map<number, string>();
  readonly #sums = new Map<string, Sum>();

  constructor(by: readonly UsageGrouping[]) {
    this.#by = by;
  }

  get count(): number {
    return this.#sums.size;
  }

  add(call: CallUsage): void {
    for (const share of this.#by.includes("provider") ? sharesOf(call) : [wholeOf(call)]) {
      const sum = this.#sumOf(this.#keyOf(call, share));
      sum.calls += 1;
      sum.durationMs += call.durationMs;
      sum.costComplete &&= share.isComplete;
      const { currency, cost } = share;
      if (currency !== undefined) sum.costs.set(currency, (sum.costs.get(currency) ?? 0) + cost);
    }
  }

  /** By day, agent and provider. */
  groups(): UsageGroup[] {
    return [...this.#sums]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { key, calls, durationMs, costs, costComplete }]) => ({
        ...key,
        calls,
        minutes: rounded(durationMs / 60_000, 1_000),
        costs: [...costs].map(([currency, total]) => ({ currency, total: rounded(total, 1_000_000) })),
        costComplete,
      }));
  }

  #keyOf({ endedAtMs, agentId }: CallUsage, { provider }: Share): GroupKey {
    return {
      ...(this.#by.includes("day") && { day: this.#dayOf(endedAtMs) }),
      ...(this.#by.includes("agent") && { agentId: agentId ?? null }),
      ...(provider !== undefined && { provider }),
    };
  }

  #dayOf(timeMs: EpochMs): string {
    const days = Math.floor(millisecondsOf(timeMs) / DAY_MS);
    const known = this.#days.get(days);
    if (known !== undefined) return known;
    const day = isoTime(timeMs).slice(0, "2026-11-26".length);
    this.#days.set(days, day);
    return day;
  }

  #sumOf(key: GroupKey): Sum {
    // Neither a day nor an id nor the name of a provider has a space.
    const text = `${key.day} ${key.agentId} ${key.provider}`;
    const sum = this.#sums.get(text) ?? { key, calls: 0, durationMs: 0, costs: new Map(), costComplete: true };
    this.#sums.set(text, sum);
    return sum;
  }
}

const wholeOf = ({ usage, cost }: CallUsage): Share => ({
  currency: cost?.currency,
  cost: cost?.total ?? 0,
  isComplete: cost?.complete ?? usage.length === 0,
});

/** Of each provider that the call used. */
function sharesOf({ usage, cost }: CallUsage): Share[] {
  const shares = new Map<string, Share>();
  for (const { provider, cost: part } of usage) {
    const share = shares.get(provider) ?? { provider, currency: cost?.currency, cost: 0, isComplete: true };
    share.cost += part ?? 0;
    share.isComplete &&= part !== null;
    shares.set(provider, share);
  }
  return [...shares.values()];
}

const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts;
