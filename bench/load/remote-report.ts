import { curves, legend } from "../report/charts.ts";
import { escaped, page, short, table, whole } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import type { RemoteResult } from "./remote-result.ts";

// What callers saw of a service that runs somewhere, for the terminal and as a page.

const COLUMNS = [
  "calls",
  "frames a call",
  "off grid p50",
  "p99",
  "p99.9",
  "max",
  "gaps",
  "longest",
  "created p50 / max",
  "generator's core",
  "late p99",
];

const rowsOf = ({ steps }: RemoteResult): string[][] =>
  steps.map(({ calls, received, offGridMs, gaps, createMs, generator }) => [
    whole(calls),
    `${whole(received.fewest)} to ${whole(received.most)}`,
    ...[offGridMs.p50, offGridMs.p99, offGridMs.p999, offGridMs.max].map(short),
    whole(gaps.count),
    short(gaps.longestMs),
    `${short(createMs.p50)} / ${short(createMs.max)}`,
    `${whole(100 * generator.load)} %`,
    short(generator.late.p99),
  ]);

const LEAD =
  "All times in ms, and all of them the callers' own. Off grid: how far a frame was from its call's grid of 20 ms when it came, either way. " +
  "Gaps: frames that came after the one before them had been played, while the agent spoke.";

export const remoteText = (result: RemoteResult): string => `${textTable(COLUMNS, rowsOf(result))}\n\n${LEAD}`;

export function remotePage(result: RemoteResult): string {
  const { url, wire, seconds } = result.options;
  const points = (value: (step: RemoteResult["steps"][number]) => number) =>
    result.steps.map((step) => ({ x: step.calls, y: value(step) }));
  const drawn = [
    { title: "p50", colour: "ours" as const, points: points(({ offGridMs }) => offGridMs.p50) },
    { title: "p99", colour: "typical" as const, points: points(({ offGridMs }) => offGridMs.p99) },
    { title: "p99.9", colour: "extra" as const, points: points(({ offGridMs }) => offGridMs.p999) },
  ];
  const subtitle = `Calls of ${wire} to ${escaped(url)}, ${seconds} s each time. The callers: ${machineLine(result.machine)}`;
  return page("A service under growing load, as its callers see it", subtitle, [
    ...invalidity(result.problems),
    {
      title: "How evenly frames came, by calls",
      body: legend(drawn) + curves(drawn, { x: "calls", y: "ms" }, "Off the grid"),
    },
    {
      title: "All figures",
      lead: LEAD,
      body: table(
        COLUMNS.map((title) => ({ title, numeric: true })),
        rowsOf(result).map((row) => row.map(escaped)),
      ),
    },
  ]);
}
