import { FRAME_MS, OUTPUT_LEAD_MS } from "../../src/core/limits/streams/media.ts";
import { spreadOf } from "../harness/statistics.ts";
import type { Verdict } from "../harness/verdict.ts";
import { at, LATENCY_CALLS, underLoad } from "../load/budgets.ts";
import { play, type Window } from "../measurement/frame-analysis.ts";
import type { FrameTimesData } from "../measurement/frame-times.ts";
import type { StallPoint } from "./result.ts";

/** The least that is ahead of playout when all is well. */
const AHEAD_MS = OUTPUT_LEAD_MS;
const RECOVERY_MS_MAX = 100;

/** What the `stalls`, of `stallMs` each, did to the frames that callers received. Between two of them all must have recovered. */
export function pointOf(stallMs: number, stalls: readonly Window[], received: FrameTimesData): StallPoint {
  const silenceMs: number[] = [];
  const recoveryMs: number[] = [];
  for (const call of received.counts.keys()) {
    const silences = stalls.map(() => 0);
    const recoveries = stalls.map(() => Number.NaN);
    play(received, call, (atMs, playedToMs, aheadMs) => {
      const stall = stalls.findLastIndex(({ fromMs }) => fromMs <= atMs);
      if (stall === -1 || !Number.isNaN(recoveries[stall] as number)) return;
      if (atMs > playedToMs) silences[stall] = (silences[stall] as number) + atMs - playedToMs;
      const sinceMs = atMs - (stalls[stall] as Window).toMs;
      if (sinceMs >= 0 && aheadMs >= AHEAD_MS) recoveries[stall] = sinceMs;
    });
    silenceMs.push(...silences.filter((value) => value > 0));
    recoveryMs.push(...recoveries);
  }
  return {
    stallMs,
    realMs: spreadOf(Float32Array.from(stalls, ({ fromMs, toMs }) => toMs - fromMs)),
    seen: recoveryMs.length,
    silent: silenceMs.length,
    silenceMs: spreadOf(Float32Array.from(silenceMs)),
    recoveryMs: spreadOf(Float32Array.from(recoveryMs)),
  };
}

/** A stall that was much longer than it was meant to be was another program's, too. */
export const longerStalls = (points: readonly StallPoint[]): string[] =>
  points
    .filter(({ stallMs, realMs }) => realMs.max > stallMs + FRAME_MS)
    .map(
      ({ stallMs, realMs }) => `a stall of ${stallMs} ms took ${realMs.max.toFixed(1)} ms: the machine is not quiet`,
    );

/** Of `calls` calls. */
export function judgeStalls(points: readonly StallPoint[], calls: number): Verdict[] {
  const short = points.filter(({ stallMs }) => stallMs <= OUTPUT_LEAD_MS);
  const long = points.filter(({ stallMs }) => stallMs > OUTPUT_LEAD_MS);
  const silent = short.reduce((sum, point) => sum + point.silent, 0);
  const seen = short.reduce((sum, point) => sum + point.seen, 0);
  const slowestMs = Math.max(...long.map(({ recoveryMs }) => recoveryMs.max));
  const judged = (holds: boolean, some: boolean): Verdict["verdict"] =>
    some ? underLoad(holds, calls, LATENCY_CALLS) : "not shown";
  return [
    {
      budget: `a stall of the loop of up to ${OUTPUT_LEAD_MS} ms causes no underrun, ${at(LATENCY_CALLS)}`,
      measured: `${silent} in ${seen} ${at(calls)}`,
      verdict: judged(silent === 0, short.length > 0),
    },
    {
      budget: `after a longer one the lead is back within ${RECOVERY_MS_MAX} ms, ${at(LATENCY_CALLS)}`,
      measured: `at most ${slowestMs.toFixed(1)} ms ${at(calls)}`,
      verdict: judged(slowestMs <= RECOVERY_MS_MAX, long.length > 0),
    },
  ];
}
