import { isoTime } from "../../core/clock.ts";
import { type EpochMs, millisecondsOf } from "../../core/clocks.ts";
import type { CallUsage } from "../../store/accounts/usage-store.ts";

export const DAY_MS = 86_400_000;

export const USAGE_GROUPINGS = ["day", "agent", "provider"] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** What the members of a group have in common; undefined where the groups are not divided by it. */
interface GroupKey {
  /** The UTC day of their end: `2026-11-26`. */
  day?: string;
  /** Null for calls that were created without an agent, and for transcriptions. */
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
  transcriptions: number;
  transcribedMinutes: number;
  costs: GroupCost[];
  /** Whether all that was used has a price. */
  costComplete: boolean;
}

interface Sum {
  key: GroupKey;
  calls: number;
  durationMs: number;
  transcriptions: number;
  transcribedMs: number;
  /** By currency. */
  costs: Map<string, number>;
  costComplete: boolean;
}

/** What a call or a transcription used. */
interface Used extends Pick<CallUsage, "endedAtMs" | "agentId" | "durationMs" | "usage"> {
  cost?: CallUsage["cost"] | undefined;
}

/** A part of one of them that belongs to one group. */
interface Share {
  provider?: string;
  /** Undefined where nothing has a price. */
  currency: string | undefined;
  cost: number;
  isComplete: boolean;
}

/**
 * Adds up calls and transcriptions by groups. Each counts once in each group that it belongs to: by provider, in that of each one it
 * used. A transcription has no agent.
 */
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

  addCall(call: Used): void {
    for (const sum of this.#add(call)) {
      sum.calls += 1;
      sum.durationMs += call.durationMs;
    }
  }

  addTranscription(transcription: Omit<Used, "agentId">): void {
    for (const sum of this.#add(transcription)) {
      sum.transcriptions += 1;
      sum.transcribedMs += transcription.durationMs;
    }
  }

  /** Adds the costs; yields the sum of each group. */
  *#add(used: Used): Generator<Sum> {
    for (const share of this.#by.includes("provider") ? sharesOf(used) : [wholeOf(used)]) {
      const sum = this.#sumOf(this.#keyOf(used, share));
      sum.costComplete &&= share.isComplete;
      const { currency, cost } = share;
      if (currency !== undefined) sum.costs.set(currency, (sum.costs.get(currency) ?? 0) + cost);
      yield sum;
    }
  }

  /** By day, agent and provider. */
  groups(): UsageGroup[] {
    return [...this.#sums]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { key, calls, durationMs, transcriptions, transcribedMs, costs, costComplete }]) => ({
        ...key,
        calls,
        minutes: rounded(durationMs / 60_000, 1_000),
        transcriptions,
        transcribedMinutes: rounded(transcribedMs / 60_000, 1_000),
        costs: [...costs].map(([currency, total]) => ({ currency, total: rounded(total, 1_000_000) })),
        costComplete,
      }));
  }

  #keyOf({ endedAtMs, agentId }: Used, { provider }: Share): GroupKey {
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
    const sum = this.#sums.get(text) ?? newSum(key);
    this.#sums.set(text, sum);
    return sum;
  }
}

const newSum = (key: GroupKey): Sum => ({
  ...{ key, calls: 0, durationMs: 0, transcriptions: 0, transcribedMs: 0 },
  ...{ costs: new Map(), costComplete: true },
});

const wholeOf = ({ usage, cost }: Used): Share => ({
  currency: cost?.currency,
  cost: cost?.total ?? 0,
  isComplete: cost?.complete ?? usage.length === 0,
});

/** Of each provider that it used. */
function sharesOf({ usage, cost }: Used): Share[] {
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
