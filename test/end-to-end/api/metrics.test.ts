import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import { readWav } from "../../../src/simulator/audio/wav.ts";
import { utteranceOf } from "../../../src/simulator/callers/utterance.ts";
import { formatsOf, type SimulatedLine } from "../../../src/simulator/lines.ts";
import { placeCall } from "../../../src/simulator/place-call.ts";
import { createReferenceStt } from "../../../src/speech/reference/stt.ts";
import { holdShortCall, RawCaller, SHORT_CALL_FRAMES } from "../../callers/raw-caller.ts";
import { type Family, readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { unknownLabels } from "../../support/metrics/known-labels.ts";
import { alerts, queries } from "../../support/metrics/monitoring.ts";
import { unknownInQuery } from "../../support/metrics/promql.ts";
import { Service, until } from "../../support/services/service.ts";

const OPERATOR_TOKEN = "k3".repeat(16);
let service: Service;
beforeAll(async () => {
  const env = { DRAIN_MS: "1000", STT: "local", LOCAL_STT_PROCESSES: "1", OPERATOR_TOKEN };
  service = await Service.start({ env });
});

/** The latest port: any free one is taken, and another after each start of the control process. */
const metricsUrl = (): string => `http://127.0.0.1:${service.logged("metrics port ready").at(-1)?.port}/metrics`;

async function scrape(): Promise<Map<string, Family>> {
  const answer = await fetch(metricsUrl());
  expect(answer.status).toBe(200);
  return readExposition(await answer.text());
}

const CALLS = 2;
const FRAMES = CALLS * SHORT_CALL_FRAMES;
const CARRIER_A = { connection_type: "carrier_a" };

test("L3: one scrape tells of both processes, and of calls from their creation to their records, and no label whose", async () => {
  for (let count = 0; count < CALLS; count += 1) {
    const { id, websocketUrl } = await service.createCall();
    await holdShortCall(service, { id, websocketUrl });
    await service.fetch("GET", `/nowhere/${id}`);
  }
  const metrics = await scrape();
  expect(sampleOf(metrics, "trunkline_workers", { state: "up" })).toBe(1);
  expect(sampleOf(metrics, "trunkline_ready")).toBe(1);
  expect(sampleOf(metrics, "trunkline_calls_created_total", CARRIER_A)).toBe(CALLS);
  expect(sampleOf(metrics, "trunkline_calls_started_total", CARRIER_A)).toBe(CALLS);
  expect(sampleOf(metrics, "trunkline_token_redemptions_total", { outcome: "redeemed" })).toBe(CALLS);
  expect(sampleOf(metrics, "trunkline_frames_total", { direction: "in", ...CARRIER_A })).toBe(FRAMES);
  expect(sampleOf(metrics, "trunkline_added_latency_seconds_count", { direction: "in" })).toBe(FRAMES);
  expect(sampleOf(metrics, "trunkline_provider_latency_seconds_count", { stage: "tts" })).toBeGreaterThanOrEqual(CALLS);
  expect(sampleOf(metrics, "trunkline_calls_ended_total", { reason: "caller_hangup" })).toBe(CALLS);
  expect(sampleOf(metrics, "trunkline_call_records_total", { reason: "caller_hangup", status: "ended" })).toBe(CALLS);
  expect(sampleOf(metrics, "trunkline_call_record_duration_seconds_count")).toBe(CALLS);
  expect(sampleOf(metrics, "trunkline_api_requests_total", { route: "/api/v1/calls", status: "201" })).toBe(CALLS);
  expect(sampleOf(metrics, "trunkline_api_requests_total", { route: "none", status: "404" })).toBe(CALLS);
  expect(sampleOf(metrics, "trunkline_call_slots_active") + sampleOf(metrics, "trunkline_call_slots_reserved")).toBe(0);
  for (const process of ["control", "worker"]) {
    expect(sampleOf(metrics, "process_open_fds", { process })).toBeGreaterThan(0);
    expect(sampleOf(metrics, "trunkline_process_restarts_total", { process })).toBe(0);
  }
  expect(unknownLabels(metrics, ["/api/v1/calls", "/api/v1/calls/:id"])).toEqual([]);
  // A worker that lags, as on a busy machine, is offered fewer calls for some seconds.
  await until("all calls to be offered to the worker", 30_000, async () => {
    const later = await scrape();
    return sampleOf(later, "trunkline_call_slots_max") === sampleOf(later, "trunkline_calls_max");
  });
});

/** A caller says the first words of this recording, and hangs up once the local STT has understood something. */
const CLIP = new URL("../../../fixtures/librivox/sense_and_sensibility_01_austen_64kb-0880.wav", import.meta.url);
const SPEECH_MS = 1_200;
/** More than a machine with other things to do needs to load the model, and to understand these words. */
const LOADED_MS_MAX = 60_000;
const UNDERSTOOD_MS_MAX = 20_000;
const LINE: SimulatedLine = {
  wire: "websocket",
  format: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 },
};

