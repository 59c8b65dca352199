import { systemClock } from "../../src/core/clock.ts";
import { callMs, mediaMs } from "../../src/core/clocks.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { loadFvad } from "../../src/media/voice-activity/fvad.ts";
import { DEFAULT_SEGMENTATION } from "../../src/media/voice-activity/segmentation.ts";
import { SpeechSegmenter } from "../../src/media/voice-activity/segmenter.ts";
import { StreamActivity } from "../../src/media/voice-activity/stream-activity.ts";
import { loadVoiceActivity } from "../../src/process/worker/voice-activity.ts";
import type { Stt } from "../../src/speech/contracts.ts";
import type { Urgency } from "../../src/speech/local/jobs.ts";
import { forkSpeechChild } from "../../src/speech/local/pool/child.ts";
import { SpeechPool } from "../../src/speech/local/pool/pool.ts";
import { createLocalStt } from "../../src/speech/stt/providers/local/adapter.ts";
import { Random } from "../../test/support/random.ts";
import { describeMachine } from "../harness/machine.ts";
import { spreadOf } from "../harness/statistics.ts";
import { requirePackages } from "../hearing/packages.ts";
import { activeLevel } from "../hearing/prompts.ts";
import { amplitudeOf, rmsOf } from "../turn-taking/sounds.ts";
import { CLIP_RATE_HZ, readClips, resampled } from "./clips.ts";
import { throughMulaw } from "./lines.ts";
import type { LoadResult, LoadStep } from "./load-result.ts";

export interface LoadOptions {
  /** How many calls at a time, one step each. */
  calls: number[];
  /** How long each step takes, s. */
  seconds: number;
  seed: number;
  cacheDir: string;
}

/** An utterance of a caller at 8,000 Hz through G.711, and above which level a frame is speech. */
interface Spoken {
  samples: Int16Array;
  level: number;
}

/** What was measured of one final. */
interface Measured {
  lengthMs: number;
  fromEndMs: number;
  fromLastVoicedMs: number;
  lateMs: number;
}

/** The callers of the goals speak for 2 to 7 s. */
const LENGTH_MS = [2_000, 7_000] as const;
/** How long a caller listens between two utterances: the share of speech is about a half. */
const LISTENS_MS = [3_000, 5_000] as const;
const AUDIBLE_BELOW_DB = 30;
/** Finals may come this long after the last audio of a step. */
const WAIT_MS = 15_000;

/** Calls in real time over one process of the local STT, which is one core: more and more of them. */
export async function runLoadBench(
  { calls, seconds, seed, cacheDir }: LoadOptions,
  write: (line: string) => void,
): Promise<LoadResult> {
  requirePackages(cacheDir, "stt");
  const makeResampler = await loadResampler();
  const spoken = readClips(cacheDir, makeResampler)
    .filter(({ group, samples }) => group !== "single words" && isOfLength((samples.length / CLIP_RATE_HZ) * 1_000))
    .map(({ samples }): Spoken => {
      const narrow = throughMulaw(resampled(samples, CLIP_RATE_HZ, CARRIER_RATE_HZ, makeResampler));
      return { samples: narrow, level: activeLevel(narrow) * amplitudeOf(-AUDIBLE_BELOW_DB) };
    });
  const detection = await loadVoiceActivity(await loadFvad(), "silero", Math.max(...calls));
  const steps: LoadStep[] = [];
  let model = "";
  for (const count of calls) {
    write(`${count} calls, ${seconds} s`);
    const outcomes = new Map<string, number>();
    let onReady = (): void => {};
    const ready = new Promise<void>((resolve) => {
      onReady = resolve;
    });
    const pool = new SpeechPool({
      processes: 1,
      start: forkSpeechChild({ modelFolder: undefined, turnModelPath: undefined }),
      clock: systemClock,
      observer: {
        childReady(child) {
          model = child.model;
          onReady();
        },
        childEnded: (cause, detail) => write(`a process ended: ${cause}, ${detail}`),
        jobEnded: (urgency: Urgency, outcome) =>
          outcomes.set(`${urgency} ${outcome}`, (outcomes.get(`${urgency} ${outcome}`) ?? 0) + 1),
      },
    });
    await ready;
    const stt = createLocalStt({ speech: pool, languages: ["en"] });
    const { cpuMs } = pool.readings;
    const startMs = performance.now();
    const measured = await Promise.all(
      Array.from({ length: count }, (_, call) =>
        talk({ stt, spoken, detection, seconds, random: new Random(seed + call), delayMs: (call * 8_000) / count }),
      ),
    );
    const tookMs = performance.now() - startMs;
    const cpuShare = (pool.readings.cpuMs - cpuMs) / tookMs;
    const residentMb = pool.readings.residentBytes / 1_048_576;
    pool.close();
    steps.push({ calls: count, ...figuresOf(measured.flat()), ...interimsOf(outcomes), cpuShare, residentMb });
  }
  return { machine: describeMachine(), model, seed, seconds, steps };
}

