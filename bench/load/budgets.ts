import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { median, type Spread } from "../harness/statistics.ts";
import { type Verdict, verdictOf } from "../harness/verdict.ts";
import type { RoundResult } from "../measurement/result.ts";
import type { StepResult, StepsOptions } from "./result.ts";

// The budgets that growing load can speak of. None stops the bench: a run that misses one is a good run, and says so.

const FEW_CALLS = 100;
/** What latencies and pacing are spoken of with. */
export const LATENCY_CALLS = 500;
const LATENCY_P99_MS_MAX = 2;
const LATENCY_P999_MS_MAX = 10;
const MANY_CALLS = 1_000;
const MANY_CALLS_P99_MS_MAX = 10;
const DRIFT_SECONDS = 600;
/** The lead is topped up at one tick or the next, whichever finds it low: a frame of play. What drifts goes on past that. */
const DRIFT_MS_MAX = FRAME_MS * 1.01;
const MEMORY_KIB_MAX = 150;
const GROWTH_MAX = 1.1;

/** `steps` in ascending order, at least one. Each budget is judged by the step that is nearest to what it speaks of. */
export function judgeSteps(steps: readonly StepResult[], { seconds }: Pick<StepsOptions, "seconds">): Verdict[] {
  const near = nearest(steps, LATENCY_CALLS);
  const many = nearest(steps, MANY_CALLS);
  const { toStt, written } = many.latency;
  const worstP99Ms = Math.max(toStt?.p99 ?? Number.NaN, written?.p99 ?? Number.NaN);
  return [
    {
      budget: `sent by the caller → received by the STT, ${at(LATENCY_CALLS)}: p99 at most 2 ms, p99.9 at most 10 ms`,
      measured: `${inWords(near.latency.toStt)} ${at(near.calls)}`,
      verdict: underLoad(punctual(near.latency.toStt), near.calls, LATENCY_CALLS),
    },
    {
      budget: `due → written to the socket, ${at(LATENCY_CALLS)}: p99 at most 2 ms, p99.9 at most 10 ms`,
      measured: `${inWords(near.latency.written)} ${at(near.calls)}`,
      verdict: underLoad(punctual(near.latency.written), near.calls, LATENCY_CALLS),
    },
    {
      budget: `both ways, ${at(MANY_CALLS)} on one core: p99 at most 10 ms`,
      measured: `p99 ${worstP99Ms.toFixed(2)} ms ${at(many.calls)}`,
      verdict: underLoad(worstP99Ms <= MANY_CALLS_P99_MS_MAX, many.calls, MANY_CALLS),
    },
    judgeDrift(near.calls, seconds, near.rounds),
    memory(many),
    growth(steps),
  ];
}

/** As it stands in budgets. */
export const at = (calls: number): string => `with ${calls.toLocaleString("en")} calls`;

const nearest = (steps: readonly StepResult[], calls: number): StepResult =>
  steps.reduce((best, step) => (Math.abs(step.calls - calls) < Math.abs(best.calls - calls) ? step : best));

/** `rounds` of `seconds` each. */
export function judgeDrift(calls: number, seconds: number, rounds: readonly RoundResult[]): Verdict {
  const driftMs = Math.max(...rounds.map((round) => Math.abs(round.driftMs ?? Number.NaN)));
  const shown = calls >= LATENCY_CALLS && seconds >= DRIFT_SECONDS;
  return {
    budget: `no drift of the 20 ms grid over 10 min, ${at(LATENCY_CALLS)}`,
    measured: `${driftMs.toFixed(2)} ms over ${seconds} s ${at(calls)}`,
    verdict: driftMs > DRIFT_MS_MAX ? "missed" : shown ? "holds" : "not shown",
  };
}

function memory({ calls, rounds }: StepResult): Verdict {
  const kib = Math.max(...rounds.map(({ memoryPerCallBytes }) => memoryPerCallBytes / 1_024));
  return {
    budget: `memory per call ${at(MANY_CALLS)}, journal on: at most ${MEMORY_KIB_MAX} KiB`,
    measured: `${kib.toFixed(0)} KiB ${at(calls)}`,
    // With few calls, what the process needs once is shared among too few.
    verdict: calls < MANY_CALLS ? "not shown" : verdictOf(kib <= MEMORY_KIB_MAX),
  };
}

function growth(steps: readonly StepResult[]): Verdict {
  const few = nearest(steps, FEW_CALLS);
  const many = nearest(steps, MANY_CALLS);
  // Round by round, so that a machine that drifts does not decide.
  const ratio = median(
    many.rounds.map(({ cost }, round) => cost.totalUs / (few.rounds[round]?.cost.totalUs ?? Number.NaN)),
  );
  const spoken = few.calls === FEW_CALLS && many.calls >= MANY_CALLS;
  return {
    budget: `CPU per frame pair ${at(MANY_CALLS)} at most ${GROWTH_MAX} times that ${at(FEW_CALLS)}`,
    measured: `${ratio.toFixed(2)} times, ${at(many.calls)} and ${at(few.calls)}`,
    verdict: spoken ? verdictOf(ratio <= GROWTH_MAX) : "not shown",
  };
}

const punctual = (spread: Spread | undefined): boolean =>
  spread !== undefined && spread.p99 <= LATENCY_P99_MS_MAX && spread.p999 <= LATENCY_P999_MS_MAX;

const inWords = (spread: Spread | undefined): string =>
  spread === undefined ? "nothing" : `p99 ${spread.p99.toFixed(2)} ms, p99.9 ${spread.p999.toFixed(2)} ms`;

/** What holds with fewer calls than the budget speaks of shows nothing yet, and what fails with more of them neither. */
export function underLoad(holds: boolean, calls: number, callsOfBudget: number): Verdict["verdict"] {
  if (holds) return calls >= callsOfBudget ? "holds" : "not shown";
  return calls <= callsOfBudget ? "missed" : "not shown";
}
