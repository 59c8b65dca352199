import { expect, test } from "vitest";
import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { asWorkerId } from "../../../src/core/ids.ts";
import type { ProcessMetrics } from "../../../src/core/metrics/aggregation.ts";
import { CIRCUIT_OPEN_METRIC, WorkerMetrics } from "../../../src/core/metrics/worker-metrics.ts";
import { type StatusOptions, StatusReader } from "../../../src/process/control/status.ts";
import { Capacity } from "../../../src/store/admission/capacity.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const LOAD = { callCount: 0, callsMax: 10, loopLagMs: 3.456, acceptsCalls: true };

/** What a worker with these providers answers. */
async function answerOf(openLlm: boolean): Promise<ProcessMetrics> {
  const metrics = new WorkerMetrics(CONNECTION_TYPES, () => {
    throw new Error("nothing reads the worker");
  });
  metrics.registerProvider("stt", "deepgram");
  metrics.registerProvider("llm", "openai");
  metrics.providerCircuitChanged("llm", "openai", openLlm);
  const [gauge] = await Promise.all([metrics.registry.getSingleMetric(CIRCUIT_OPEN_METRIC)?.get()]);
  return [gauge] as ProcessMetrics;
}

function reader(changes: Partial<StatusOptions> = {}) {
  const clock = new ManualClock();
  const capacity = new Capacity({ clock, callsPerApiKey: undefined });
  capacity.workerConnected(asWorkerId("worker-1"), [], LOAD);
  capacity.workerConnected(asWorkerId("worker-2"), [], { ...LOAD, role: "webrtc" });
  let asked = 0;
  const status = new StatusReader({
    newCalls: () => ({ accepted: true }),
    capacity,
    workerMetrics: async () => {
      asked += 1;
      return new Map([
        [asWorkerId("worker-1"), await answerOf(true)],
        [asWorkerId("worker-2"), await answerOf(false)],
        [asWorkerId("worker-3"), undefined],
      ]);
    },
    jobs: () => ({ counts: { pending: 4, running: 2, dead: 1 }, oldestDueMs: 61_400 }),
    disk: { freeBytes: 5_000, isLow: false },
    diskFreeMinBytes: 1_000,
    database: { kind: "postgres", isLost: () => false },
    configuration: [],
    clock,
    ...changes,
  });
  return { status, clock, capacity, askedCount: () => asked };
}

test("the state of the service has its workers, providers, jobs, disk and database", async () => {
  const { status } = reader();
  expect(await status.read()).toMatchObject({
    checkedAt: "2026-01-01T00:00:00.000Z",
    newCalls: { accepted: true, reason: null },
    slots: { max: 20, active: 0, reserved: 0 },
    workers: [
      { id: "worker-1", role: "media", acceptsCalls: true, calls: 0, callsMax: 10, loopDelayMs: 3.5 },
      { id: "worker-2", role: "webrtc", acceptsCalls: true },
    ],
    silentWorkers: 1,
    providers: [
      { stage: "stt", provider: "deepgram", circuitBreaker: "closed", openInWorkers: 0 },
      { stage: "llm", provider: "openai", circuitBreaker: "open", openInWorkers: 1 },
    ],
    jobs: { waiting: 4, running: 2, dead: 1, oldestDueSeconds: 61 },
    disk: { state: "ok", freeBytes: 5_000, minFreeBytes: 1_000 },
    database: { kind: "postgres", state: "ok" },
  });
});

test("what is wrong is said in words: why calls are refused, a full disk, a lost database", async () => {
  const { status } = reader({
    newCalls: () => ({ accepted: false, reason: "insufficient_storage" }),
    disk: { freeBytes: 10, isLow: true },
    database: { kind: "sqlite", isLost: () => true },
  });
  expect(await status.read()).toMatchObject({
    newCalls: {
      accepted: false,
      reason: "insufficient_storage",
      message: "new calls are refused: free disk space is below DISK_FREE_MIN_MB",
    },
    disk: { state: "low" },
    database: { state: "lost" },
  });
  const unread = reader({ disk: { freeBytes: Number.NaN, isLow: false } });
  expect((await unread.status.read()).disk).toEqual({ state: "unknown", freeBytes: null, minFreeBytes: 1_000 });
});

test("the workers are asked once a second, however many requests there are", async () => {
  const { status, clock, capacity, askedCount } = reader();
  const answers = await Promise.all(Array.from({ length: 50 }, () => status.read()));
  expect([new Set(answers).size, askedCount()]).toEqual([1, 1]);
  capacity.workerDisconnected(asWorkerId("worker-2"));
  clock.advance(999);
  expect((await status.read()).workers).toHaveLength(2);
  clock.advance(1);
  expect((await status.read()).workers).toHaveLength(1);
  expect(askedCount()).toBe(2);
});
