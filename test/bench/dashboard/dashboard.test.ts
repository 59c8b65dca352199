import { expect, test } from "vitest";
import { goalsOf, grossExcess } from "../../../bench/dashboard/goals.ts";
import { dashboardPage, dashboardText } from "../../../bench/dashboard/report.ts";
import { type DashboardResult, PARTS, type StreamRound } from "../../../bench/dashboard/result.ts";
import { describeMachine } from "../../../bench/harness/machine.ts";
import { spreadOf } from "../../../bench/harness/statistics.ts";

const spread = (...valuesMs: number[]) => spreadOf(Float32Array.from(valuesMs));
const round = (changes: Partial<StreamRound>): StreamRound => ({
  ...{ name: "live calls change", streams: 50, calls: 100, storesEvents: false, seconds: 20 },
  ...{ cpuShare: 0.04, messagesPerSecond: 1, bytesPerSecond: 3_000 },
  ...changes,
});
const NOTHING = {
  options: { parts: PARTS, runs: 5, reduced: false },
  load: undefined,
  open: undefined,
  scroll: [],
  list: undefined,
  streams: [],
};
const ALL: Omit<DashboardResult, "goals"> = {
  machine: describeMachine(),
  commit: "abc1234",
  problems: [],
  options: NOTHING.options,
  load: {
    throttling: 4,
    files: 9,
    gzipBytes: 90_000,
    brotliBytes: 80_000,
    pages: [
      { page: "the dashboard, Live", runs: 5, lcpMs: 900, blockingMs: 301 },
      { page: "an empty page", runs: 5, lcpMs: 60, blockingMs: 0 },
    ],
  },
  open: {
    callMinutes: 120,
    events: 30_000,
    turns: 900,
    rows: [{ page: "a call", how: "first rows", tookMs: spread(700, 1_100) }],
  },
  scroll: [
    {
      ...{ what: "the transcript", frames: 300, scriptAndLayoutP95Ms: 8, scriptAndLayoutMaxMs: 30, allP95Ms: 12 },
      longestTaskMs: 51,
    },
  ],
  list: {
    calls: 100_000,
    rows: [{ page: "the list of calls", how: "address opened", tookMs: spread(250, 300) }],
    heap: [
      { rows: 1_000, bytes: 10e6 },
      { rows: 5_000, bytes: 10.9e6 },
    ],
  },
  streams: [round({ streams: 0, cpuShare: 0.01 }), round({ cpuShare: 0.07 })],
};

test("a part that was not measured has no goal", () => {
  expect(goalsOf(NOTHING)).toEqual([]);
  expect(grossExcess(NOTHING)).toEqual([]);
});

test("each figure is judged by its goal; streams by what they take beside the same without them", () => {
  const verdicts = goalsOf(ALL).map(({ verdict }) => verdict);
  expect(verdicts).toEqual([
    ...["holds", "holds", "missed"],
    "missed",
    ...["holds", "missed"],
    ...["holds", "holds"],
    "missed",
  ]);
});

test("streams are compared with the round that stored as many events", () => {
  const streams = [
    round({ streams: 0, cpuShare: 0.01 }),
    round({ streams: 0, storesEvents: true, cpuShare: 0.03 }),
    round({ storesEvents: true, cpuShare: 0.08 }),
  ];
  expect(goalsOf({ ...NOTHING, streams })).toMatchObject([
    { measured: "5.00 %, and 3.00 % without streams", verdict: "holds" },
  ]);
});

test("only what misses a goal many times over is gross, and a first load that is too large", () => {
  expect(grossExcess(ALL)).toEqual([]);
  const slow = { ...ALL, load: { ...(ALL.load as NonNullable<typeof ALL.load>), gzipBytes: 201_000 } };
  const scroll = ALL.scroll.map((one) => ({ ...one, scriptAndLayoutP95Ms: 49 }));
  expect(grossExcess({ ...slow, scroll })).toEqual(["the first load has 201 KB", "scrolling the transcript: 49 ms"]);
});

test("the text and the page have every goal and every table", () => {
  const result = { ...ALL, goals: goalsOf(ALL) };
  const [text, html] = [dashboardText(result), dashboardPage(result)];
  for (const { budget, measured } of result.goals) expect(text).toContain(`${budget}: ${measured}`);
  for (const title of [
    "First load",
    "Until a page is painted",
    "While it is scrolled",
    "JS heap",
    "Streams of events",
  ]) {
    expect(text).toContain(title);
    expect(html).toContain(title);
  }
});
