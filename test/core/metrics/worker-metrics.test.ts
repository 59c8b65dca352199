import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { END_REASONS } from "../../../src/core/calls/reasons.ts";
import { epochMs } from "../../../src/core/clocks.ts";
import { ControlMetrics } from "../../../src/core/metrics/control-metrics.ts";
import { collectProcessMetrics } from "../../../src/core/metrics/process-metrics.ts";
import { WorkerMetrics } from "../../../src/core/metrics/worker-metrics.ts";
import { zeroCounts } from "../../../src/gateway/metrics/total-counters.ts";
import { everyMetric, readings } from "../../support/metrics/every-metric.ts";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { unknownLabels } from "../../support/metrics/known-labels.ts";
import { metricsOfOneWorker, NO_WORKERS } from "../../support/metrics/workers-metrics.ts";

const COUNTS = zeroCounts();

const textOf = async (worker: WorkerMetrics): Promise<string> =>
  (await metricsOfOneWorker(await worker.collect())).exposition;

test("the metrics of all processes are one exposition, in which the label process tells them apart", async () => {
  const metrics = await everyMetric();
  for (const process of ["control", "worker", "speech", "retrieval"]) {
    expect(sampleOf(metrics, "process_resident_memory_bytes", { process })).toBeGreaterThan(1_000_000);
    expect(sampleOf(metrics, "process_open_fds", { process })).toBeGreaterThan(0);
  }
  expect(sampleOf(metrics, "trunkline_process_restarts_total", { process: "worker" })).toBe(2);
  expect(sampleOf(metrics, "trunkline_process_restarts_total", { process: "control" })).toBe(0);
  expect(sampleOf(metrics, "trunkline_build_info", { process: "control" })).toBe(1);
  for (const { samples } of metrics.values()) {
    for (const { name, labels } of samples)
      expect(["control", "worker", "speech", "retrieval", "renderer", "transcriber"], name).toContain(labels.process);
  }
});

