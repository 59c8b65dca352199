import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../src/core/clock.ts";
import { createLogger } from "../../src/core/log.ts";
import { WorkerMetrics, watchProcess } from "../../src/core/metrics.ts";
import { SOFTWARE } from "../../src/core/software.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { JournalWriters } from "../../src/gateway/journal-writer.ts";
import type { Admission } from "../../src/gateway/leg.ts";
import { MediaServer } from "../../src/gateway/server.ts";
import type { SignatureHeaders } from "../../src/gateway/signatures.ts";
import { HttpTools } from "../../src/gateway/tools/http-client.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import { loadVad } from "../../src/media/vad.ts";
import { createReferenceBrain } from "../../src/speech/providers/reference-brain.ts";
import type { Stt } from "../../src/speech/speech.ts";
import { countingEar, endlessModel, replayingVoice, WatchedEar } from "./engines.ts";
import { Stopwatch } from "./observed-leg.ts";
import { serve } from "./processes.ts";
import type { PhaseOptions, ServerAddress, ServerReport, ServiceQuestions } from "./questions.ts";
import { ServerProbe } from "./server-probe.ts";
import { ServiceCalls } from "./service-calls.ts";
import { AGENT_SENTENCES, type Rendered } from "./speech.ts";
import { settleDues, TickClock } from "./tick-clock.ts";

// Composition root of the worker under load: what src/worker.ts puts together, of the same modules, but for the engines, which
// cost next to nothing here, and for the control process, whose part in a call is over before its first frame.

const HOST = "127.0.0.1";
/** More than any run asks for: it is the machine that is to be the limit. */
const CALLS_MAX = 100_000;
/** From the last hang-up to the end of the last journal. */
const END_MS_MAX = 10_000;
const POLL_MS = 10;

const dataDir = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));

const log = createLogger("worker", "warn");
const metrics = new WorkerMetrics(() => running().readings());
watchProcess(metrics.registry, 0);
const [makeVad, makeResampler] = await Promise.all([loadVad(), loadResampler()]);
const journals = new JournalWriters({ dataDir, software: SOFTWARE, clock: systemClock, log });
const calls = new ServiceCalls(dataDir);
const probe = new ServerProbe();
const wordEar = new WatchedEar();
const leanEar = countingEar(() => stopwatch.hear());
const clock = new TickClock();
let stopwatch = new Stopwatch({ calls: 0, framesMax: 0, baseMs: 0 }, clock);
let recorded = false;

/** Only full callers are understood; each ear is opened while a message of its own call is handled. */
const stt: Stt = {
  provider: "bench",
  capabilities: wordEar.capabilities,
  open: (options, signal) => (stopwatch.watching ? leanEar : wordEar).open(options, signal),
};

function createGateway(speech: readonly Rendered[]): Gateway {
  const brain = createReferenceBrain();
  const endless = endlessModel(
    speech.filter(({ text }) => AGENT_SENTENCES.includes(text)),
    systemClock,
  );
  return new Gateway({
    handOff: calls,
    engines: { stt, tts: replayingVoice(speech), llm: { model_a: endless, model_b: brain, model_c: brain } },
    makeVad,
    makeResampler,
    httpTools: new HttpTools({ secrets: {}, allowLoopback: false }),
    journals,
    metrics,
    clock,
    log,
    callsMax: CALLS_MAX,
    carrierSecrets: { carrier_a: [], carrier_b: [], carrier_c: [] },
    mediaUrl: `ws://${HOST}:${port}`,
    carrierBOutboundCodec: "mulaw",
    opus: undefined,
  });
}

let gateway: Gateway | undefined;

async function admit(token: string, headers: SignatureHeaders): Promise<Admission> {
  const admission = await running().admit(token, headers);
  const call = calls.indexOf(token);
  return call === undefined ? admission : stopwatch.watch(admission, call);
}

function running(): Gateway {
  if (gateway === undefined) throw new Error("asked before it was prepared");
  return gateway;
}

const server = new MediaServer({ admit, log });
const port = await server.listen(HOST, 0);

function begin(phase: PhaseOptions): ServerAddress {
  stopwatch = new Stopwatch(phase, clock);
  ({ recorded } = phase);
  probe.begin();
  return { port, paths: Array.from({ length: phase.calls }, (_, index) => calls.create(index, recorded)) };
}

async function finish(): Promise<ServerReport> {
  const loopDelayMs = probe.finish();
  for (const endMs = systemClock.nowMs() + END_MS_MAX; running().callIds().length > 0; await delay(POLL_MS)) {
    if (systemClock.nowMs() > endMs) throw new Error(`${running().callIds().length} calls did not end`);
  }
  const { heard, due, written } = stopwatch;
  settleDues(due.data, written.data);
  return {
    loopDelayMs,
    service: {
      heard: heard.data,
      due: due.data,
      written: written.data,
      understood: wordEar.takeUnderstood(),
      journalFailures: journals.failures,
    },
  };
}

serve<ServiceQuestions>({
  prepare(speech) {
    gateway = createGateway(speech);
    return undefined;
  },
  begin,
  sample: () => probe.sample(wordEar.busyUs),
  fullCall: () => calls.create(undefined, recorded),
  finish,
});
