import { expect, test } from "vitest";
import { spreadOf } from "../../../bench/harness/statistics.ts";
import { goalsOf, grossExcess } from "../../../bench/stores/goals.ts";
import { pathOf } from "../../../bench/stores/lists/filters.ts";
import { storesPage, storesText } from "../../../bench/stores/report.ts";
import type { DeliveryRound, FrameRound, StoresResult } from "../../../bench/stores/result.ts";
import { asAccountId, asCallId } from "../../../src/core/ids.ts";

type Measured = Omit<StoresResult, "goals" | "machine" | "commit" | "problems">;

/** A hundred times that are all alike, ms. */
const alike = (tookMs: number) => spreadOf(new Float32Array(100).fill(tookMs));

const round = (p95: number): DeliveryRound => ({ delivered: 100, delayMs: alike(p95) });
const frames = (p99: number, loopP99Ms = 5): FrameRound => ({
  ...{ frames: 100, writtenMs: alike(p99) },
  ...{ loopP99Ms, loopMaxMs: loopP99Ms },
});
const LOAD = { callsPerSecond: 100, listsPerSecond: 5, deliveriesPerSecond: 500, rendersPerSecond: 2 };

/** A run of SQLite in which every figure is just at its goal. */
function result(changes: Partial<Measured> = {}): Measured {
  return {
    options: { stores: ["SQLite"], parts: [], reduced: false },
    creation: [
      { name: "bare route", store: undefined, tookMs: alike(4) },
      { name: "POST /calls", store: "SQLite", tookMs: alike(25) },
    ],
    lists: [
      { store: "SQLite", filter: "none", place: "first page", items: 20, tookMs: alike(10) },
      { store: "SQLite", filter: "status=failed", place: "first page", items: 20, tookMs: alike(50) },
    ],
    accounts: [
      {
        ...{ store: "SQLite", accounts: 10_000, agents: 100_000, startMs: 5_000 },
        lists: [
          { path: "/voices", tookMs: alike(10) },
          { path: "/agents", tookMs: alike(50) },
        ],
        authentication: { inUse: alike(1), firstUse: alike(3) },
      },
    ],
    redemptions: [{ name: "connection to 101", store: "SQLite", tookMs: alike(10) }],
    slowEndpoint: [
      { store: "SQLite", quickEndpoints: 19, slowAttempts: 8, pairs: [{ without: round(100), with: round(120) }] },
    ],
    deliveries: [
      {
        ...{ store: "SQLite", endpoints: 20, seconds: 60, offeredPerSecond: 500, deliveredPerSecond: 495 },
        ...{ delayMs: alike(30), leftOver: 5, controlCores: 0.5, databaseCores: 0 },
      },
    ],
    interference: [
      {
        ...{ store: "SQLite", realtime: false, calls: 50, seconds: 10 },
        pairs: [{ quiet: frames(2), loaded: frames(2.4), load: LOAD }],
      },
    ],
    ...changes,
  };
}

const missed = (changes: Partial<Measured>): string[] =>
  goalsOf(result(changes))
    .filter(({ verdict }) => verdict === "missed")
    .map(({ budget }) => budget);

test("goals hold up to their figures", () => {
  expect(missed({})).toEqual([]);
  expect(goalsOf(result())).toHaveLength(11);
});

test("each goal is missed beyond its figure, and no other with it", () => {
  const [bare, own] = result().creation as [StoresResult["creation"][0], StoresResult["creation"][0]];
  expect(missed({ creation: [bare, { ...own, tookMs: alike(25.5) }] })).toEqual([
    expect.stringContaining("POST /calls, p99 <= 25 ms"),
  ]);
  expect(missed({ creation: [{ ...bare, tookMs: alike(3) }, own] })).toEqual([
    expect.stringContaining("8x a bare route"),
  ]);
  const [, failed] = result().lists as [StoresResult["lists"][0], StoresResult["lists"][0]];
  expect(missed({ lists: [{ ...failed, tookMs: alike(51) }] })).toEqual([expect.stringContaining("any filter")]);
  expect(missed({ redemptions: [{ name: "", store: "SQLite", tookMs: alike(11) }] })).toEqual([
    expect.stringContaining("redemption"),
  ]);
  const [slow] = result().slowEndpoint as [StoresResult["slowEndpoint"][0]];
  expect(missed({ slowEndpoint: [{ ...slow, pairs: [{ without: round(100), with: round(130) }] }] })).toEqual([
    expect.stringContaining("one slow endpoint"),
  ]);
  const [rate] = result().deliveries as [StoresResult["deliveries"][0]];
  expect(missed({ deliveries: [{ ...rate, deliveredPerSecond: 480 }] })).toEqual([
    expect.stringContaining("500 deliveries a second"),
  ]);
  // A load that was never offered is none that was carried.
  expect(missed({ deliveries: [{ ...rate, offeredPerSecond: 300, deliveredPerSecond: 300 }] })).toHaveLength(1);
});

