import { setTimeout as delay } from "node:timers/promises";
import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { NODE_REQUEST_KINDS } from "../../../src/cluster/message-kinds.ts";
import { epochMs } from "../../../src/core/clocks.ts";
import { ControlMetrics } from "../../../src/core/metrics/control-metrics.ts";
import { TimeHistogram } from "../../../src/core/metrics/histogram.ts";
import { NodeMessageMetrics } from "../../../src/core/metrics/node-message-metrics.ts";
import { collectProcessMetrics } from "../../../src/core/metrics/process-metrics.ts";
import { RetrievalMetrics } from "../../../src/core/metrics/retrieval-metrics.ts";
import { SpeechMetrics } from "../../../src/core/metrics/speech-metrics.ts";
import { WorkerMetrics } from "../../../src/core/metrics/worker-metrics.ts";
import type { WorkerReadings } from "../../../src/core/metrics/worker-readings.ts";
import { zeroCounts } from "../../../src/gateway/metrics/total-counters.ts";
import { URGENCIES } from "../../../src/speech/local/jobs.ts";
import { JOB_KINDS } from "../../../src/store/job-kinds.ts";
import { type Family, readExposition } from "./exposition.ts";
import { metricsOfOneWorker } from "./workers-metrics.ts";

const COUNTS = zeroCounts();
const LOOP_LOOK_MS = 10;
const QUANTILES = 4;

/** Those of a worker in which nothing has happened yet, and what is other. */
export const readings = (change: Partial<WorkerReadings> = {}): WorkerReadings => ({
  calls: { opening: 0, listening: 0, thinking: 0, speaking: 0, held: 0 },
  callsMax: 1_000,
  counts: new Map(),
  addedLatency: { in: new TimeHistogram(), out: new TimeHistogram() },
  detector: { version: "fvad3", fallbacks: 0, gateFrames: 0, networkFrames: 0, fallbackFrames: 0 },
  tickLateness: new TimeHistogram(),
  slotsSkipped: 0,
  journalBytes: 0,
  journalPendingBytes: 0,
  journalFailures: 0,
  journalsUnsynced: 0,
  listening: { listeners: 0, ended: { call_ended: 0, left: 0, slow: 0, sent: 0, failed: 0 }, framesDropped: 0 },
  ...change,
});

