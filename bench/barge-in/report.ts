import { verdictLines } from "../harness/verdict.ts";
import { bars } from "../report/charts.ts";
import { escaped, list, page, short, table, whole } from "../report/html.ts";
import { coresLine, machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import type { BargeInResult } from "./result.ts";

// What interruptions take, for the terminal and as a page.

const COLUMNS = ["to the agent's last frame, ms", "p50", "p90", "p99", "max", "interruptions"];

const rowsOf = ({ fromSpeechMs, fromDetectionMs }: BargeInResult): string[][] =>
  [
    { title: "from the first sample of the voice", spread: fromSpeechMs },
    { title: "from the detector's onset", spread: fromDetectionMs },
  ].map(({ title, spread: { p50, p90, p99, max, count } }) => [
    title,
    ...[p50, p90, p99, max].map(short),
    whole(count),
  ]);

/** The result for the terminal. */
export const bargeInText = (result: BargeInResult): string =>
  [textTable(COLUMNS, rowsOf(result)), coresLine(result.cores), verdictLines(result.budgets).join("\n")].join("\n\n");

/** And as a page by itself. */
export function bargeInPage(result: BargeInResult): string {
  const { p50, p90 } = result.fromSpeechMs;
  const bar = {
    label: "from the first sample",
    colour: "ours" as const,
    parts: [Math.max(0, p50), p90 - Math.max(0, p50)],
    value: `p50 ${short(p50)}, p90 ${short(p90)}`,
  };
  const subtitle =
    `${whole(result.fromSpeechMs.count)} interruptions in ${whole(result.options.calls)} calls of carrier_a at once, in real time. ` +
    `${machineLine(result.machine)} ${escaped(coresLine(result.cores))}`;
  return page("Trunkline, interrupted", subtitle, [
    ...invalidity(result.problems),
    budgetSection(result.budgets),
    {
      title: "How fast the agent stops",
      lead: "From the first sample of the caller's voice to the last frame of the agent's that came: dark to the median, light to the 90th percentile.",
      body: bars([bar], "ms", "Barge-in"),
    },
    {
      title: "All figures",
      body: table(
        COLUMNS.map((title, column) => ({ title, numeric: column > 0 })),
        rowsOf(result).map((row) => row.map(escaped)),
      ),
    },
    { title: "How it was measured", body: list(METHOD) },
  ]);
}

const METHOD = [
  "<b>The first sample</b> of the voice lies anywhere in a frame, which the carrier sends when it is full: up to 20 ms are the carrier's.",
  "<b>The detector's onset</b>: when the frame was sent with which the service's own detector, run over the same samples at this end, knows of speech.",
  "<b>The last frame</b>: the last one that was read before the agent was silent for 100 ms. What had been sent ahead is heard for up to 100 ms more.",
];