const isOfLength = (ms: number): boolean => ms >= LENGTH_MS[0] && ms <= LENGTH_MS[1];

interface Talk {
  stt: Stt;
  spoken: readonly Spoken[];
  detection: VoiceActivityDetection;
  seconds: number;
  random: Random;
  /** The callers do not speak in step. */
  delayMs: number;
}

/** One call, at the pace of speech: utterances with pauses, and when the final of each came. */
async function talk({ stt, spoken, detection, seconds, random, delayMs }: Talk): Promise<Measured[]> {
  const abortController = new AbortController();
  const stream = stt.open({ language: "en-US", rateHz: CARRIER_RATE_HZ }, abortController.signal);
  const pending: { endMs: number; lastLoudMs: number; lengthMs: number }[] = [];
  const measured: Measured[] = [];
  const reading = (async () => {
    for await (const event of stream.events) {
      if (event.kind !== "final") continue;
      const utterance = pending.shift();
      if (utterance === undefined) throw new Error("a final came before the end of its utterance");
      const nowMs = performance.now();
      const { lengthMs, endMs, lastLoudMs } = utterance;
      const lateMs = event.lateMs ?? 0;
      measured.push({ lengthMs, fromEndMs: nowMs - endMs, fromLastVoicedMs: nowMs - lastLoudMs, lateMs });
    }
  })();
  const detector = detection.open(CARRIER_RATE_HZ);
  const segmenter = new SpeechSegmenter({ ...DEFAULT_SEGMENTATION, ...detection.onset });
  const activity = new StreamActivity();
  const startMs = performance.now() + delayMs;
  let lastLoudMs = Number.NaN;
  let firstLoudMs = Number.NaN;
  let frames = 0;
  for (const { samples, level } of tape(spoken, seconds, random)) {
    const atMs = frames * FRAME_MS;
    frames += 1;
    await until(startMs + atMs);
    segmenter.frame(detector.isSpeech(samples), mediaMs(atMs), callMs(atMs));
    activity.frame(segmenter);
    if (rmsOf(samples) > level) {
      lastLoudMs = performance.now();
      if (Number.isNaN(firstLoudMs)) firstLoudMs = lastLoudMs;
    }
    if (activity.edge === "ended") {
      pending.push({ endMs: performance.now(), lastLoudMs, lengthMs: lastLoudMs - firstLoudMs });
      firstLoudMs = Number.NaN;
    }
    stream.write(samples, activity);
  }
  for (const endMs = performance.now() + WAIT_MS; pending.length > 0 && performance.now() < endMs; ) {
    await until(performance.now() + 100);
  }
  abortController.abort();
  await reading;
  detector.destroy();
  if (pending.length > 0) throw new Error(`${pending.length} finals never came`);
  return measured;
}

/** The frames of a call: utterances in random order, with silence before each and after the last. */
function* tape(spoken: readonly Spoken[], seconds: number, random: Random): Generator<Spoken> {
  const silence = { samples: new Int16Array(CARRIER_FRAME_SAMPLES), level: 1 };
  const pause = function* (): Generator<Spoken> {
    const [min, max] = LISTENS_MS;
    const ms = min + random.next() * (max - min);
    for (let at = 0; at < ms; at += FRAME_MS) yield silence;
  };
  for (let frames = 0; frames < (seconds * 1_000) / FRAME_MS; ) {
    for (const frame of pause()) {
      frames += 1;
      yield frame;
    }
    const { samples, level } = spoken[Math.floor(random.next() * spoken.length)] as Spoken;
    for (let at = 0; at + CARRIER_FRAME_SAMPLES <= samples.length; at += CARRIER_FRAME_SAMPLES) {
      frames += 1;
      yield { samples: samples.subarray(at, at + CARRIER_FRAME_SAMPLES), level };
    }
  }
  yield* pause();
}

const until = (atMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, atMs - performance.now()));
  });

/** The figures of finals of utterances of 2 to 7 s. */
function figuresOf(all: readonly Measured[]): Pick<LoadStep, "finals" | "late" | "fromEnd" | "fromLastVoiced"> {
  const measured = all.filter(({ lengthMs }) => isOfLength(lengthMs));
  return {
    finals: measured.length,
    late: measured.filter(({ lateMs }) => lateMs > 0).length,
    fromEnd: spreadOf(Float32Array.from(measured, ({ fromEndMs }) => fromEndMs)),
    fromLastVoiced: spreadOf(Float32Array.from(measured, ({ fromLastVoicedMs }) => fromLastVoicedMs)),
  };
}

const interimsOf = (outcomes: ReadonlyMap<string, number>): Pick<LoadStep, "interims" | "interimsDropped"> => ({
  interims: outcomes.get("interim done") ?? 0,
  interimsDropped: outcomes.get("interim dropped") ?? 0,
});
