import type { FrameResult } from "../micro/frame-result.ts";
import { goalsOf, wayRows } from "./frame-goals.ts";
import { share, short, whole } from "./html.ts";
import { textTable } from "./text-table.ts";

/** The result for the terminal. */
export function frameText(result: FrameResult): string {
  const comparisons = textTable(
    ["carrier_a, a frame of 20 ms", "times as fast", "ours, ns", "plain, ns", "ours, heap B", "plain, heap B"],
    result.comparisons.map(({ name, ratio, oursNs, plainNs, oursHeapBytes, plainHeapBytes }) => [
      name,
      short(ratio),
      whole(oursNs),
      whole(plainNs),
      short(oursHeapBytes),
      whole(plainHeapBytes),
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
  const goals = goalsOf(result).map(
    ({ goal, measured, holds }) => `${holds ? "holds " : "missed"}  ${goal}: ${measured}`,
  );
  return [comparisons, "", stages, "", ...goals].join("\n");
}
