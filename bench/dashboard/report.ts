import type { Spread } from "../harness/statistics.ts";
import { verdictLines } from "../harness/verdict.ts";
import { escaped, page, table } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import { grossExcess } from "./goals.ts";
import type { DashboardResult, FirstRows } from "./result.ts";

// What the dashboard costs a browser and the service, for the terminal and as a page.

interface ResultTable {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

const whole = (value: number): string => value.toFixed(0);
const tenths = (value: number): string => value.toFixed(1);
const SPREAD = ["n", "p50", "p95", "max"];
const spreadCells = ({ count, p50, p95, max }: Spread): string[] => [count, p50, p95, max].map(whole);
const rowsCells = ({ page: name, how, tookMs }: FirstRows): string[] => [`${name}: ${how}`, ...spreadCells(tookMs)];

function tablesOf({ load, open, scroll, list, streams }: DashboardResult): ResultTable[] {
  return [
    {
      title: `First load of Live with an empty cache, processor throttled ${load?.throttling}x, medians; ${load?.files} files, ${tenths((load?.gzipBytes ?? 0) / 1e3)} KB gzip, ${tenths((load?.brotliBytes ?? 0) / 1e3)} KB brotli`,
      head: ["ms", "LCP", "blocking", "n"],
      rows: load?.pages.map((one) => [one.page, whole(one.lcpMs), whole(one.blockingMs), String(one.runs)]) ?? [],
    },
    {
      title: `Until a page is painted, ms since its address was opened or its link was clicked; the call has ${open?.turns ?? "no"} rows and ${open?.events ?? "no"} events`,
      head: ["page", ...SPREAD],
      rows: [...(open?.rows ?? []), ...(list?.rows ?? [])].map(rowsCells),
    },
    {
      title: "While it is scrolled, ms a frame",
      head: ["what", "frames", "script and layout p95", "max", "all p95", "longest task"],
      rows: scroll.map((one) => [
        one.what,
        String(one.frames),
        ...[one.scriptAndLayoutP95Ms, one.scriptAndLayoutMaxMs, one.allP95Ms, one.longestTaskMs].map(tenths),
      ]),
    },
    {
      title: "JS heap of the list after a garbage collection",
      head: ["rows scrolled through", "MB"],
      rows: list?.heap.map(({ rows, bytes }) => [String(rows), tenths(bytes / 1e6)]) ?? [],
    },
    {
      title: "Streams of events: the control process",
      head: ["round", "streams", "% of a core", "messages/s each", "KB/s each"],
      rows: streams.map((round) => [
        round.name,
        String(round.streams),
        (100 * round.cpuShare).toFixed(2),
        tenths(round.messagesPerSecond),
        tenths(round.bytesPerSecond / 1e3),
      ]),
    },
  ].filter(({ rows }) => rows.length > 0);
}

/** The result for the terminal. */
export function dashboardText(result: DashboardResult): string {
  const gross = result.options.reduced ? grossExcess(result) : [];
  return [
    verdictLines(result.goals).join("\n"),
    ...tablesOf(result).map(({ title, head, rows }) => `${title}\n${textTable(head, rows)}`),
    ...(gross.length > 0 ? [`Missed grossly:\n${gross.join("\n")}`] : []),
  ].join("\n\n");
}

/** And as a page by itself. */
export function dashboardPage(result: DashboardResult): string {
  const sections = tablesOf(result).map(({ title, head, rows }) => ({
    title,
    body: table(
      head.map((column, at) => ({ title: column, numeric: at > 0 })),
      rows.map((row) => row.map(escaped)),
    ),
  }));
  return page("The dashboard", machineLine(result.machine), [
    ...invalidity(result.problems),
    budgetSection(result.goals),
    ...sections,
  ]);
}

/** What the tables mean, for RESULTS.md. */
export const DASHBOARD_EXPLANATION =
  "A service as built, with SQLite, and Debian's Chromium without a screen on the same processors: a person's computer has its own. The long call was held in virtual time through the " +
  "gateway of this build, and the service made its record, recording and waveform. Live calls of the streams are reported at the worker's end of the handoff.";