async function speak(): Promise<void> {
  await until(
    "the local STT to load its model",
    LOADED_MS_MAX,
    () => service.logged("local speech model loaded").length > 0,
  );
  const { samples, rateHz } = readWav(readFileSync(CLIP));
  const spoken = { samples: samples.subarray(0, (SPEECH_MS / 1_000) * rateHz), rateHz };
  const utterance = await utteranceOf("speech", spoken, formatsOf(LINE).inbound);
  const { websocketUrl } = await service.createCall({ connectionType: "websocket", firstSpeaker: "user" });
  const hangUp = new AbortController();
  await placeCall(
    {
      url: websocketUrl,
      line: LINE,
      id: "0".repeat(32),
      script: [
        { do: "say", utterance },
        { do: "stay", untilMs: UNDERSTOOD_MS_MAX },
      ],
      hangUpAfterMs: UNDERSTOOD_MS_MAX,
      stt: createReferenceStt(),
      language: "en-US",
      clock: systemClock,
      onEvent: () => {},
      onServiceMessage: ({ type }) => {
        if (type === "transcript") hangUp.abort();
      },
    },
    hangUp.signal,
  );
}

/** More than a machine with other things to do needs to start the retrieval process, and to index one document. */
const INDEXED_MS_MAX = 30_000;

/** The retrieval process starts when there is a corpus. Resolves when a question to one is answered, and scrapes have that process. */
async function askCorpus(): Promise<void> {
  const { id } = (await service.api<{ id: string }>("POST", "/corpora", { name: "Pumps" })).body;
  const document = { name: "Guarantee", text: "# Guarantee\n\nPumps are guaranteed for five years." };
  await service.api("POST", `/corpora/${id}/documents`, document);
  await until("the document to be found", INDEXED_MS_MAX, async () => {
    const query = { text: "How long are pumps guaranteed?" };
    const { status, body } = await service.api<{ passages: object[] }>("POST", `/corpora/${id}/query`, query);
    return status === 200 && body.passages.length > 0;
  });
  await until("the retrieval process to be scraped", INDEXED_MS_MAX, async () =>
    (await scrape()).has("trunkline_retrieval_questions_total"),
  );
}

/** Metrics without a value until there is a certificate, a reply, a failover, and a cluster. */
const NOT_YET = [
  "trunkline_analyses_total",
  "trunkline_carrier_requests_total",
  "trunkline_node_announcements_total",
  "trunkline_node_listening",
  "trunkline_node_listening_losses_total",
  "trunkline_node_relays_active",
  "trunkline_node_relays_total",
  "trunkline_node_request_duration_seconds_bucket",
  "trunkline_node_requests_handled_total",
  "trunkline_node_requests_total",
  "trunkline_provider_switches_total",
  "trunkline_tls_certificate_not_after_seconds",
  "trunkline_transcription_audio_seconds_total",
  "trunkline_turn_step_seconds_bucket",
];

test("the dashboard and the alerts find all metrics that they query, except those of events that did not occur", {
  timeout: LOADED_MS_MAX + 2 * UNDERSTOOD_MS_MAX + 2 * INDEXED_MS_MAX,
}, async () => {
  await speak();
  await askCorpus();
  const metrics = await scrape();
  const unknown = new Set([...queries, ...alerts].flatMap(({ expr }) => unknownInQuery(expr, metrics)));
  const missing = [...unknown].filter((name) => !name.startsWith("by "));
  expect(missing.sort()).toEqual(NOT_YET);
});

test("a worker that hangs does not hang a scrape: it counts as silent, its counts stay, and it answers again later", async () => {
  const worker = service.pid("worker");
  process.kill(worker, "SIGSTOP");
  try {
    const beganMs = systemClock.nowMs();
    const metrics = await scrape();
    expect(elapsedMs(beganMs, systemClock.nowMs())).toBeLessThan(5_000);
    expect(sampleOf(metrics, "trunkline_workers", { state: "silent" })).toBe(1);
    expect(sampleOf(metrics, "trunkline_frames_total", { direction: "in", ...CARRIER_A })).toBe(FRAMES);
    expect(metrics.has("trunkline_calls")).toBe(false);
    expect(sampleOf(metrics, "process_resident_memory_bytes", { process: "control" })).toBeGreaterThan(0);
  } finally {
    process.kill(worker, "SIGCONT");
  }
  await until(
    "the worker to be heard again",
    10_000,
    async () => sampleOf(await scrape(), "trunkline_workers", { state: "up" }) === 1,
  );
});

test("each process reports how often it was restarted", async () => {
  const restarts = async (process: "control" | "worker"): Promise<number | undefined> => {
    const samples = (await scrape()).get("trunkline_process_restarts_total")?.samples ?? [];
    return samples.find(({ labels }) => labels.process === process)?.value;
  };
  await service.killChild("worker");
  await until("the worker to tell that it was started again", 20_000, async () => (await restarts("worker")) === 1);
  const served = service.logged("metrics port ready").length;
  await service.killChild("control");
  await until("the metrics to be served again", 20_000, () => service.logged("metrics port ready").length > served);
  await until(
    "both to tell",
    20_000,
    async () => (await restarts("worker")) === 1 && (await restarts("control")) === 1,
  );
  // The API listens later than the metrics.
  await until("the API to be served again", 20_000, async () => {
    const answer = await service.fetch("GET", "/readyz").catch(() => undefined);
    return answer?.status === 200;
  });
});

test("the service drains at the operator's request, and its metrics are served and show it", async () => {
  const { websocketUrl } = await service.createCall();
  const caller = await RawCaller.startAt(service, websocketUrl);
  const answer = await fetch(metricsUrl().replace(/metrics$/, "drain"), {
    method: "POST",
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  });
  expect([answer.status, await answer.json()]).toEqual([202, { status: "draining" }]);
  await until("the metrics to tell of the drain", 1_000, async () => sampleOf(await scrape(), "trunkline_ready") === 0);
  caller.ws.destroy();
  expect(await service.process.exited).toBe(0);
});
