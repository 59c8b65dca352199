import { OUTPUT_LEAD_MS } from "../../src/core/limits/streams/media.ts";
import { verdictLines } from "../harness/verdict.ts";
import { type Curve, curves, legend } from "../report/charts.ts";
import { escaped, page, type Section, share, short, table, whole } from "../report/html.ts";
import { coresLine, machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import type { StallResult } from "./result.ts";

// What stalls of the loop do to calls, for the terminal and as a page.

const COLUMNS = ["stall, ms", "real p50 / max", "silent", "silence p50 / max", "recovery p50 / p99 / max", "seen"];

const rowsOf = ({ points }: StallResult): string[][] =>
  points.map(({ stallMs, realMs, seen, silent, silenceMs, recoveryMs }) => [
    whole(stallMs),
    `${short(realMs.p50)} / ${short(realMs.max)}`,
    share(silent / seen),
    `${short(silenceMs.p50)} / ${short(silenceMs.max)}`,
    `${short(recoveryMs.p50)} / ${short(recoveryMs.p99)} / ${short(recoveryMs.max)}`,
    whole(seen),
  ]);

/** The result for the terminal. */
export const stallText = (result: StallResult): string =>
  [textTable(COLUMNS, rowsOf(result)), coresLine(result.cores), verdictLines(result.budgets).join("\n")].join("\n\n");

/** And as a page by itself. */
export function stallPage(result: StallResult): string {
  const { calls, times } = result.options;
  const subtitle =
    `${whole(calls)} calls of carrier_a, whose worker's loop was blocked ${times} times for each length. ` +
    `${machineLine(result.machine)} ${escaped(coresLine(result.cores))}`;
  return page("Trunkline when its loop stalls", subtitle, [
    ...invalidity(result.problems),
    budgetSection(result.budgets),
    ...stallSections(result),
    {
      title: "All figures",
      lead: "<b>Real</b>: how long the loop stood still in the end. <b>Silent</b>: the share of calls in which a stall was heard.",
      body: table(
        COLUMNS.map((title) => ({ title, numeric: true })),
        rowsOf(result).map((row) => row.map(escaped)),
      ),
    },
  ]);
}

/** What callers hear of stalls. */
export function stallSections(result: StallResult): Section[] {
  const curve = (title: string, colour: Curve["colour"], value: (point: (typeof result.points)[number]) => number) => ({
    title,
    colour,
    points: result.points.map((point) => ({ x: point.stallMs, y: value(point) })),
  });
  const silence = [
    curve("p50", "ours", ({ silent, silenceMs }) => (silent === 0 ? 0 : silenceMs.p50)),
    curve("longest", "typical", ({ silent, silenceMs }) => (silent === 0 ? 0 : silenceMs.max)),
  ];
  const recovery = [
    curve("p50", "ours", ({ recoveryMs }) => recoveryMs.p50),
    curve("p99", "extra", ({ recoveryMs }) => recoveryMs.p99),
    curve("longest", "typical", ({ recoveryMs }) => recoveryMs.max),
  ];
  return [
    {
      title: "How long callers heard nothing, by the length of the stall",
      lead: `Of the callers who did. ${OUTPUT_LEAD_MS} ms are sent ahead of playout, so that shorter stalls are not heard.`,
      body: legend(silence) + curves(silence, { x: "ms", y: "ms" }, "Silence by stall"),
    },
    {
      title: "How soon all was well again",
      lead: "From the end of the stall until as much audio lay ahead of playout as before, but for a frame. Dashed: the budget.",
      body: legend(recovery) + curves(recovery, { x: "ms", y: "ms" }, "Recovery by stall", 100),
    },
  ];
}
