import { type Verdict, verdictOf } from "../harness/verdict.ts";
import type { DashboardResult, FirstRows, StreamRound } from "./result.ts";

// What is asked of the dashboard, and whether a run shows it.

type Measured = Omit<DashboardResult, "goals" | "machine" | "commit" | "problems">;

const KILOBYTE = 1_000;
const FIRST_LOAD_KB_MAX = 200;
const LCP_MS_MAX = 1_500;
const BLOCKING_MS_MAX = 300;
const OPEN_MS_MAX = 1_000;
const FRAME_MS_MAX = 8;
const TASK_MS_MAX = 50;
const FIRST_ROWS_MS_MAX = 300;
/** Memory that does not grow: what V8 leaves to chance. */
const HEAP_GROWTH_MAX = 0.1;
const STREAMS_SHARE_MAX = 0.05;
/** The reduced form fails beyond so many times a goal: the machine may have other things to do. */
const GROSS_TIMES = 6;

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

export const goalsOf = (result: Measured): Verdict[] => [
  ...loadGoals(result),
  ...openGoals(result),
  ...scrollGoals(result),
  ...listGoals(result),
  ...streamGoals(result),
];

function loadGoals({ load }: Measured): Verdict[] {
  if (load === undefined) return [];
  const [dashboard, empty] = load.pages;
  if (dashboard === undefined || empty === undefined) return [];
  const kilobytes = load.gzipBytes / KILOBYTE;
  return [
    {
      budget: `first load, JS and CSS of the shell and Live, gzip, <= ${FIRST_LOAD_KB_MAX} KB`,
      measured: `${kilobytes.toFixed(1)} KB in ${load.files} files`,
      verdict: verdictOf(kilobytes <= FIRST_LOAD_KB_MAX),
    },
    {
      budget: `first load at ${load.throttling}x throttling, LCP, median of ${dashboard.runs}, <= ${LCP_MS_MAX} ms`,
      measured: `${ms(dashboard.lcpMs)}; an empty page ${ms(empty.lcpMs)}`,
      verdict: verdictOf(dashboard.lcpMs <= LCP_MS_MAX),
    },
    {
      budget: `the same, total blocking time, <= ${BLOCKING_MS_MAX} ms`,
      measured: `${ms(dashboard.blockingMs)}; an empty page ${ms(empty.blockingMs)}`,
      verdict: verdictOf(dashboard.blockingMs <= BLOCKING_MS_MAX),
    },
  ];
}

function openGoals({ open }: Measured): Verdict[] {
  const rows = open?.rows[0];
  if (open === undefined || rows === undefined) return [];
  return [
    {
      budget: `a call of ${open.callMinutes} minutes, first rows of its page, p95 of ${rows.tookMs.count}, <= ${OPEN_MS_MAX / 1_000} s`,
      measured: `${ms(rows.tookMs.p95)}, median ${ms(rows.tookMs.p50)}`,
      verdict: verdictOf(rows.tookMs.p95 <= OPEN_MS_MAX),
    },
  ];
}

const scrollGoals = ({ scroll }: Measured): Verdict[] =>
  scroll.flatMap(({ what, frames, scriptAndLayoutP95Ms, longestTaskMs }) => [
    {
      budget: `scrolling ${what}, script and layout a frame, p95 of ${frames}, <= ${FRAME_MS_MAX} ms`,
      measured: ms(scriptAndLayoutP95Ms),
      verdict: verdictOf(scriptAndLayoutP95Ms <= FRAME_MS_MAX),
    },
    {
      budget: `scrolling ${what}, longest task <= ${TASK_MS_MAX} ms`,
      measured: ms(longestTaskMs),
      verdict: verdictOf(longestTaskMs <= TASK_MS_MAX),
    },
  ]);

const firstRowsGoal = ({ page, how, tookMs }: FirstRows, calls: number): Verdict => ({
  budget: `${page}, ${calls} calls, first rows, ${how}, p95 of ${tookMs.count}, <= ${FIRST_ROWS_MS_MAX} ms`,
  measured: `${ms(tookMs.p95)}, median ${ms(tookMs.p50)}`,
  verdict: verdictOf(tookMs.p95 <= FIRST_ROWS_MS_MAX),
});

function listGoals({ list }: Measured): Verdict[] {
  if (list === undefined) return [];
  const [first, last] = [list.heap[0], list.heap.at(-1)];
  const goals = list.rows.map((rows) => firstRowsGoal(rows, list.calls));
  if (first === undefined || last === undefined) return goals;
  const growth = last.bytes / first.bytes - 1;
  return [
    ...goals,
    {
      budget: `the heap of the list, after ${last.rows} rows against ${first.rows}, <= + ${100 * HEAP_GROWTH_MAX} %`,
      measured: `${(first.bytes / 1e6).toFixed(1)} MB, then ${(last.bytes / 1e6).toFixed(1)} MB: ${(100 * growth).toFixed(1)} %`,
      verdict: verdictOf(growth <= HEAP_GROWTH_MAX),
    },
  ];
}

function streamGoals({ streams }: Measured): Verdict[] {
  return streams
    .filter(({ streams: open }) => open > 0)
    .map((round) => {
      const without = withoutStreams(streams, round);
      const share = round.cpuShare - without;
      return {
        budget: `${round.streams} streams, ${round.calls} live calls, ${round.name}, <= ${100 * STREAMS_SHARE_MAX} % of a core`,
        measured: `${percent(share)}, and ${percent(without)} without streams`,
        verdict: verdictOf(share <= STREAMS_SHARE_MAX),
      };
    });
}

/** What the control process takes for the same without streams. */
export const withoutStreams = (rounds: readonly StreamRound[], { storesEvents }: StreamRound): number =>
  rounds.find((round) => round.streams === 0 && round.storesEvents === storesEvents)?.cpuShare ?? Number.NaN;

/** What misses its goal grossly, whatever else the machine does. */
export function grossExcess({ load, open, scroll, list }: Measured): string[] {
  const excess: string[] = [];
  const check = (what: string, value: number | undefined, goal: number): void => {
    if (value !== undefined && value > GROSS_TIMES * goal) excess.push(`${what}: ${ms(value)}`);
  };
  if (load !== undefined && load.gzipBytes > FIRST_LOAD_KB_MAX * KILOBYTE)
    excess.push(`the first load has ${(load.gzipBytes / KILOBYTE).toFixed(0)} KB`);
  check("the first load paints", load?.pages[0]?.lcpMs, LCP_MS_MAX);
  check("a call opens", open?.rows[0]?.tookMs.p50, OPEN_MS_MAX);
  check("the list shows rows", list?.rows[0]?.tookMs.p50, FIRST_ROWS_MS_MAX);
  for (const { what, scriptAndLayoutP95Ms } of scroll) check(`scrolling ${what}`, scriptAndLayoutP95Ms, FRAME_MS_MAX);
  return excess;
}
