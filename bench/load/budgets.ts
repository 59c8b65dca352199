import { FRAME_MS } from "../../src/core/limits.ts";
import type { Spread } from "../statistics.ts";
import type { ContestantResult, LoadOptions, Ratio, Verdict } from "./load-result.ts";

// The budgets that this bench can speak of. None stops it: a run that misses one is a good run, and says so.

const TO_ECHO_MAX = 1.5;
const TO_TYPICAL_MAX = 0.6;
const LATENCY_CALLS = 500;
const LATENCY_P99_MS_MAX = 2;
const LATENCY_P999_MS_MAX = 10;
const MANY_CALLS = 1_000;
const MANY_CALLS_P99_MS_MAX = 10;
const DRIFT_SECONDS = 600;
/** The lead is topped up at one tick or the next, whichever finds it low: a frame of play. What drifts goes on past that. */
const DRIFT_MS_MAX = FRAME_MS * 1.01;
const MEMORY_KIB_MAX = 150;

/** `ours`: our service with a journal without audio. */
export function judge(ours: ContestantResult, ratios: readonly Ratio[], { calls, seconds }: LoadOptions): Verdict[] {
  const { heard, written } = ours.latency;
  const worstP99Ms = Math.max(heard?.p99 ?? Number.NaN, written?.p99 ?? Number.NaN);
  const drifts = ours.rounds.map(({ driftMs }) => Math.abs(driftMs ?? Number.NaN));
  const memoryKiB = Math.max(...ours.rounds.map(({ memoryPerCallBytes }) => memoryPerCallBytes / 1_024));
  const at = (needed: number): string => `with ${needed.toLocaleString("en")} calls`;
  const driftMs = Math.max(...drifts);
  return [
    ratioVerdict("CPU per frame pair at most 1.5 times a bare echo's", ratios, "echo", TO_ECHO_MAX),
    ratioVerdict("CPU per frame pair at most 0.6 times a typical gateway's", ratios, "typical", TO_TYPICAL_MAX),
    {
      budget: `sent by the caller → in the ear's hands, ${at(LATENCY_CALLS)}: p99 at most 2 ms, p99.9 at most 10 ms`,
      measured: inWords(heard),
      verdict: underLoad(punctual(heard), calls, LATENCY_CALLS),
    },
    {
      budget: `due → written to the socket, ${at(LATENCY_CALLS)}: p99 at most 2 ms, p99.9 at most 10 ms`,
      measured: inWords(written),
      verdict: underLoad(punctual(written), calls, LATENCY_CALLS),
    },
    {
      budget: `both ways, ${at(MANY_CALLS)} on one core: p99 at most 10 ms`,
      measured: `p99 ${worstP99Ms.toFixed(2)} ms with ${calls.toLocaleString("en")} calls`,
      verdict: underLoad(worstP99Ms <= MANY_CALLS_P99_MS_MAX, calls, MANY_CALLS),
    },
    {
      budget: `no drift of the 20 ms grid over 10 min, ${at(LATENCY_CALLS)}`,
      measured: `${driftMs.toFixed(2)} ms over ${seconds} s with ${calls.toLocaleString("en")} calls`,
      verdict:
        driftMs > DRIFT_MS_MAX ? "missed" : calls >= LATENCY_CALLS && seconds >= DRIFT_SECONDS ? "holds" : "not shown",
    },
    {
      budget: `memory per call ${at(MANY_CALLS)}, journal on: at most ${MEMORY_KIB_MAX} KiB`,
      measured: `${memoryKiB.toFixed(0)} KiB with ${calls.toLocaleString("en")} calls`,
      // With few calls, what the process needs once is shared among too few.
      verdict: calls < MANY_CALLS ? "not shown" : memoryKiB <= MEMORY_KIB_MAX ? "holds" : "missed",
    },
  ];
}

function ratioVerdict(budget: string, ratios: readonly Ratio[], to: string, max: number): Verdict {
  const ratio = ratios.find((candidate) => candidate.of === "trunkline" && candidate.to === to);
  const { median = Number.NaN, min = Number.NaN, max: highest = Number.NaN } = ratio ?? {};
  return {
    budget,
    measured: `${median.toFixed(2)} (rounds: ${min.toFixed(2)} to ${highest.toFixed(2)})`,
    verdict: median <= max ? "holds" : "missed",
  };
}

const punctual = (spread: Spread | undefined): boolean =>
  spread !== undefined && spread.p99 <= LATENCY_P99_MS_MAX && spread.p999 <= LATENCY_P999_MS_MAX;

const inWords = (spread: Spread | undefined): string =>
  spread === undefined ? "nothing" : `p99 ${spread.p99.toFixed(2)} ms, p99.9 ${spread.p999.toFixed(2)} ms`;

/** What holds with fewer calls than the budget speaks of shows nothing yet, and what fails with more of them neither. */
function underLoad(holds: boolean, calls: number, callsOfBudget: number): Verdict["verdict"] {
  if (holds) return calls >= callsOfBudget ? "holds" : "not shown";
  return calls <= callsOfBudget ? "missed" : "not shown";
}
