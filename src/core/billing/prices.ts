import type { Stage } from "../calls/stages.ts";
import { USAGE_UNITS, type Usage, type UsageUnit } from "./usage.ts";

/** The units of prices, by their names in PRICES. */
export type PriceName = "audioMinute" | "inputTokensMillion" | "outputTokensMillion" | "charactersThousand";

/** How much of a usage unit each of them is. */
export const PRICED: Readonly<Record<PriceName, readonly [unit: UsageUnit, amount: number]>> = {
  audioMinute: ["audioSeconds", 60],
  inputTokensMillion: ["inputTokens", 1_000_000],
  outputTokensMillion: ["outputTokens", 1_000_000],
  charactersThousand: ["characters", 1_000],
};

/** The prices of providers. */
export interface Prices {
  /** The currency of all prices, ISO 4217, such as `USD`. */
  readonly currency: string;
  /** The prices per unit, by provider, or by `provider:model` when its models differ. */
  readonly perUnit: ReadonlyMap<string, Readonly<Partial<Record<UsageUnit, number>>>>;
}

/** The usage of one provider in one stage of a call, and its cost; null when its price is not known. */
export interface ProviderUsage extends Usage {
  readonly stage: Stage;
  readonly provider: string;
  /** Of replies that were requested before the end of the caller's turn was certain, and not used. */
  readonly discarded?: true;
  readonly cost: number | null;
}

/** What one request used. */
type UsedBy = Pick<ProviderUsage, "stage" | "provider" | "discarded"> & { readonly usage: Usage };

/** The cost of a call: the sum of all usage with a price. It is `complete` when all usage has one. */
export interface CallCost {
  readonly currency: string;
  readonly total: number;
  readonly complete: boolean;
}

/** Costs are rounded to a billionth of the currency: a token costs about a millionth. */
const rounded = (cost: number): number => Math.round(cost * 1e9) / 1e9;

/** Sums the parts of `used` by provider and price, those of discarded replies apart, in the order of their first use. */
export function billOf(
  used: readonly UsedBy[],
  prices: Prices | undefined,
): { usage: readonly ProviderUsage[]; cost: CallCost | undefined } {
  const sums = new Map<string, UsedBy>();
  for (const { stage, provider, usage, discarded } of used) {
    const key = `${stage} ${provider} ${usage.model ?? ""} ${discarded === true}`;
    const sum = sumOf(sums.get(key)?.usage ?? {}, usage);
    sums.set(key, { stage, provider, usage: sum, ...(discarded && { discarded }) });
  }
  const costs = [...sums.values()].map(({ provider, usage }) => costOf(provider, usage, prices));
  const usage = [...sums.values()].map(({ usage, ...by }, index) => {
    const cost = costs[index];
    return { ...by, ...withRoundedSeconds(usage), cost: cost === undefined ? null : rounded(cost) };
  });
  const known = costs.filter((cost) => cost !== undefined);
  if (prices === undefined) return { usage, cost: undefined };
  const total = rounded(known.reduce((sum, cost) => sum + cost, 0));
  return { usage, cost: { currency: prices.currency, total, complete: known.length === costs.length } };
}

/** The cost of `usage` in the currency of `prices`; undefined when a part of it has no price. */
export function costOf(provider: string, usage: Usage, prices: Prices | undefined): number | undefined {
  const perUnit = pricesOf({ provider, model: usage.model }, prices);
  if (perUnit === undefined) return undefined;
  const hasAll = USAGE_UNITS.every((unit) => (usage[unit] ?? 0) === 0 || perUnit[unit] !== undefined);
  return hasAll ? knownCostOf(provider, usage, prices) : undefined;
}

/** The cost of the units of `usage` that have a price. */
export function knownCostOf(provider: string, usage: Usage, prices: Prices | undefined): number {
  const perUnit = pricesOf({ provider, model: usage.model }, prices);
  return USAGE_UNITS.reduce((cost, unit) => cost + (usage[unit] ?? 0) * (perUnit?.[unit] ?? 0), 0);
}

/** A provider that may serve a call, its model when it has several, and the prices that are needed of it. */
export interface PricedProvider {
  readonly provider: string;
  readonly model?: string | undefined;
  readonly prices: readonly PriceName[];
}

/** The prices that are missing for the cost of a call that `serving` may serve, by their names in PRICES: `openai.outputTokensMillion`. */
export function missingPrices(prices: Prices | undefined, serving: readonly PricedProvider[]): readonly string[] {
  const missing = serving.flatMap((provider) => {
    const perUnit = pricesOf(provider, prices);
    const names = provider.prices.filter((name) => perUnit?.[PRICED[name][0]] === undefined);
    return names.map((name) => `${provider.provider}.${name}`);
  });
  return [...new Set(missing)];
}

const pricesOf = ({ provider, model }: Pick<PricedProvider, "provider" | "model">, prices: Prices | undefined) =>
  prices?.perUnit.get(`${provider}:${model ?? ""}`) ?? prices?.perUnit.get(provider);

function sumOf(sum: Usage, usage: Usage): Usage {
  const both: { -readonly [Key in keyof Usage]: Usage[Key] } = { ...sum, ...usage };
  for (const unit of USAGE_UNITS) {
    const amount = (sum[unit] ?? 0) + (usage[unit] ?? 0);
    if (unit in both) both[unit] = amount;
  }
  return both;
}

/** To the millisecond. */
const withRoundedSeconds = (usage: Usage): Usage =>
  usage.audioSeconds === undefined ? usage : { ...usage, audioSeconds: Math.round(usage.audioSeconds * 1_000) / 1_000 };
