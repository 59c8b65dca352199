import { strict as assert } from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { createTwilioWire } from "../../src/carriers/twilio/wire.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Clock } from "../../src/core/clock.ts";
import { CARRIER_RATE_HZ, FRAME_MS, OUTPUT_RING_FRAMES_MAX } from "../../src/core/limits/media.ts";
import { createLogger } from "../../src/core/log/logger.ts";
import { WorkerMetrics } from "../../src/core/metrics/worker-metrics.ts";
import { SOFTWARE } from "../../src/core/version.ts";
import type { JournalFiles } from "../../src/gateway/journal/writer.ts";
import { JournalWriters } from "../../src/gateway/journal/writers.ts";
import { Connection } from "../../src/gateway/leg/connection.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import type { VadFactory } from "../../src/media/vad.ts";
import type { Stt, SttEvent, Tts } from "../../src/speech/contracts.ts";
import { EventQueue } from "../../src/speech/event-queue.ts";
import { createReferenceLlm } from "../../src/speech/reference/llm.ts";
import { inboundAudio } from "../../test/support/audio/inbound-audio.ts";
import { INLINE_SCHEMAS, INLINE_TOOL_CHOICE } from "../../test/support/stubs/inline-schemas.ts";
import { UNLIMITED_SPEND } from "../../test/support/stubs/no-limits.ts";
import { NO_PHRASES } from "../../test/support/stubs/no-phrases.ts";
import { BENCH_SPEC } from "../harness/call-spec.ts";
import { median } from "../harness/statistics.ts";
import { CarrierMessages } from "./carrier-messages.ts";
import { plainWays } from "./carriers.ts";
import type { FrameCost, FrameResult, InTurnCost } from "./result.ts";
import { ratioOf, timeNs } from "./timing.ts";

// Question: what does a frame cost on its whole way through a connection, between the socket and the engines?
// Budget: no heap on either way.

/**
 * No more than lies in the ring of frames to be sent: within a window nothing waits and nothing refills it. And shorter than the second
 * of silence after which the peer of an agent that speaks is pinged.
 */
const WINDOW_FRAMES = 40;
const HALF_RING_FRAMES = OUTPUT_RING_FRAMES_MAX / 2;
const WARM_UP_WINDOWS = 400;
const WINDOWS = 301;
/** Where connections take turns: frames of all of them together, each way. */
const IN_TURN_FRAMES = 120_000;
const IN_TURN_WINDOWS_MIN = 3;

/** A disk that is always done at once. */
const NO_DISK: JournalFiles = {
  create: (_path, done) => done(null, 1),
  write: (_fd, bytes, done) => done(null, bytes.length),
  sync: (_fd, done) => done(null),
  close: (_fd, done) => done(null),
};

/** `audio` is raw mu-law, 8,000 Hz: what both sides say. */
export async function measureConnectionPath(
  audio: Uint8Array,
  makeVad: VadFactory,
  makeResampler: ResamplerFactory,
): Promise<FrameResult["ways"]> {
  return await withDataDir(async (dataDir) => {
    const plain = plainWays(audio);
    const leg = new BenchLeg(prepareStream(audio), { makeVad, makeResampler, dataDir });
    return {
      in: await perFrame(WINDOW_FRAMES, (frames) => walk(leg, "in", frames), plain.in),
      out: await perFrame(WINDOW_FRAMES, (frames) => walk(leg, "out", frames), plain.out),
      fill: await perFrame(HALF_RING_FRAMES, (frames) => fill(leg, frames), plain.out),
    };
  });
}