test("live calls may take a fifth longer or a millisecond, whichever is more, by the medians of the pairs", () => {
  const [measured] = result().interference as [StoresResult["interference"][0]];
  const pairsOf = (...p99: (readonly [quiet: number, loaded: number])[]) =>
    p99.map(([quiet, loaded]) => ({ quiet: frames(quiet), loaded: frames(loaded), load: LOAD }));
  const missedBy = (pairs: (typeof measured)["pairs"]) => missed({ interference: [{ ...measured, pairs }] });
  expect(missedBy(pairsOf([1, 1.9], [1, 9], [1, 1.9]))).toEqual([]);
  expect(missedBy(pairsOf([10, 11.9]))).toEqual([]);
  expect(missedBy(pairsOf([2, 3.5]))).toEqual([expect.stringContaining("due → written")]);
  const late = [{ quiet: frames(2), loaded: frames(2, 21), load: LOAD }];
  expect(missedBy(late)).toEqual([expect.stringContaining("event loop of the worker")]);
});

test("the reduced form compares figures of one run, so that a slow machine alone fails nothing", () => {
  const slower = (times: number): Measured => {
    const { creation, lists, slowEndpoint, ...rest } = result();
    return {
      ...rest,
      creation: creation.map((each) => ({ ...each, tookMs: alike(times * each.tookMs.p50) })),
      lists: lists.map((each) => ({ ...each, tookMs: alike(times * each.tookMs.p50) })),
      slowEndpoint: slowEndpoint.map((each) => ({
        ...each,
        pairs: [{ without: round(times * 100), with: round(times * 120) }],
      })),
    };
  };
  expect(grossExcess(slower(1))).toEqual([]);
  expect(grossExcess(slower(50))).toEqual([]);
  const [bare, own] = result().creation as [StoresResult["creation"][0], StoresResult["creation"][0]];
  expect(grossExcess(result({ creation: [bare, { ...own, tookMs: alike(170) }] }))).toHaveLength(1);
  const [quick, long] = result().lists as [StoresResult["lists"][0], StoresResult["lists"][0]];
  expect(grossExcess(result({ lists: [quick, { ...long, tookMs: alike(500) }] }))).toHaveLength(1);
  const [slow] = result().slowEndpoint as [StoresResult["slowEndpoint"][0]];
  const delayed = { ...slow, pairs: [{ without: round(10), with: round(100) }] };
  expect(grossExcess(result({ slowEndpoint: [delayed] }))).toHaveLength(1);
  const [rate] = result().deliveries as [StoresResult["deliveries"][0]];
  expect(grossExcess(result({ deliveries: [{ ...rate, deliveredPerSecond: 90 }] }))).toHaveLength(1);
});

test("text and page show every goal with its figure", () => {
  const goals = goalsOf(result());
  const machine = {
    cpu: "cpu",
    cores: 2,
    memoryGiB: 4,
    system: "system",
    node: "v20",
    measuredAt: "2026-11-21T08:00:00.000Z",
  };
  const whole: StoresResult = { ...result(), goals, machine, commit: "abc", problems: [] };
  for (const { budget, measured } of goals) {
    expect(storesText(whole)).toContain(`${budget}: ${measured}`);
  }
  expect(storesPage(whole)).toContain("The stores under load");
});

test("a list of the bench has the filters as the API reads them", () => {
  const filters = { status: "failed", createdBeforeMs: 0 as never, metadata: { order: "A 17" } } as const;
  const path = pathOf(asAccountId("account_1"), filters, 20, asCallId("call_1"));
  const { searchParams } = new URL(path, "http://localhost");
  expect(Object.fromEntries(searchParams)).toEqual({
    status: "failed",
    limit: "20",
    createdBefore: "1970-01-01T00:00:00.000Z",
    "metadata[order]": "A 17",
    cursor: expect.any(String),
  });
});
