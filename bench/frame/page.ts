import { type Bar, bars, type DotRow, dots } from "../report/charts.ts";
import { type Column, escaped, list, page, type Section, share, short, table, whole } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection } from "../report/sections.ts";
import { goalsOf, wayRows } from "./goals.ts";
import type { Comparison, FrameCost, FrameResult } from "./result.ts";

/** The result of the frame bench as a page by itself. */
export function framePage(result: FrameResult): string {
  const subtitle = `What 20 ms cost, without sockets and without providers. ${machineLine(result.machine)}`;
  return page("Trunkline, frame by frame", subtitle, [
    budgetSection(goalsOf(result)),
    carriers(result),
    websocket(result),
    resampling(result),
    stages(result, "in", "carrier_a, the way in, stage by stage"),
    stages(result, "out", "carrier_a, the way out, stage by stage"),
    inTurn(result),
    extra(result),
    { title: "How it was measured", body: list(METHOD) },
    { title: "What is not measured", body: list(NOT_MEASURED) },
  ]);
}

const numeric = (title: string): Column => ({ title, numeric: true });

/** The wires that have a goal are drawn, too. */
function carriers({ comparisons }: FrameResult): Section {
  const own = comparisons.filter(({ ratioMin }) => ratioMin !== undefined);
  const ratios = own.map(
    ({ wire, name, ratio, ratioMin }): DotRow => ({
      label: `${wire}: ${name}`,
      colour: name === "decode" ? "ours" : "extra",
      values: [ratio],
      median: ratio,
      ...(ratioMin !== undefined && { budget: ratioMin }),
    }),
  );
  return {
    title: "The carriers: times as fast as the plain way",
    lead:
      "The plain way: JSON.parse, Buffer and alawmulaw to decode; alawmulaw, Buffer and JSON.stringify to encode. " +
      "Dashed: the goal, the figure being at or right of it. The times in ns only show the order of magnitude; in copies is ours, in mere " +
      "copies of the frame's samples.",
    body: dots(ratios, "times", "Times as fast as the plain way") + comparisonTable(own),
  };
}

function websocket({ comparisons }: FrameResult): Section {
  return {
    title: "The raw WebSocket protocol, in each codec at each rate",
    lead:
      "The plain way: a fresh array for PCM, alawmulaw for G.711. For Opus it is the library by itself, with the settings that it " +
      "comes with, decoding to the rate that ours decodes to, which is that of the bus: 16 kHz at most.",
    body: comparisonTable(comparisons.filter(({ ratioMin }) => ratioMin === undefined)),
  };
}

function comparisonTable(comparisons: readonly Comparison[]): string {
  const columns = [
    { title: "a frame of 20 ms" },
    { title: "" },
    ...["times as fast", "in copies", "ours, ns", "plain, ns", "heap B", "plain, heap B"].map(numeric),
  ];
  const rows = comparisons.map(({ wire, name, ratio, ofCopy, oursNs, plainNs, oursHeapBytes, plainHeapBytes }) => [
    `<span class="name">${escaped(wire)}</span>`,
    name,
    short(ratio),
    short(ofCopy),
    whole(oursNs),
    whole(plainNs),
    short(oursHeapBytes),
    whole(plainHeapBytes),
  ]);
  return table(columns, rows);
}

function resampling({ resampling: all }: FrameResult): Section {
  const names = (all[0]?.candidates ?? []).map(({ name }) => name);
  const rows = all.map(({ fromHz, toHz, candidates, heapBytes }) => [
    `<span class="name">${fromHz / 1_000} to ${toHz / 1_000} kHz</span>`,
    ...candidates.map(({ ns, ofReference }, at) =>
      at === 0
        ? `<b>${whole(ns)}</b> <span class="of">${short(ofReference)}</span>`
        : `${whole(ns)} <span class="of">${short(ofReference)}</span>`,
    ),
    short(candidates[0]?.ofCopy ?? Number.NaN),
    short(heapBytes),
  ]);
  return {
    title: "Resampling 20 ms",
    lead:
      "In ns, and next to that in filters of plain JavaScript (the column plain FIR), which took turns with it. The service uses the first " +
      "one, which alone is counted in mere copies of the frame and in heap bytes. Speex in quality 3 does not pass the acceptance suite, and " +
      "wavefile, which is made for files, clicks at every frame.",
    body: table([{ title: "" }, ...names.map(numeric), numeric("in copies"), numeric("heap B")], rows),
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
        ? "From the bytes of a message to the STT, in plain decodes that took turns with it; in brackets the time and the heap. The whole " +
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

function inTurn({ inTurn: all }: FrameResult): Section {
  const rows = all.map(({ calls, inNs, outNs }): Bar => {
    const value = `${whole(inNs + outNs)} ns (${whole(inNs)} in, ${whole(outNs)} out)`;
    return { label: `${whole(calls)} calls`, colour: "ours", parts: [inNs, outNs], value };
  });
  return {
    title: "The whole way where calls take turns",
    lead:
      "A frame in and a frame out of each call, then of the next one: what is slower than with one call alone is what the caches no " +
      "longer hold of a call when its turn comes again.",
    body: bars(rows, "ns", "The whole way where calls take turns"),
  };
}

function extra({ stages: all, call }: FrameResult): Section {
  const rows = all
    .filter(({ way }) => way === "extra")
    .map(({ name, ns, ofPlain, heapBytes }) => [escaped(name), share(ofPlain), whole(ns), short(heapBytes)]);
  return {
    title: "Beside it",
    lead: `A 30-minute call in virtual time, with its carrier and providers simulated, takes ${whole(call.medianMs)} ms.`,
    body: table(
      [{ title: "not on every call's way" }, numeric("plain decodes"), numeric("ns"), numeric("heap bytes")],
      rows,
    ),
  };
}

const METHOD = [
  "<b>Input</b>: speech of the reference TTS and the noise of a quiet line in between, in the messages that the simulated carriers write, " +
    "or at the rate and in the codec of a raw socket.",
  "<b>Times</b>: 301 rounds; in each, every contestant or stage runs for a millisecond, each of them first in turn. " +
    "A ratio is the median of the rounds' ratios, so that whatever else the machine does falls on both sides.",
  "<b>Heap bytes</b>: what V8's used heap grows by over a window of runs, divided by the runs; the median of some hundred windows, less that of " +
    "empty ones. Garbage is included; windows in which the collector runs or the compiler works do not count. Below one byte is nothing: the measure has no finer grain.",
  "<b>The whole ways</b> are a connection of the gateway in the middle of a call, with a socket that takes everything, a disk that is always " +
    "done, an STT that counts and a TTS that never ends. What is lacking is uWebSockets.js and the kernel: the load bench has them.",
  "<b>A stage by itself</b> finds everything at hand, and what calls it is compiled for it alone: the sum of the stages is not the whole.",
];

const NOT_MEASURED = ["Sockets, timers and the disk: see the load bench.", "Providers, except for the reference STT."];
