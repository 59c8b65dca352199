import type { FrameCost, FrameResult } from "../micro/frame-result.ts";
import { type Bar, bars, type DotRow, dots } from "./charts.ts";
import { type Goal, goalsOf, wayRows } from "./frame-goals.ts";
import { escaped, list, page, type Section, share, short, table, whole } from "./html.ts";
import { machineLine } from "./machine-line.ts";

/** The result of the frame bench as a page by itself. */
export function framePage(result: FrameResult): string {
  const subtitle = `What 20 ms of carrier_a cost, without sockets and without engines. ${machineLine(result.machine)}`;
  return page("Trunkline, frame by frame", subtitle, [
    goals(goalsOf(result)),
    comparison(result),
    stages(result, "in", "The way in, stage by stage"),
    stages(result, "out", "The way out, stage by stage"),
    beside(result),
    { title: "How it was measured", body: list(METHOD) },
    { title: "What is not measured", body: list(NOT_MEASURED) },
  ]);
}

function goals(all: readonly Goal[]): Section {
  const rows = all.map(({ goal, measured, holds }) => [
    escaped(goal),
    escaped(measured),
    `<span class="verdict ${holds ? "holds" : "missed"}">${holds ? "holds" : "missed"}</span>`,
  ]);
  return { title: "Goals", body: table([{ title: "goal" }, { title: "measured here" }, { title: "" }], rows) };
}

function comparison({ comparisons }: FrameResult): Section {
  const ratios = comparisons.map(
    ({ name, ratio, ratioMin }): DotRow => ({
      label: name,
      colour: "ours",
      values: [ratio],
      median: ratio,
      budget: ratioMin,
    }),
  );
  const numeric = (title: string) => ({ title, numeric: true });
  const rows = comparisons.map(({ name, oursNs, plainNs, oursHeapBytes, plainHeapBytes }) => [
    name,
    whole(oursNs),
    whole(plainNs),
    short(oursHeapBytes),
    whole(plainHeapBytes),
  ]);
  const columns = [
    { title: "a frame of 20 ms" },
    numeric("ours, ns"),
    numeric("plain, ns"),
    numeric("ours, heap bytes"),
    numeric("plain, heap bytes"),
  ];
  return {
    title: "Times as fast as the plain way",
    lead:
      "The plain way: JSON.parse, Buffer and alawmulaw to decode; alawmulaw, Buffer and JSON.stringify to encode. " +
      "Dashed: the goal, the figure being at or right of it. The times in ns only show the order of magnitude.",
    body: dots(ratios, "times", "Times as fast as the plain way") + table(columns, rows),
  };
}

function stages(result: FrameResult, way: "in" | "out", title: string): Section {
  const own = result.stages.filter((stage) => stage.way === way);
  const wholes = wayRows(result).filter((row) => row.way === way);
  const rows: Bar[] = [
    ...own.map((stage) => barOf(stage.name, stage, "ours")),
    ...wholes.map(({ name, cost }) => barOf(name, cost, "echo")),
  ];
  return {
    title,
    lead:
      way === "in"
        ? "From the bytes of a message to the ear, in plain decodes that took turns with it; in brackets the time and the heap. The whole " +
          "way is a connection of the gateway, with all of the stages and what joins them."
        : "From the ring of frames that wait to the bytes of a message, in plain encodes that took turns with it. The voice fills the " +
          "ring, some frames at a time, before.",
    body: bars(rows, "", title),
  };
}

const barOf = (label: string, { ns, ofPlain, heapBytes }: FrameCost, colour: Bar["colour"]): Bar => ({
  label,
  colour,
  parts: [Math.max(0, ofPlain)],
  value: `${share(ofPlain)} (${whole(ns)} ns, ${short(heapBytes)} B)`,
});

function beside({ stages: all, call }: FrameResult): Section {
  const rows = all
    .filter(({ way }) => way === "beside")
    .map(({ name, ns, ofPlain, heapBytes }) => [escaped(name), share(ofPlain), whole(ns), short(heapBytes)]);
  const numeric = (title: string) => ({ title, numeric: true });
  return {
    title: "Beside it",
    lead: `A 30-minute call in virtual time, with its carrier and engines simulated, takes ${whole(call.medianMs)} ms.`,
    body: table(
      [{ title: "not on every call's way" }, numeric("plain decodes"), numeric("ns"), numeric("heap bytes")],
      rows,
    ),
  };
}

const METHOD = [
  "<b>Input</b>: messages of a stream of carrier_a with speech of the reference voice and the noise of a quiet line in between.",
  "<b>Times</b>: 301 rounds; in each, every contestant or stage runs some thousand times in a row, each of them first in turn. " +
    "A ratio is the median of the rounds' ratios, so that whatever else the machine does falls on both sides.",
  "<b>Heap bytes</b>: what V8's used heap grows by over a window of runs, divided by the runs; the median of some hundred windows, less that of " +
    "empty ones. Garbage is included; windows in which the collector runs or the compiler works do not count. Below one byte is nothing: the measure has no finer grain.",
  "<b>The whole ways</b> are a connection of the gateway in the middle of a call, with a socket that takes everything, a disk that is always " +
    "done, an ear that counts and a voice that never ends. What is lacking is uWebSockets.js and the kernel: the load bench has them.",
  "<b>A stage by itself</b> finds everything at hand, and what calls it is compiled for it alone: the sum of the stages is not the whole.",
];

const NOT_MEASURED = [
  "Sockets, timers, the disk and other calls: see the load bench.",
  "Engines, but for the reference ear.",
];