test("each event is counted once, in base units", async () => {
  const metrics = await everyMetric();
  const expected: [name: string, labels: Record<string, string>, value: number][] = [
    ["trunkline_calls_started_total", { connection_type: "carrier_a" }, 1],
    ["trunkline_calls_ended_total", { reason: "inactivity" }, 1],
    ["trunkline_token_redemptions_total", { outcome: "refused" }, 1],
    ["trunkline_upgrades_refused_total", { status: "503" }, 1],
    ["trunkline_stage_failures_total", { stage: "tts", provider: "espeak" }, 1],
    ["trunkline_stage_failures_total", { stage: "stt", provider: "reference" }, 0],
    ["trunkline_provider_latency_seconds_sum", { stage: "llm", provider: "scripted" }, 0.32],
    ["trunkline_provider_latency_seconds_count", { stage: "stt", provider: "reference" }, 0],
    ["trunkline_added_latency_seconds_bucket", { direction: "in", le: "0.00005" }, 0],
    ["trunkline_added_latency_seconds_bucket", { direction: "in", le: "0.0001" }, 1],
    ["trunkline_added_latency_seconds_bucket", { direction: "out", le: "0.002" }, 0],
    ["trunkline_added_latency_seconds_bucket", { direction: "out", le: "+Inf" }, 1],
    ["trunkline_added_latency_seconds_sum", { direction: "out" }, 0.003],
    ["trunkline_tick_lateness_seconds_count", {}, 0],
    ["trunkline_peer_buffered_bytes", {}, 4_096],
    ["trunkline_call_slots_max", {}, 1_000],
    ["trunkline_call_slots_active", {}, 3],
    ["trunkline_call_slots_reserved", {}, 2],
    ["trunkline_turn_latency_seconds_count", { milestone: "first_frame" }, 2],
    ["trunkline_turn_latency_seconds_count", { milestone: "first_text" }, 1],
    ["trunkline_turn_latency_seconds_sum", { milestone: "end_of_turn" }, 1],
    ["trunkline_turn_latency_seconds_bucket", { milestone: "first_frame", le: "0.75" }, 2],
    ["trunkline_turn_latency_seconds_bucket", { milestone: "first_audio", le: "0.5" }, 0],
    ["trunkline_frames_total", { direction: "in", connection_type: "carrier_a" }, 7],
    ["trunkline_frames_total", { direction: "out", connection_type: "carrier_a" }, 5],
    ["trunkline_frames_late_total", {}, 1],
    ["trunkline_messages_dropped_total", { cause: "early" }, 2],
    ["trunkline_messages_dropped_total", { cause: "late" }, 3],
    ["trunkline_messages_dropped_total", { cause: "duplicate" }, 0],
    ["trunkline_messages_dropped_total", { cause: "stale" }, 4],
    ["trunkline_vad_detector", { detector: "fvad2" }, 1],
    ["trunkline_vad_frames_total", { vad_stage: "gate" }, 4],
    ["trunkline_vad_frames_total", { vad_stage: "network" }, 2],
    ["trunkline_vad_frames_total", { vad_stage: "fallback" }, 1],
    ["trunkline_vad_fallbacks_total", {}, 1],
    ["trunkline_calls_max", {}, 1_000],
    ["trunkline_calls_created_total", { connection_type: "carrier_a" }, 1],
    ["trunkline_call_records_total", { status: "ended", reason: "inactivity" }, 1],
    ["trunkline_call_records_total", { status: "expired", reason: "token_expired" }, 1],
    ["trunkline_call_record_duration_seconds_sum", {}, 0.12],
    ["trunkline_call_record_duration_seconds_count", {}, 1],
    ["trunkline_api_requests_total", { method: "GET", route: "/api/v1/calls/:id", status: "200" }, 1],
    ["trunkline_api_request_duration_seconds_sum", { route: "/api/v1/calls/:id" }, 0.012],
    ["trunkline_database_lost", {}, 0],
    ["trunkline_jobs", { status: "pending" }, 3],
    ["trunkline_job_oldest_due_seconds", {}, 0.25],
    ["trunkline_job_attempts_total", { kind: "webhook.deliver", outcome: "done" }, 1],
    ["trunkline_job_attempt_duration_seconds_sum", { kind: "webhook.deliver" }, 0.04],
    ["trunkline_webhook_attempts_total", { outcome: "delivered" }, 1],
    ["trunkline_webhook_attempt_duration_seconds_sum", {}, 0.08],
    ["trunkline_webhooks_disabled_total", { reason: "gone" }, 1],
    ["trunkline_webhooks_filled_total", {}, 1],
    ["trunkline_workers", { state: "up" }, 1],
    ["trunkline_ready", { process: "control" }, 1],
  ];
  for (const [name, labels, value] of expected) expect(sampleOf(metrics, name, labels), name).toBeCloseTo(value);
});

test("names have the prefix of the service, end in their unit, and counters end in _total", async () => {
  for (const { name, type, help } of (await everyMetric()).values()) {
    if (/^(process|nodejs)_/.test(name)) continue;
    expect(name).toMatch(/^trunkline_[a-z_]+$/);
    expect(help, name).toMatch(/\.$/);
    expect(name.endsWith("_total"), name).toBe(type === "counter");
    if (type === "histogram") expect(name).toMatch(/_seconds$/);
    expect(name).not.toMatch(/_(ms|milliseconds|kb|minutes)(_|$)/);
  }
});

test("counters start at 0, so that the first increment shows as an increase", async () => {
  const metrics = readExposition(await textOf(new WorkerMetrics(CONNECTION_TYPES, () => readings())));
  for (const reason of END_REASONS) expect(sampleOf(metrics, "trunkline_calls_ended_total", { reason })).toBe(0);
  for (const state of ["opening", "listening", "thinking", "speaking", "held"]) {
    expect(sampleOf(metrics, "trunkline_calls", { state })).toBe(0);
  }
  expect(sampleOf(metrics, "trunkline_upgrades_refused_total", { status: "401" })).toBe(0);
});

