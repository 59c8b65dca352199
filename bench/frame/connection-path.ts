import { strict as assert } from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FRAME_MS, OUTPUT_RING_FRAMES_MAX } from "../../src/core/limits/streams/media.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { median } from "../harness/statistics.ts";
import { BenchLeg, prepareStream } from "./bench-leg.ts";
import { plainWays } from "./carriers.ts";
import type { FrameCost, FrameResult, InTurnCost } from "./result.ts";
import { ratioOf, timeNs } from "./timing.ts";

// Question: what does a frame cost on its whole way through a connection, between the socket and the providers?
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

/** `audio` is raw mu-law, 8,000 Hz: what both sides say. */
export async function measureConnectionPath(
  audio: Uint8Array,
  voiceActivity: VoiceActivityDetection,
  makeResampler: ResamplerFactory,
): Promise<FrameResult["ways"]> {
  return await withDataDir(async (dataDir) => {
    const plain = plainWays(audio);
    const leg = new BenchLeg(prepareStream(audio), { voiceActivity, makeResampler, dataDir });
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
  voiceActivity: VoiceActivityDetection,
  makeResampler: ResamplerFactory,
  calls: number,
): Promise<InTurnCost> {
  return await withDataDir(async (dataDir) => {
    const stream = prepareStream(audio);
    const legs = Array.from({ length: calls }, () => new BenchLeg(stream, { voiceActivity, makeResampler, dataDir }));
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