/** What a scrape tells of all processes as they would be, each having seen everything once. */
export async function everyMetric(): Promise<Map<string, Family>> {
  const addedLatency = { in: new TimeHistogram(), out: new TimeHistogram() };
  addedLatency.in.observe(0.07);
  addedLatency.out.observe(3);
  const counts = {
    ...COUNTS,
    framesIn: 7,
    framesOut: 5,
    late: 1,
    early: 2,
    lateAudio: 3,
    staleAudio: 4,
    echoFrames: 6,
  };
  const worker = new WorkerMetrics(CONNECTION_TYPES, () =>
    readings({
      counts: new Map([["carrier_a", counts]]),
      addedLatency,
      detector: { version: "fvad2", fallbacks: 1, gateFrames: 4, networkFrames: 2, fallbackFrames: 1 },
    }),
  );
  const control = new ControlMetrics(CONNECTION_TYPES);
  collectProcessMetrics(worker.registry, "uws");
  const speech = new SpeechMetrics(URGENCIES, () => ({
    ready: 2,
    residentBytes: 600_000_000,
    cpuMs: 90_000,
    waiting: { final: 1, turn: 0, pause: 0, interim: 2, batch: 3 },
  }));
  const retrieval = new RetrievalMetrics(() => ({
    waiting: 1,
    openCorpora: 2,
    indexBytes: 9_000_000,
    vectorBytes: 4_000_000,
  }));
  collectProcessMetrics(control.registry);
  collectProcessMetrics(retrieval.registry);
  retrieval.questionEnded("answered", 12);
  retrieval.ranked("words");
  retrieval.embedded(64);
  retrieval.indexLost();
  collectProcessMetrics(speech.registry);
  for (const urgency of URGENCIES) speech.jobEnded(urgency, "done", { waitMs: 10, passMs: 200, lateMs: 5 });
  speech.processEnded("hung");
  worker.observeCertificate(() => epochMs(1_800_000_000_000));
  worker.observeSockets(() => 4_096);
  const nodes = new NodeMessageMetrics(control.registry, NODE_REQUEST_KINDS);
  nodes.requestSettled("end-call", "answered", 12);
  nodes.requestHandled("unknown", "failed");
  control.observeSlots(() => ({ max: 1_000, active: 3, reserved: 2 }));
  control.observeShipping(() => ({ bytesWaiting: 40_000, oldestMs: 3_000 }));
  control.journalShipped(90_000);
  control.shippingFailed();
  control.observeDisk(() => ({ freeBytes: 60_000_000_000, isLow: false }));
  control.observeDatabase(() => false);
  control.observeJobs(() => ({ counts: { pending: 3, running: 1, dead: 0 }, oldestDueMs: 250 }));
  for (const kind of JOB_KINDS) {
    control.registerJobKind(kind);
    control.jobAttempted(kind, "done", 40);
  }
  control.observeEventStreams(() => 2);
  control.observeTranscriptions(() => 1);
  control.transcriptionEnded("completed", new Map([["reference", 2.5]]));
  control.webhookAttempted("delivered", 80);
  control.carrierAsked("carrier_a", "verify", "uncertain");
  control.webhookDisabled("gone");
  control.webhookFilled();
  control.analysisSettled("completed");
  control.setRestarts({ worker: 2, control: 0, speech: 1, retrieval: 0 });
  control.observeConnections(() => ({ api: 3, metrics: 1 }));
  control.observeRecords(() => ({ waiting: 4, in_progress: 2 }));
  worker.callStarted("carrier_a");
  worker.callEnded("inactivity");
  worker.redemption("refused");
  worker.upgradeRefused(503);
  worker.observeNodeRelays(() => 1);
  worker.registerStage("stt", "reference");
  worker.registerProvider("stt", "reference");
  worker.providerFailed("llm", "scripted");
  worker.providerCircuitChanged("tts", "espeak", true);
  worker.providerFailedOver("llm", "scripted", "reference");
  worker.stageAnswered("llm", "scripted", 320);
  worker.stageFailed("tts", "espeak");
  const servedBy = { stt: "reference", llm: "scripted", tts: "espeak" };
  const asked = { finalTranscriptMs: 300, endOfTurnMs: 500, llmRequestedMs: 500 };
  worker.turnAnswered(
    { ...asked, firstTextMs: 640, firstSegmentMs: 650, firstAudioMs: 700, firstFrameMs: 720 },
    servedBy,
  );
  worker.turnAnswered({ endOfTurnMs: 500, firstAudioMs: 600, firstFrameMs: 610 }, servedBy);
  worker.providerUsed("scripted", { inputTokens: 120, outputTokens: 0 });
  worker.llmRequested("scripted");
  worker.spendRefused({ scope: "call", limit: "cost" });
  control.callCreated("carrier_a");
  control.callRecorded("ended", "inactivity");
  control.recordMade(120);
  control.callRecorded("expired", "token_expired");
  control.requestAnswered("GET", "/api/v1/calls/:id", 200, 12);
  // The event loop is looked at every 10 ms, in all: until then its delay is not reported.
  for (;;) {
    const workers = await metricsOfOneWorker(await worker.collect());
    const others = await Promise.all([speech.registry.metrics(), retrieval.registry.metrics()]);
    const metrics = readExposition(await control.exposition(workers, true, others));
    if (metrics.get("trunkline_event_loop_delay_seconds")?.samples.length === 4 * QUANTILES) return metrics;
    await delay(LOOP_LOOK_MS);
  }
}
