import { expect, test } from "vitest";
import { CONNECTION_TYPES } from "../../../../src/carriers/list.ts";
import { epochMs } from "../../../../src/core/clocks.ts";
import { asNodeName, asWorkerId } from "../../../../src/core/ids.ts";
import type { ProcessMetrics } from "../../../../src/core/metrics/aggregation.ts";
import {
  CIRCUIT_OPEN_METRIC,
  PROVIDER_FAILURES_METRIC,
  PROVIDER_LATENCY_METRIC,
  WorkerMetrics,
} from "../../../../src/core/metrics/worker-metrics.ts";
import { quantileMs } from "../../../../src/process/control/status/provider-status.ts";
import { type StatusOptions, StatusReader } from "../../../../src/process/control/status/status.ts";
import { Capacity } from "../../../../src/store/admission/capacity.ts";
import type { NodeRecord } from "../../../../src/store/cluster/node-store.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

const LOAD = { callCount: 0, callsMax: 10, loopLagMs: 3.456, acceptsCalls: true };

/** What a worker with these providers answers. */
async function answerOf(openLlm: boolean): Promise<ProcessMetrics> {
  const metrics = new WorkerMetrics(CONNECTION_TYPES, () => {
    throw new Error("nothing reads the worker");
  });
  metrics.registerProvider("stt", "deepgram");
  metrics.registerProvider("llm", "openai");
  metrics.providerCircuitChanged("llm", "openai", openLlm);
  metrics.registerStage("llm", "openai");
  metrics.registerStage("llm", "of no breaker");
  metrics.stageAnswered("llm", "openai", 400);
  metrics.providerFailed("llm", "openai");
  const names = [CIRCUIT_OPEN_METRIC, PROVIDER_FAILURES_METRIC, PROVIDER_LATENCY_METRIC];
  const values = await Promise.all(names.map((name) => metrics.registry.getSingleMetric(name)?.get()));
  // As they come from another process.
  return JSON.parse(JSON.stringify(values)) as ProcessMetrics;
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
    jobs: () => ({
      counts: { pending: 4, running: 2, dead: 1 },
      byKind: [
        { kind: "webhook.deliver", status: "pending", jobs: 4 },
        { kind: "recording.render", status: "running", jobs: 2 },
        { kind: "webhook.deliver", status: "dead", jobs: 1 },
      ],
      oldestDueMs: 61_400,
    }),
    disk: { freeBytes: 5_000, isLow: false },
    diskFreeMinBytes: 1_000,
    database: { kind: "postgres", isLost: () => false },
    nodes: () => [],
    configuration: [],
    clock,
    ...changes,
  });
  return { status, clock, capacity, askedCount: () => asked };
}

test("the state of a cluster has all its nodes, also those that are gone", async () => {
  const node: NodeRecord = {
    name: asNodeName("one"),
    incarnation: 3,
    mediaUrl: "wss://one.example",
    webrtcUrl: undefined,
    relayUrl: undefined,
    version: "trunkline/1.2.3",
    ipcVersion: 9,
    journalVersion: 14,
    state: "accepting",
    callSlots: 10,
    calls: 4,
    waitingCalls: 1,
    webrtcSlots: 2,
    webrtcCalls: 1,
    waitingWebrtcCalls: 1,
    startedAtMs: epochMs(0),
    leaseLeftMs: 4_000.4,
    takenBy: undefined,
  };
  const { status } = reader({
    nodes: () => [node, { ...node, name: asNodeName("two"), mediaUrl: undefined, leaseLeftMs: -1, takenBy: node.name }],
  });
  const slots = { max: 12, active: 5, reserved: 2 };
  const startedAt = "1970-01-01T00:00:00.000Z";
  const common = { version: "1.2.3", slots, webrtc: true, startedAt };
  expect((await status.read()).nodes).toEqual([
    { ...common, name: "one", state: "accepting", mediaUrl: "wss://one.example", leaseLeftMs: 4_000, takenBy: null },
    { ...common, name: "two", state: "gone", mediaUrl: null, leaseLeftMs: -1, takenBy: "one" },
  ]);
});

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
      {
        stage: "stt",
        provider: "deepgram",
        circuitBreaker: "closed",
        openInWorkers: 0,
        answers: 0,
        medianDelayMs: null,
      },
      { stage: "llm", provider: "openai", circuitBreaker: "open", openInWorkers: 1, answers: 2, failures: 2 },
    ],
    jobs: {
      ...{ waiting: 4, running: 2, dead: 1, oldestDueSeconds: 61 },
      kinds: [
        { kind: "recording.render", waiting: 0, running: 2, dead: 0 },
        { kind: "webhook.deliver", waiting: 4, running: 0, dead: 1 },
      ],
    },
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

test("the delays of a provider are those of all workers, from the buckets of their histograms", async () => {
  const { providers } = await reader().status.read();
  // Both workers had one response of 400 ms, which is in the bucket from 300 to 500 ms.
  expect(providers.map(({ medianDelayMs, p95DelayMs }) => [medianDelayMs, p95DelayMs])).toEqual([
    [null, null],
    [400, 490],
  ]);
});

test.each([
  { counts: [0, 0, 10, 10], quantile: 0.5, expected: 750, why: "in the middle of its bucket" },
  { counts: [10, 10, 10, 10], quantile: 0.95, expected: 95, why: "in the first bucket, which begins at 0" },
  { counts: [5, 5, 5, 10], quantile: 0.95, expected: 1_000, why: "above the last bound, which is all that is known" },
  { counts: [5, 5, 10, 10], quantile: 0.5, expected: 100, why: "at a bound, with an empty bucket after it" },
])("a quantile $why", ({ counts, quantile, expected }) => {
  const bounds = [0.1, 0.5, 1, Number.POSITIVE_INFINITY];
  const withinS = new Map(bounds.map((boundS, at) => [boundS, counts[at] as number]));
  expect(quantileMs(withinS, 10, quantile)).toBe(expected);
});
