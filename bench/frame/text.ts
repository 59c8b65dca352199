import { verdictLines } from "../harness/verdict.ts";
import { share, short, whole } from "../report/html.ts";
import { textTable } from "../report/text-table.ts";
import { goalsOf, wayRows } from "./goals.ts";
import type { FrameResult } from "./result.ts";

/** The result for the terminal. */
export function frameText(result: FrameResult): string {
  const comparisons = textTable(
    ["a frame of 20 ms", "way", "times as fast", "x copy", "ours, ns", "plain, ns", "ours, heap B", "plain, heap B"],
    result.comparisons.map(({ wire, name, ratio, ofCopy, oursNs, plainNs, oursHeapBytes, plainHeapBytes }) => [
      wire,
      name,
      short(ratio),
      short(ofCopy),
      whole(oursNs),
      whole(plainNs),
      short(oursHeapBytes),
      whole(plainHeapBytes),
    ]),
  );
  const resampling = textTable(
    [
      "20 ms, kHz",
      ...(result.resampling[0]?.candidates ?? []).map(({ name }) => `${name}, ns`),
      "x FIR",
      "x copy",
      "heap B",
    ],
    result.resampling.map(({ fromHz, toHz, candidates, heapBytes }) => [
      `${fromHz / 1_000} to ${toHz / 1_000}`,
      ...candidates.map(({ ns }) => whole(ns)),
      short(candidates[0]?.ofReference ?? Number.NaN),
      short(candidates[0]?.ofCopy ?? Number.NaN),
      short(heapBytes),
    ]),
  );
  const stages = textTable(
    ["stage", "way", "of plain", "ns", "heap B"],
    [
      ...result.stages.map(({ name, way, ofPlain, ns, heapBytes }) => [
        name,
        way,
        share(ofPlain),
        whole(ns),
        short(heapBytes),
      ]),
      ...wayRows(result).map(({ name, way, cost }) => [
        name,
        way,
        share(cost.ofPlain),
        whole(cost.ns),
        short(cost.heapBytes),
      ]),
    ],
  );
  const inTurn = textTable(
    ["calls that take turns", "in, ns", "out, ns"],
    result.inTurn.map(({ calls, inNs, outNs }) => [whole(calls), whole(inNs), whole(outNs)]),
  );
  return [comparisons, "", resampling, "", stages, "", inTurn, "", ...verdictLines(goalsOf(result))].join("\n");
}
