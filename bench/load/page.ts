import { type Curve, curves, legend } from "../report/charts.ts";
import { escaped, list, page, type Section, table, whole } from "../report/html.ts";
import { coresLine, machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import type { LoadResult } from "./result.ts";
import { memoryOf } from "./rows.ts";
import { stepRows } from "./step-rows.ts";

/** What came of growing load, as a page by itself. */
export function loadPage(result: LoadResult): string {
  const { wire, steps, seconds, rounds } = result.options;
  const subtitle = [
    `${steps.map(whole).join(", ")} full-duplex calls of ${wire} on one media worker, a fresh one each time; ` +
      `${seconds} s measured, ${rounds === 1 ? "once" : `${rounds} times`}.`,
    machineLine(result.machine),
    escaped(coresLine(result.cores)),
  ].join(" ");
  return page("Trunkline under growing load", subtitle, [
    ...invalidity(result.problems),
    budgetSection(result.budgets),
    ...growthSections(result),
    ...stepRows(result).map(
      ({ title, columns, rows }): Section => ({
        title,
        body: table(
          columns.map((column) => ({ title: column, numeric: column !== "way" })),
          rows.map((row) => row.map(escaped)),
        ),
      }),
    ),
    { title: "How it was measured", body: list(METHOD) },
  ]);
}

/** What grows with the number of calls. */
export function growthSections({ steps }: LoadResult): Section[] {
  const curve = (title: string, colour: Curve["colour"], value: (step: (typeof steps)[number]) => number): Curve => ({
    title,
    colour,
    points: steps.map((step) => ({ x: step.calls, y: value(step) })),
  });
  const chart = (title: string, unit: string, drawn: Curve[], lead?: string): Section => ({
    title,
    ...(lead === undefined ? {} : { lead }),
    body: (drawn.length > 1 ? legend(drawn) : "") + curves(drawn, { x: "calls", y: unit }, title),
  });
  const nothing = Number.NaN;
  return [
    chart("CPU per frame pair, by calls", "µs", [
      curve("all of it", "ours", ({ cost }) => cost.totalUs),
      curve("in the kernel", "echo", ({ cost }) => cost.systemUs),
    ]),
    chart(
      "Memory per call, by calls",
      "KiB",
      [curve("memory", "ours", memoryOf)],
      "Resident memory with all calls on, less that before, over the calls: with few calls most of it is what the process needs once.",
    ),
    chart("The way in, by calls: sent → received by the STT", "ms", [
      curve("p50", "ours", ({ latency }) => latency.toStt?.p50 ?? nothing),
      curve("p99", "typical", ({ latency }) => latency.toStt?.p99 ?? nothing),
      curve("p99.9", "extra", ({ latency }) => latency.toStt?.p999 ?? nothing),
    ]),
    chart("The way out, by calls: due → written", "ms", [
      curve("p50", "ours", ({ latency }) => latency.written?.p50 ?? nothing),
      curve("p99", "typical", ({ latency }) => latency.written?.p99 ?? nothing),
      curve("p99.9", "extra", ({ latency }) => latency.written?.p999 ?? nothing),
    ]),
  ];
}

const METHOD = [
  "<b>The service</b> is the media worker of this repository, compiled as it is for production, with engines that cost next to nothing: " +
    "the TTS replays speech, the LLM emits sentences without end, the STT counts. Voice detection is on, journals are without audio.",
  "<b>Core</b>: how busy the server was. <b>Gaps</b>: frames that came after the one before them had been played, of all calls together; " +
    "the longest in ms. <b>Drift</b>, ms: of the call that moved furthest. <b>Loop</b>: how late the server's timers were, ms.",
  "<b>The other end</b>: how busy the generator was, how late it sent, and what programs that are none of the bench's took, in cores. " +
    "When the generator is later than a frame, or has no time left, the run shows nothing.",
];