test("what alerts about jobs and webhooks ask for starts at 0, too", async () => {
  const control = new ControlMetrics(CONNECTION_TYPES);
  control.registerJobKind("recording.render");
  const metrics = readExposition(await control.exposition(NO_WORKERS, true));
  const dead = { kind: "recording.render", outcome: "dead" };
  expect(sampleOf(metrics, "trunkline_job_attempts_total", dead)).toBe(0);
  for (const reason of ["gone", "failing"]) {
    expect(sampleOf(metrics, "trunkline_webhooks_disabled_total", { reason })).toBe(0);
  }
  for (const outcome of ["delivered", "failed"]) {
    expect(sampleOf(metrics, "trunkline_webhook_attempts_total", { outcome })).toBe(0);
  }
});

test("the expiry of a certificate is exposed in seconds, and updated when it is replaced", async () => {
  const worker = new WorkerMetrics(CONNECTION_TYPES, () => readings());
  expect(await textOf(worker)).not.toContain("certificate");
  let notAfterMs = epochMs(1_800_000_000_000);
  worker.observeCertificate(() => notAfterMs);
  for (const seconds of [1_800_000_000, 1_900_000_000]) {
    notAfterMs = epochMs(seconds * 1_000);
    const metrics = readExposition(await textOf(worker));
    expect(sampleOf(metrics, "trunkline_tls_certificate_not_after_seconds")).toBe(seconds);
  }
});

test("workers that did not answer count as silent, and the other metrics are exposed", async () => {
  const control = new ControlMetrics(CONNECTION_TYPES);
  control.callCreated("carrier_a");
  const metrics = readExposition(await control.exposition({ ...NO_WORKERS, silent: 1 }, false));
  expect(sampleOf(metrics, "trunkline_workers", { state: "up" })).toBe(0);
  expect(sampleOf(metrics, "trunkline_workers", { state: "silent" })).toBe(1);
  expect(sampleOf(metrics, "trunkline_ready")).toBe(0);
  expect(sampleOf(metrics, "trunkline_calls_created_total", { connection_type: "carrier_a" })).toBe(1);
});

test("external counts are read anew at each scrape, and not added to the previous reading", async () => {
  let framesIn = 10;
  const worker = new WorkerMetrics(CONNECTION_TYPES, () =>
    readings({ counts: new Map([["carrier_a", { ...COUNTS, framesIn }]]), journalBytes: framesIn * 100 }),
  );
  for (const frames of [10, 10, 25]) {
    framesIn = frames;
    const metrics = readExposition(await textOf(worker));
    expect(sampleOf(metrics, "trunkline_frames_total", { direction: "in" })).toBe(frames);
    expect(sampleOf(metrics, "trunkline_journal_written_bytes_total")).toBe(frames * 100);
  }
});

test("an event-loop stall is visible, and only in the next scrape", async () => {
  const { registry } = new ControlMetrics(CONNECTION_TYPES);
  collectProcessMetrics(registry);
  const slowest = async () =>
    sampleOf(readExposition(await registry.metrics()), "trunkline_event_loop_delay_seconds", { quantile: "1" });
  await delay(50);
  await slowest();
  await delay(50);
  const began = performance.now();
  while (performance.now() - began < 500);
  await delay(50);
  // Two simultaneous scrapes get the same values.
  const [seen, again] = await Promise.all([slowest(), slowest()]);
  expect(seen).toBeGreaterThan(0.4);
  expect(again).toBe(seen);
  await delay(50);
  expect(await slowest()).toBeLessThan(seen);
});

test("L3: every label has its value from a list", async () => {
  expect(unknownLabels(await everyMetric(), ["/api/v1/calls/:id"])).toEqual([]);
});
