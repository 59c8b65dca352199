import { verdictLines } from "../harness/verdict.ts";
import { type Curve, curves, legend } from "../report/charts.ts";
import { escaped, page, type Section, short, table, whole } from "../report/html.ts";
import { coresLine, machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import type { SoakPoint, SoakResult } from "./result.ts";

// What a long run came to, for the terminal and as a page.

const COLUMNS = [
  "stint",
  "idle RSS, MiB",
  "idle heap",
  "idle files",
  "µs a pair",
  "in p99, ms",
  "out p99",
  "gaps",
  "drift, ms",
];

/** The last row is what was left. */
const rowsOf = ({ stints, end }: SoakResult): string[][] => [
  ...stints.map(({ round, latency, idle }) => [
    String(round.round),
    ...held(idle),
    short(round.cost.totalUs),
    short(latency.toStt?.p99 ?? Number.NaN),
    short(latency.written?.p99 ?? Number.NaN),
    whole(round.gaps?.count ?? Number.NaN),
    short(round.driftMs ?? Number.NaN),
  ]),
  ["after", ...held(end), "", "", "", "", ""],
];

const held = ({ rssMiB, heapMiB, descriptors }: SoakPoint): string[] => [
  short(rssMiB),
  short(heapMiB),
  String(descriptors),
];

const LEAD =
  "Before the first call of each stint, and after the last: what is idle must not grow. Gaps: frames that callers had to wait for. " +
  "Drift: of the call that moved furthest within the stint.";

/** The result for the terminal. */
export const soakText = (result: SoakResult): string =>
  [textTable(COLUMNS, rowsOf(result)), coresLine(result.cores), verdictLines(result.budgets).join("\n")].join("\n\n");

/** And as a page by itself. */
export function soakPage(result: SoakResult): string {
  const { calls, minutes } = result.options;
  const { stintS, ownMiB, points, stints } = result;
  const overTime = (title: string, unit: string, drawn: Curve[], lead?: string): Section => ({
    title,
    ...(lead === undefined ? {} : { lead }),
    body: (drawn.length > 1 ? legend(drawn) : "") + curves(drawn, { x: "min", y: unit }, title),
  });
  const overSoak = (title: string, colour: Curve["colour"], value: (point: SoakPoint) => number): Curve => ({
    title,
    colour,
    points: points.map((point) => ({ x: point.atS / 60, y: value(point) })),
  });
  const ofStints = (
    title: string,
    colour: Curve["colour"],
    value: (stint: (typeof stints)[number]) => number,
  ): Curve => ({
    title,
    colour,
    points: stints.map((stint) => ({ x: (stint.idle.atS + stintS) / 60, y: value(stint) })),
  });
  const subtitle =
    `${whole(calls)} calls of carrier_a for ${short(minutes)} min, in stints of ${whole(stintS)} s after which all hang up and new ones come. ` +
    `${machineLine(result.machine)} ${escaped(coresLine(result.cores))}`;
  return page("Trunkline in the long run", subtitle, [
    ...invalidity(result.problems),
    budgetSection(result.budgets),
    overTime(
      "Memory of the worker",
      "MiB",
      [overSoak("resident", "ours", ({ rssMiB }) => rssMiB), overSoak("heap", "extra", ({ heapMiB }) => heapMiB)],
      `With all calls on. ${short(ownMiB)} MiB of what is resident are the bench's own notes of every frame.`,
    ),
    overTime("Open files and sockets", "", [overSoak("descriptors", "ours", ({ descriptors }) => descriptors)]),
    overTime("Latency, p99 of each stint", "ms", [
      ofStints("in: sent → received by the STT", "ours", ({ latency }) => latency.toStt?.p99 ?? Number.NaN),
      ofStints("out: due → written", "typical", ({ latency }) => latency.written?.p99 ?? Number.NaN),
    ]),
    overTime("Drift within each stint, either way", "ms", [
      ofStints("drift", "ours", ({ round }) => Math.abs(round.driftMs ?? Number.NaN)),
    ]),
    {
      title: "Stint by stint",
      lead: LEAD,
      body: table(
        COLUMNS.map((title) => ({ title, numeric: true })),
        rowsOf(result).map((row) => row.map(escaped)),
      ),
    },
  ]);
}
