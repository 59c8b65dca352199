import loadSpeex, { type SpeexResamplerWasm } from "@echogarden/speex-resampler-wasm/simd";
import wavefile from "wavefile";
import { STREAM_RATES_HZ } from "../../src/core/calls/spec.ts";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { type ResamplerFactory, resamplerFactory } from "../../src/media/resampler.ts";
import { heapBytesPerRun } from "../../test/support/heap.ts";
import { firResamplerFactory } from "../baselines/fir-resampler.ts";
import { median } from "../harness/statistics.ts";
import { copying, FRAMES, use } from "./contest.ts";
import { Cycle } from "./cycle.ts";
import type { ResamplingCost } from "./result.ts";
import { ratioOf, timeRounds } from "./timing.ts";

// Question: what does it cost to turn 20 ms from one rate into another, with the resampler of the service and with others that
// could stand in its place?

/** Of eSpeak NG. */
const TTS_RATE_HZ = 22_050;
/** Passes less of what is near the limit: 1 dB is gone at 0.85 of the Nyquist frequency, so it fails the acceptance suite. */
const LOWER_QUALITY = 3;
const HEAP_RUNS = 500;

/** Stands for a whole implementation: makes what resamples the next frame of one stream. */
type Candidate = (fromHz: number, toHz: number, frames: Cycle<Int16Array>) => () => void;

/** All pairs of the rates of raw sockets, and from the rate of eSpeak NG to each of them. */
const PAIRS = [...STREAM_RATES_HZ, TTS_RATE_HZ].flatMap((fromHz) =>
  STREAM_RATES_HZ.filter((toHz) => toHz !== fromHz).map((toHz) => ({ fromHz, toHz })),
);

export async function measureResampling(): Promise<ResamplingCost[]> {
  const speex = await loadSpeex();
  const ours = streaming(resamplerFactory(speex));
  const reference = streaming(firResamplerFactory());
  const others: Record<string, Candidate> = {
    "Speex q3": streaming(resamplerFactory(withQuality(speex, LOWER_QUALITY))),
    "plain FIR": reference,
    wavefile: stateless,
  };
  const candidates = Object.entries({ "Speex q5": ours, ...others });
  return PAIRS.map(({ fromHz, toHz }) => {
    const frames = noiseFrames((fromHz * FRAME_MS) / 1_000);
    const tasks = candidates.map(([, candidate]) => candidate(fromHz, toHz, new Cycle(frames)));
    const times = timeRounds([copying((fromHz * FRAME_MS) / 1_000), ...tasks]);
    const [copyNs, ...ownNs] = times as [number[], ...number[][]];
    const referenceNs = ownNs[candidates.findIndex(([, candidate]) => candidate === reference)] as number[];
    return {
      fromHz,
      toHz,
      candidates: candidates.map(([name], at) => {
        const ns = ownNs[at] as number[];
        return { name, ns: median(ns), ofReference: ratioOf(ns, referenceNs), ofCopy: ratioOf(ns, copyNs) };
      }),
      heapBytes: heapBytesPerRun(tasks[0] as () => void, HEAP_RUNS),
    };
  });
}

const streaming =
  (make: ResamplerFactory): Candidate =>
  (fromHz, toHz, frames) => {
    const resampler = make(fromHz, toHz);
    return () => use(resampler.process(frames.next())[0] as number);
  };

/** A library for files: it knows nothing of the frame before, and clicks at each border. */
const stateless: Candidate = (fromHz, toHz, frames) => () => {
  const file = new wavefile.WaveFile();
  file.fromScratch(1, fromHz, "16", frames.next());
  file.toSampleRate(toHz);
  use(file.getSamples(false, Int16Array)[0] as number);
};

/** The same module, asked for another quality. */
const withQuality = (speex: SpeexResamplerWasm, quality: number): SpeexResamplerWasm =>
  Object.create(speex, {
    _speex_resampler_init: {
      value: (channels: number, fromHz: number, toHz: number, _: number, error: number) =>
        speex._speex_resampler_init(channels, fromHz, toHz, quality, error),
    },
  });

/** What a frame says changes nothing of the cost, silence perhaps excepted. */
const noiseFrames = (frameSamples: number): Int16Array[] =>
  Array.from({ length: FRAMES }, (_, frame) =>
    Int16Array.from({ length: frameSamples }, (__, i) => (((frame * frameSamples + i) * 7_919) % 60_013) - 30_000),
  );
