import { median } from "../statistics.ts";

const ROUNDS = 301;
const WARM_UP_RUNS = 20_000;

/** How long one of `runs` operations takes, ns. */
export function timeNs(task: () => void, runs: number): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < runs; i += 1) task();
  return Number(process.hrtime.bigint() - start) / runs;
}

/**
 * How long each operation takes, ns, in each of many rounds. In a round all of them run for some milliseconds, one right after
 * the other and each first in turn, so that whatever else the machine does falls on all.
 */
export function timeRounds(tasks: readonly (() => void)[], runs: number): number[][] {
  for (const task of tasks) timeNs(task, WARM_UP_RUNS);
  const times = tasks.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < tasks.length; turn += 1) {
      const at = (round + turn) % tasks.length;
      times[at]?.push(timeNs(tasks[at] as () => void, runs));
    }
  }
  return times;
}

/** What `ns` is of `others`: the median of the rounds, in which both ran side by side. */
export const ratioOf = (ns: readonly number[], others: readonly number[]): number =>
  median(ns.map((value, round) => value / (others[round] as number)));