/** The same ways where `calls` connections take turns, frame by frame: then each is found as the others left the caches. */
export async function measureInTurn(
  audio: Uint8Array,
  makeVad: VadFactory,
  makeResampler: ResamplerFactory,
  calls: number,
): Promise<InTurnCost> {
  return await withDataDir(async (dataDir) => {
    const stream = prepareStream(audio);
    const legs = Array.from({ length: calls }, () => new BenchLeg(stream, { makeVad, makeResampler, dataDir }));
    const stepAll = (way: "in" | "out"): number => {
      const startMs = performance.now();
      for (const leg of legs) leg.step(way, FRAME_MS / 2);
      return ((performance.now() - startMs) * 1e6) / calls;
    };
    const ns = { in: [] as number[], out: [] as number[] };
    const windows = Math.max(IN_TURN_WINDOWS_MIN, Math.ceil(IN_TURN_FRAMES / (calls * WINDOW_FRAMES)));
    for (let window = 0; window < windows; window += 1) {
      for (const leg of legs) await leg.refill();
      const before = legs.map(({ frames }) => ({ ...frames }));
      for (let frame = 0; frame < WINDOW_FRAMES; frame += 1) {
        ns.in.push(stepAll("in"));
        ns.out.push(stepAll("out"));
      }
      for (const [index, { frames }] of legs.entries()) {
        const { in: framesIn, out: framesOut } = before[index] as (typeof before)[number];
        assert.equal(frames.in - framesIn, WINDOW_FRAMES, "a message is a frame");
        assert.equal(frames.out - framesOut, WINDOW_FRAMES, "a tick is a frame");
      }
    }
    // The first third is for the compiler.
    const settled = (all: readonly number[]): number => median(all.slice(all.length / 3));
    return { calls, inNs: settled(ns.in), outNs: settled(ns.out) };
  });
}

