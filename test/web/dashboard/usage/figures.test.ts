import { expect, test } from "vitest";
import {
  isUnused,
  largestFirst,
  type Measure,
  measuresOf,
  sumOf,
  type UsageGroup,
} from "../../../../web/dashboard/pages/usage/figures.ts";

const group = (changes: Partial<UsageGroup>): UsageGroup => ({
  ...{ calls: 0, minutes: 0, transcriptions: 0, transcribedMinutes: 0, costs: [], costComplete: true },
  ...changes,
});
const GROUPS = [
  group({ day: "2026-11-27", calls: 2, minutes: 3.5, costs: [{ currency: "USD", total: 0.5 }] }),
  group({
    ...{ day: "2026-11-28", calls: 1, minutes: 1, transcriptions: 1, transcribedMinutes: 4, costComplete: false },
    costs: [
      { currency: "USD", total: 0.25 },
      { currency: "EUR", total: 1 },
    ],
  }),
];

test("the total adds up the groups, each currency by itself", () => {
  expect(sumOf(GROUPS)).toEqual({
    ...{ calls: 3, minutes: 4.5, transcriptions: 1, transcribedMinutes: 4, costComplete: false },
    costs: [
      { currency: "EUR", total: 1 },
      { currency: "USD", total: 0.75 },
    ],
  });
});

test("a chart may show what there is: transcriptions only where there are any, a cost in each currency", () => {
  const titles = (groups: UsageGroup[]): string[] => measuresOf(sumOf(groups)).map(({ title }) => title);
  expect(titles([])).toEqual(["Calls", "Minutes of calls"]);
  expect(titles(GROUPS)).toEqual([
    "Calls",
    "Minutes of calls",
    "Transcriptions",
    "Minutes transcribed",
    "Cost in EUR",
    "Cost in USD",
  ]);
});

test("the largest group comes first, by the figure that is shown", () => {
  const measures = measuresOf(sumOf(GROUPS));
  const order = (name: string) =>
    largestFirst(GROUPS, measures.find((one) => one.name === name) as Measure).map(({ day }) => day);
  expect(order("calls")).toEqual(["2026-11-27", "2026-11-28"]);
  expect(order("cost-EUR")).toEqual(["2026-11-28", "2026-11-27"]);
});

test("nothing was used where there were neither calls nor transcriptions", () => {
  expect([isUnused(sumOf([])), isUnused(sumOf([group({ transcriptions: 1 })]))]).toEqual([true, false]);
});
