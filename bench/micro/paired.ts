/** Two ways to do the same thing, timed against each other. */
export interface Contest {
  /** What one operation is. */
  name: string;
  ours: () => void;
  plain: () => void;
}

const ROUNDS = 301;
const WARM_UP_RUNS = 20_000;

/** How long `runs` operations take, in ns each. */
function timeNs(task: () => void, runs: number): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < runs; i += 1) task();
  return Number(process.hrtime.bigint() - start) / runs;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/**
 * How many times as fast ours is: the median over rounds, in each of which both run for some milliseconds, one right after the
 * other and each first in turn, so that whatever else the machine does falls on both. The times in ns only show the order of
 * magnitude.
 */
export function compare({ ours, plain }: Contest, runs: number): { ratio: number; oursNs: number; plainNs: number } {
  timeNs(ours, WARM_UP_RUNS);
  timeNs(plain, WARM_UP_RUNS);
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    if (round % 2 === 0) return { oursNs: timeNs(ours, runs), plainNs: timeNs(plain, runs) };
    const plainNs = timeNs(plain, runs);
    return { oursNs: timeNs(ours, runs), plainNs };
  });
  return {
    ratio: median(rounds.map(({ oursNs, plainNs }) => plainNs / oursNs)),
    oursNs: median(rounds.map(({ oursNs }) => oursNs)),
    plainNs: median(rounds.map(({ plainNs }) => plainNs)),
  };
}
