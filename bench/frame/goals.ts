import { type Verdict, verdictOf } from "../harness/verdict.ts";
import { short } from "../report/html.ts";
import type { Comparison, FrameCost, FrameResult } from "./result.ts";

/** What the measure itself cannot tell from nothing. */
const HEAP_GRAIN_BYTES = 1;

const ENCRYPTED_FRAME_NS_MAX = 1_000;
const ENCRYPTED_CALL_BYTES_MAX = 2_048;

const heapOf = ({ oursHeapBytes }: Comparison): number => oursHeapBytes;

/** Those goals that are budgets of the whole. */
export function budgetsOf({ ways, call }: Pick<FrameResult, "ways" | "call">): Verdict[] {
  const heap = (way: "in" | "out"): Verdict => ({
    budget: `heap allocated per media frame on the way ${way}, but for the socket's own view: nothing`,
    measured: `${short(ways[way].heapBytes)} bytes`,
    verdict: verdictOf(ways[way].heapBytes < HEAP_GRAIN_BYTES),
  });
  return [
    heap("in"),
    heap("out"),
    {
      budget: `a 30-minute call in virtual time: at most ${short(call.budgetMs / 1_000)} s`,
      measured: `${short(call.medianMs / 1_000)} s`,
      verdict: verdictOf(call.medianMs <= call.budgetMs),
    },
  ];
}

/** Budgets, and what else this bench is to show. */
export function goalsOf(result: FrameResult): Verdict[] {
  const { comparisons, encryption } = result;
  const wireHeap = (direction: "decode" | "encode"): Verdict => {
    const bytes = comparisons.filter(({ name, native }) => name === direction && !native).map(heapOf);
    return {
      budget: `${direction} allocates nothing on the heap, on any wire, Opus excepted`,
      measured: `${short(Math.max(...bytes))} bytes`,
      verdict: verdictOf(Math.max(...bytes) < HEAP_GRAIN_BYTES),
    };
  };
  return [
    ...comparisons.flatMap(({ wire, name, ratio, ratioMin }): Verdict[] => {
      if (ratioMin === undefined) return [];
      const budget = `${wire}: ${name} at least ${ratioMin} times as fast as the plain way`;
      return [{ budget, measured: `${short(ratio)} times`, verdict: verdictOf(ratio >= ratioMin) }];
    }),
    {
      budget: `encrypted media: at most ${ENCRYPTED_FRAME_NS_MAX / 1_000} us more of CPU a frame with its audio`,
      measured: `${short(encryption.addedFrameNs / 1_000)} us`,
      verdict: verdictOf(encryption.addedFrameNs <= ENCRYPTED_FRAME_NS_MAX),
    },
    {
      budget: `encrypted media: at most ${ENCRYPTED_CALL_BYTES_MAX} bytes more of memory a call`,
      measured: `${short(encryption.addedCallBytes)} bytes`,
      verdict: verdictOf(encryption.addedCallBytes <= ENCRYPTED_CALL_BYTES_MAX),
    },
    wireHeap("decode"),
    wireHeap("encode"),
    ...budgetsOf(result),
  ];
}

/** The ways through a whole connection, under the names that the terminal and the page use. */
export const wayRows = ({ ways }: FrameResult): { name: string; way: "in" | "out"; cost: FrameCost }[] => [
  { name: "the whole way in, but the socket", way: "in", cost: ways.in },
  { name: "the whole way out, but the socket", way: "out", cost: ways.out },
  { name: "from the TTS into the ring", way: "out", cost: ways.fill },
];
