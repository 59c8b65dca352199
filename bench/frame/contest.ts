import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { heapBytesPerRun } from "../../test/support/heap.ts";
import { median } from "../harness/statistics.ts";
import { Cycle } from "./cycle.ts";
import type { Comparison } from "./result.ts";
import { ratioOf, timeRounds } from "./timing.ts";

/** Two ways to do the same thing to one frame of 20 ms: one frame a call. */
export interface Contest extends Pick<Comparison, "wire" | "name" | "ratioMin" | "native"> {
  /** The rate of the frame's samples, Hz. */
  rateHz: number;
  ours: () => void;
  plain: () => void;
}

// What allocates nothing is measured over more frames, so that the measure's own grain vanishes.
const OURS_HEAP_RUNS = 1_000;
const PLAIN_HEAP_RUNS = 200;
// A native library takes its time, and makes more garbage.
const NATIVE_HEAP_RUNS = 5;

/** Messages, or frames, that take turns: more than lie in a processor's nearest memory, as with many calls at once. */
export const FRAMES = 500;

/** Measures one contest after the other, each against a mere copy of the frame's samples, too. `turnMs` as of `timeRounds`. */
export const compare = (contests: readonly Contest[], turnMs?: number): Comparison[] =>
  contests.map(({ wire, name, ratioMin, rateHz, ours, plain, native }) => {
    const times = timeRounds([ours, plain, copying((rateHz / 1_000) * FRAME_MS)], turnMs);
    const [oursNs, plainNs, copyNs] = times as [number[], number[], number[]];
    const heapOf = (task: () => void, runs: number): number =>
      native ? heapBytesPerRun(task, NATIVE_HEAP_RUNS, NATIVE_HEAP_RUNS) : heapBytesPerRun(task, runs);
    return {
      wire,
      name,
      native,
      ratioMin,
      ratio: ratioOf(plainNs, oursNs),
      ofCopy: ratioOf(oursNs, copyNs),
      oursNs: median(oursNs),
      plainNs: median(plainNs),
      oursHeapBytes: heapOf(ours, OURS_HEAP_RUNS),
      plainHeapBytes: heapOf(plain, PLAIN_HEAP_RUNS),
    };
  });

/** Copies one of many frames of `frameSamples`, and nothing else: the least that can be done to a frame. */
export function copying(frameSamples: number): () => void {
  const frames = new Cycle(Array.from({ length: FRAMES }, () => new Int16Array(frameSamples).fill(1)));
  const into = new Int16Array(frameSamples);
  return () => {
    into.set(frames.next());
    use(into[frameSamples - 1] as number);
  };
}

/** Results go here, so that no compiler can leave the work out. A small integer always: any other number would be on the heap. */
let sink = 0;

export function use(value: number): void {
  sink = (sink + value) | 0;
}

/** What the sink has come to: printed, it is used. */
export const checksum = (): number => sink;
