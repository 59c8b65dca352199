import type { Comparison, FrameCost, FrameResult } from "../micro/frame-result.ts";
import { short, whole } from "./html.ts";

export interface Goal {
  goal: string;
  measured: string;
  holds: boolean;
}

/** What the measure itself cannot tell from nothing. */
const HEAP_GRAIN_BYTES = 1;

const heapOf = ({ oursHeapBytes }: Comparison): number => oursHeapBytes;

/** The budgets that this bench can speak of. */
export function goalsOf({ comparisons, ways, call }: FrameResult): Goal[] {
  const heap = (goal: string, bytes: number): Goal => ({
    goal,
    measured: `${short(bytes)} bytes`,
    holds: bytes < HEAP_GRAIN_BYTES,
  });
  return [
    ...comparisons.flatMap(({ wire, name, ratio, ratioMin }) =>
      ratioMin === undefined
        ? []
        : {
            goal: `${wire}: ${name} at least ${ratioMin} times as fast as the plain way`,
            measured: `${short(ratio)} times`,
            holds: ratio >= ratioMin,
          },
    ),
    ...(["decode", "encode"] as const).map((direction) =>
      heap(
        `${direction} allocates nothing on the heap, on any wire, Opus excepted`,
        Math.max(...comparisons.filter(({ name, native }) => name === direction && !native).map(heapOf)),
      ),
    ),
    heap("the whole way in allocates nothing on the heap", ways.in.heapBytes),
    heap("the whole way out allocates nothing on the heap", ways.out.heapBytes),
    {
      goal: "a 30-minute call in virtual time takes at most 1 s",
      measured: `${whole(call.medianMs)} ms`,
      holds: call.medianMs <= call.budgetMs,
    },
  ];
}

/** The ways through a whole connection, under the names that the terminal and the page use. */
export const wayRows = ({ ways }: FrameResult): { name: string; way: "in" | "out"; cost: FrameCost }[] => [
  { name: "the whole way in, but the socket", way: "in", cost: ways.in },
  { name: "the whole way out, but the socket", way: "out", cost: ways.out },
  { name: "from the voice into the ring", way: "out", cost: ways.fill },
];
