import type { Schema } from "../../../client/src/index.ts";
import { moneyText, numberText } from "../../app/format.ts";

export type UsageGroup = Schema<"UsageGroup">;

/** What all groups together used. */
export type UsageSum = Pick<
  UsageGroup,
  "calls" | "minutes" | "transcriptions" | "transcribedMinutes" | "costs" | "costComplete"
>;

/** A figure of a group that a chart shows. */
export interface Measure {
  /** What stands in the address. */
  name: string;
  title: string;
  of: (sum: UsageSum) => number;
  text: (value: number) => string;
}

const COUNTED = [
  ["calls", "Calls"],
  ["minutes", "Minutes of calls"],
  ["transcriptions", "Transcriptions"],
  ["transcribedMinutes", "Minutes transcribed"],
] as const;

/** The figures that groups have: of transcriptions only where there are any, and the cost in each currency. */
export function measuresOf(sum: UsageSum): readonly Measure[] {
  const counted = COUNTED.filter(([name]) => name === "calls" || name === "minutes" || sum[name] > 0);
  return [
    ...counted.map(([name, title]) => ({ name, title, of: (one: UsageSum) => one[name], text: numberText })),
    ...sum.costs.map(({ currency }) => ({
      name: `cost-${currency}`,
      title: `Cost in ${currency}`,
      of: (one: UsageSum) => costIn(one, currency),
      text: (value: number) => moneyText(value, currency),
    })),
  ];
}

/** What a group cost in one currency. */
export const costIn = ({ costs }: UsageSum, currency: string): number =>
  costs.find((cost) => cost.currency === currency)?.total ?? 0;

/** Adds up groups of which no call is in two: those of days, or of agents. */
export function sumOf(groups: readonly UsageGroup[]): UsageSum {
  const totals = new Map<string, number>();
  for (const { costs } of groups)
    for (const { currency, total } of costs) totals.set(currency, (totals.get(currency) ?? 0) + total);
  const add = (of: (group: UsageGroup) => number): number => groups.reduce((sum, group) => sum + of(group), 0);
  return {
    calls: add(({ calls }) => calls),
    minutes: add(({ minutes }) => minutes),
    transcriptions: add(({ transcriptions }) => transcriptions),
    transcribedMinutes: add(({ transcribedMinutes }) => transcribedMinutes),
    costs: [...totals].map(([currency, total]) => ({ currency, total })).sort(byCurrency),
    costComplete: groups.every(({ costComplete }) => costComplete),
  };
}

const byCurrency = (one: { currency: string }, other: { currency: string }): number =>
  one.currency < other.currency ? -1 : 1;

export const isUnused = ({ calls, transcriptions }: UsageSum): boolean => calls === 0 && transcriptions === 0;

/** Groups with the largest first. */
export const largestFirst = (groups: readonly UsageGroup[], { of }: Measure): UsageGroup[] =>
  groups.toSorted((one, other) => of(other) - of(one));