async function withDataDir<Result>(use: (dataDir: string) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
  try {
    return await use(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What a carrier says in a stream: the same memory for all, as a socket's is. */
interface Stream {
  opening: readonly Buffer[];
  media: readonly Buffer[];
}

function prepareStream(audio: Uint8Array): Stream {
  const texts = new CarrierMessages(audio);
  return {
    opening: [Buffer.from(texts.greeting()), Buffer.from(texts.start())],
    media: Array.from({ length: 500 }, () => Buffer.from(texts.media())),
  };
}

/** One connection in the middle of its call, in a time of its own. */
class BenchLeg {
  readonly #connection: Connection;
  readonly #media: readonly Buffer[];
  readonly #flush: () => void;
  #at = 0;
  /** Never a whole number, as in the service. */
  #nowMs = 0.25;
  /** A peer that answers no ping is lost, where it says nothing else. */
  #isPinged = false;
  /** Frames that the STT received, and frames that were sent. */
  readonly frames = { in: 0, out: 0 };

  constructor(
    { opening, media }: Stream,
    { makeVad, makeResampler, dataDir }: { makeVad: VadFactory; makeResampler: ResamplerFactory; dataDir: string },
  ) {
    const clock: Clock = { nowMs: () => this.#nowMs, epochMs: () => this.#nowMs, after: () => () => {} };
    const log = createLogger("test", "error");
    const wire = createTwilioWire();
    const call = { callId: "call_bench", accountId: "bench", spec: BENCH_SPEC };
    const journal = new JournalWriters({ dataDir, software: SOFTWARE, clock, log, files: NO_DISK }).open({
      ...call,
      startedAt: new Date(0).toISOString(),
      leg: {
        inboundRateHz: CARRIER_RATE_HZ,
        outboundRateHz: wire.outboundRateHz,
        outboundCodec: wire.outboundCodec,
      },
      sttHasInterim: true,
      parameters: DEFAULT_TURN_PARAMETERS,
    });
    this.#flush = () => journal.flush();
    this.#connection = new Connection({
      redeemed: call,
      socket: {
        send: () => {
          this.frames.out += 1;
          return true;
        },
        ping: () => {
          this.#isPinged = true;
        },
        end: (_code, reason) => assert.fail(`the call ended: ${reason}`),
      },
      wire,
      inbound: inboundAudio(),
      vad: makeVad(CARRIER_RATE_HZ),
      makeResampler,
      stt: this.#stt(),
      llm: createReferenceLlm(INLINE_TOOL_CHOICE),
      tts: endlessTts(),
      parameters: DEFAULT_TURN_PARAMETERS,
      liveness: readConfig({}).liveness,
      httpTools: { carryOut: () => assert.fail("it uses no tools") },
      schemas: INLINE_SCHEMAS,
      phrases: NO_PHRASES,
      spend: UNLIMITED_SPEND,
      journal,
      metrics: new WorkerMetrics(() => assert.fail("the metrics are not read")),
      clock,
      log,
      onStarted: () => {},
      onDone: () => assert.fail("the call ended"),
    });
    for (const message of opening) this.#connection.message(message, false);
    this.#media = media;
  }

  /** A message comes, or a frame is due, 20 ms or `laterMs` later. */
  step(way: "in" | "out", laterMs = FRAME_MS): void {
    this.#nowMs += laterMs;
    if (way === "out") {
      this.#connection.tick();
      if (this.#isPinged) this.#connection.ponged();
      this.#isPinged = false;
      return;
    }
    this.#at = this.#at + 1 === this.#media.length ? 0 : this.#at + 1;
    this.#connection.message(this.#media[this.#at] as Buffer, false);
  }

  /** The peer gives a sign of life, the ring is filled again, the lead is sent, and the journal is written. */
  async refill(): Promise<void> {
    this.step("in");
    await nextTurn();
    this.#connection.tick();
    await nextTurn();
    this.#flush();
  }

  #stt(): Stt {
    return {
      provider: "bench",
      capabilities: { ratesHz: [CARRIER_RATE_HZ], interimTranscripts: true },
      open: (_options, signal) => ({
        write: () => {
          this.frames.in += 1;
        },
        events: new EventQueue<SttEvent>(signal),
      }),
    };
  }
}

/** Speaks one segment without end, in chunks as long as the reference TTS's. */
function endlessTts(): Tts {
  const samples = Int16Array.from({ length: 3_200 }, (_, at) => Math.round(8_000 * Math.sin(at / 5)));
  return {
    provider: "bench",
    capabilities: { wordTimestamps: true },
    voices: async () => [],
    async *speak(_request, signal) {
      while (!signal.aborted) yield { samples, rateHz: CARRIER_RATE_HZ, words: [] };
    },
  };
}

/** What a window costs. */
interface WindowCost {
  ns: number;
  heapBytes: number;
}

/** Frames that come in, or go out of the ring. */
async function walk(leg: BenchLeg, way: "in" | "out", frames: number): Promise<WindowCost> {
  await leg.refill();
  const framesBefore = leg.frames[way];
  const reading = new Reading();
  for (let frame = 0; frame < frames; frame += 1) leg.step(way);
  const cost = reading.cost();
  assert.equal(leg.frames[way] - framesBefore, frames, "a step is a frame");
  return cost;
}

/** Half a ring of frames from the TTS, which is pulled again when so many have been sent; or none. */
async function fill(leg: BenchLeg, frames: number): Promise<WindowCost> {
  await leg.refill();
  for (let frame = 0; frame < HALF_RING_FRAMES; frame += 1) leg.step("out");
  if (frames === 0) await leg.refill();
  const reading = new Reading();
  await nextTurn();
  return reading.cost();
}

/** Takes what a window costs, from here on. */
class Reading {
  readonly #heapBytes = process.memoryUsage().heapUsed;
  readonly #startMs = performance.now();

  cost(): WindowCost {
    const endMs = performance.now();
    return { ns: (endMs - this.#startMs) * 1e6, heapBytes: process.memoryUsage().heapUsed - this.#heapBytes };
  }
}

/**
 * What windows of `frames` cost more than empty ones, by the frame. Full, empty and plain ones take turns; medians, so that the few
 * in which the collector runs or the compiler works don't count.
 */
async function perFrame(
  frames: number,
  runWindow: (frames: number) => Promise<WindowCost>,
  plain: () => void,
): Promise<FrameCost> {
  for (let window = 0; window < WARM_UP_WINDOWS; window += 1) {
    await runWindow(frames);
    timeNs(plain, frames);
  }
  const full: WindowCost[] = [];
  const empty: WindowCost[] = [];
  const plainNs: number[] = [];
  for (let window = 0; window < WINDOWS; window += 1) {
    full.push(await runWindow(frames));
    empty.push(await runWindow(0));
    plainNs.push(timeNs(plain, frames));
  }
  const emptyNs = median(empty.map(({ ns }) => ns));
  const ns = full.map((window) => (window.ns - emptyNs) / frames);
  const heapBytes = (windows: readonly WindowCost[]): number => median(windows.map((window) => window.heapBytes));
  return {
    ns: median(ns),
    ofPlain: ratioOf(ns, plainNs),
    heapBytes: (heapBytes(full) - heapBytes(empty)) / frames,
  };
}
