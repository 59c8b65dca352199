import { describe, expect, test } from "vitest";
import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { asWorkerId } from "../../../src/core/ids.ts";
import { MetricsAggregator } from "../../../src/core/metrics/aggregation.ts";
import { TimeHistogram } from "../../../src/core/metrics/histogram.ts";
import { WorkerMetrics } from "../../../src/core/metrics/worker-metrics.ts";
import { zeroCounts } from "../../../src/gateway/metrics/total-counters.ts";
import { readings } from "../../support/metrics/every-metric.ts";
import { type Family, readExposition, sampleOf } from "../../support/metrics/exposition.ts";

/** A worker that has heard so many frames, each of which it held up for a millisecond, and that carries so many calls. */
const worker = (framesIn: number, calls: number): WorkerMetrics => {
  const addedLatency = { in: new TimeHistogram(), out: new TimeHistogram() };
  for (let frame = 0; frame < framesIn; frame += 1) addedLatency.in.observe(1);
  return new WorkerMetrics(CONNECTION_TYPES, () =>
    readings({
      calls: { opening: 0, listening: calls, thinking: 0, speaking: 0, held: 0 },
      callsMax: 100,
      counts: new Map([["carrier_a", { ...zeroCounts(), framesIn }]]),
      addedLatency,
    }),
  );
};

type WorkersById = Readonly<Record<string, WorkerMetrics | undefined>>;

async function scrape(
  sum: MetricsAggregator,
  workers: WorkersById,
): Promise<ReadonlyMap<string, Family> & { up: number }> {
  const answers = await Promise.all(
    Object.entries(workers).map(async ([id, one]) => [asWorkerId(id), await one?.collect()] as const),
  );
  const { exposition, up } = await sum.aggregate(new Map(answers));
  return Object.assign(readExposition(exposition), { up });
}

const frames = (metrics: ReadonlyMap<string, Family>) =>
  sampleOf(new Map(metrics), "trunkline_frames_total", { direction: "in", process: "worker" });
const listening = (metrics: ReadonlyMap<string, Family>) =>
  sampleOf(new Map(metrics), "trunkline_calls", { state: "listening" });

describe("the metrics of several workers", () => {
  test("add up", async () => {
    const metrics = await scrape(new MetricsAggregator(), { one: worker(10, 2), two: worker(5, 1) });
    expect([frames(metrics), listening(metrics), metrics.up]).toEqual([15, 3, 2]);
    expect(sampleOf(new Map(metrics), "trunkline_calls_max")).toBe(200);
  });

  test("counts never decrease: neither while a worker is silent, nor when it is gone, nor when another one connects", async () => {
    const sum = new MetricsAggregator();
    await scrape(sum, { one: worker(10, 2), two: worker(5, 1) });
    const silent = await scrape(sum, { one: undefined, two: worker(6, 1) });
    expect([frames(silent), listening(silent)]).toEqual([16, 1]);
    sum.workerLost(asWorkerId("one"));
    const without = await scrape(sum, { two: worker(7, 1) });
    expect([frames(without), listening(without)]).toEqual([17, 1]);
    sum.workerLost(asWorkerId("two"));
    const anew = await scrape(sum, { three: worker(1, 0) });
    expect([frames(anew), listening(anew)]).toEqual([18, 0]);
    expect(frames(await scrape(sum, { three: worker(1, 0) }))).toBe(18);
  });

  test("nor while a worker is disconnected and may reconnect", async () => {
    const sum = new MetricsAggregator();
    await scrape(sum, { one: worker(10, 2), two: worker(5, 1) });
    const away = await scrape(sum, { two: worker(6, 1) });
    expect([frames(away), listening(away), away.up]).toEqual([16, 1, 1]);
    const back = await scrape(sum, { one: worker(12, 2), two: worker(6, 1) });
    expect([frames(back), listening(back), back.up]).toEqual([18, 3, 2]);
  });

  test("added latency is one histogram that includes workers that are gone", async () => {
    const sum = new MetricsAggregator();
    const added = (metrics: ReadonlyMap<string, Family>, le: string) =>
      sampleOf(metrics, "trunkline_added_latency_seconds_bucket", { direction: "in", le });
    const both = await scrape(sum, { one: worker(10, 2), two: worker(5, 1) });
    expect([added(both, "0.0005"), added(both, "0.001"), added(both, "+Inf")]).toEqual([0, 15, 15]);
    sum.workerLost(asWorkerId("one"));
    const left = await scrape(sum, { two: worker(6, 1) });
    expect([added(left, "0.0005"), added(left, "0.001"), added(left, "+Inf")]).toEqual([0, 16, 16]);
    expect(sampleOf(left, "trunkline_added_latency_seconds_sum", { direction: "in" })).toBeCloseTo(0.016);
  });

  test("a worker that never answered leaves no values when it is gone", async () => {
    const sum = new MetricsAggregator();
    sum.workerLost(asWorkerId("unheard"));
    const metrics = await scrape(sum, { unheard: undefined });
    expect([metrics.size, metrics.up]).toEqual([0, 0]);
  });

  test("a turn's latencies of all are one histogram", async () => {
    const [one, two] = [worker(0, 0), worker(0, 0)];
    for (const each of [one, two]) each.turnAnswered({ endOfTurnMs: 500, firstAudioMs: 600, firstFrameMs: 610 }, {});
    const metrics = new Map(await scrape(new MetricsAggregator(), { one, two }));
    expect(sampleOf(metrics, "trunkline_turn_latency_seconds_count", { milestone: "first_frame" })).toBe(2);
    expect(sampleOf(metrics, "trunkline_turn_latency_seconds_bucket", { milestone: "first_frame", le: "0.75" })).toBe(
      2,
    );
  });
});
