import { median } from "../harness/statistics.ts";

const ROUNDS = 301;
const WARM_UP_RUNS = 20_000;
/** What is slow is warm after fewer: no warm-up is longer than so many turns. */
const WARM_UP_TURNS_MAX = 300;
/** How long each operation runs in a round. */
const TURN_MS = 1;

/** How long one of `runs` operations takes, ns. */
export function timeNs(task: () => void, runs: number): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < runs; i += 1) task();
  return Number(process.hrtime.bigint() - start) / runs;
}

/**
 * How long each operation takes, ns, in each of many rounds. In a round each of them runs for `turnMs`, one right after the other
 * and each first in turn, so that whatever else the machine does falls on all.
 */
export function timeRounds(tasks: readonly (() => void)[], turnMs = TURN_MS): number[][] {
  const runs = tasks.map((task) => Math.max(1, Math.round((turnMs * 1e6) / warmUpNs(task, turnMs))));
  const times = tasks.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < tasks.length; turn += 1) {
      const at = (round + turn) % tasks.length;
      times[at]?.push(timeNs(tasks[at] as () => void, runs[at] as number));
    }
  }
  return times;
}

/** Runs the operation until it is compiled, or long enough; returns how long it takes at the end of that, ns. */
function warmUpNs(task: () => void, turnMs: number): number {
  const endMs = performance.now() + WARM_UP_TURNS_MAX * turnMs;
  let ns = timeNs(task, 1);
  for (let runs = 0; runs < WARM_UP_RUNS && performance.now() < endMs; ) {
    const step = Math.max(1, Math.min(WARM_UP_RUNS / 100, Math.round((turnMs * 1e6) / ns)));
    ns = timeNs(task, step);
    runs += step;
  }
  return ns;
}

/** What `ns` is of `others`: the median of the rounds, in which both ran side by side. */
export const ratioOf = (ns: readonly number[], others: readonly number[]): number =>
  median(ns.map((value, round) => value / (others[round] as number)));
