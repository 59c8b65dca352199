import { Call } from "../../src/call/call.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { createTwilioWire } from "../../src/carriers/twilio/wire.ts";
import { addMs, callMs, mediaMs, millisecondsOf } from "../../src/core/clocks.ts";
import { asTurnId } from "../../src/core/ids.ts";
import {
  CARRIER_FRAME_SAMPLES,
  CARRIER_RATE_HZ,
  FRAME_MS,
  OUTPUT_RING_FRAMES_MAX,
} from "../../src/core/limits/streams/media.ts";
import { FrameEncoder } from "../../src/media/frame-codec.ts";
import { FrameRing } from "../../src/media/frame-ring.ts";
import { Framer, type FramerInput } from "../../src/media/framer.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { SILERO_CHUNK_SAMPLES, type Silero } from "../../src/media/voice-activity/silero/silero.ts";
import { JournalEncoder } from "../../src/record/journal/format.ts";
import { WatermarkDecoder } from "../../src/speech/reference/watermark/decoder.ts";
import { inboundAudio } from "../../test/support/audio/inbound-audio.ts";
import { heapBytesPerRun } from "../../test/support/heap.ts";
import { BENCH_SPEC } from "../harness/call-spec.ts";
import { median } from "../harness/statistics.ts";
import { CarrierMessages } from "./carrier-messages.ts";
import { plainWays } from "./carriers.ts";
import { Cycle } from "./cycle.ts";
import { detectorStages } from "./detectors.ts";
import type { StageCost } from "./result.ts";
import { ratioOf, timeRounds } from "./timing.ts";

// Question: where does the time of a frame go on its way through the gateway, each stage by itself?

interface Stage {
  name: string;
  way: StageCost["way"];
  task: () => void;
  /** Fewer for what allocates a lot, or the collector would run in most windows. */
  heapRuns?: number;
}

const FRAMES = 500;
const HEAP_RUNS = 1_000;
/** A writer's buffer is emptied four times a second. */
const JOURNAL_BYTES_MAX = 4_096;
const TURN = asTurnId(1);
const STT_SILENCE_MS = 250;
/** A time that goes on by frames. In memory of its own: a variable that closures share would be on the heap anew each time. */
class FrameClock {
  /** Times in the service are never whole numbers, and those that are would cost less. */
  readonly #nowMs = Float64Array.of(0.25);

  tick(): number {
    const nowMs = (this.#nowMs[0] as number) + FRAME_MS;
    this.#nowMs[0] = nowMs;
    return nowMs;
  }
}

/** `audio` is raw mu-law, 8,000 Hz: what a caller says. */
export function measureStages(
  audio: Uint8Array,
  detections: { fvad: VoiceActivityDetection; twoStage: VoiceActivityDetection },
  silero: Silero,
): StageCost[] {
  const speech = received(audio).decoded.map(({ samples }) => samples);
  const detectors = detectorStages(speech, detections);
  const stages = [...inbound(audio, detections.fvad), ...outbound(audio), ...extra(audio, silero), ...detectors];
  const plain = plainWays(audio);
  const tasks = stages.map(({ task }) => task);
  const times = timeRounds([plain.in, plain.out, ...tasks]);
  const [plainInNs, plainOutNs, ...ownNs] = times as [number[], number[], ...number[][]];
  return stages.map(({ name, way, task, heapRuns = HEAP_RUNS }: Stage, at) => {
    const ns = ownNs[at] as number[];
    const ofPlain = ratioOf(ns, way === "out" ? plainOutNs : plainInNs);
    return { name, way, ns: median(ns), ofPlain, heapBytes: heapBytesPerRun(task, heapRuns) };
  });
}

function inbound(audio: Uint8Array, voiceActivity: VoiceActivityDetection): Stage[] {
  const { wire, into, messages, decoded } = received(audio);
  const framer = new Framer({
    frameSamples: CARRIER_FRAME_SAMPLES,
    rateHz: CARRIER_RATE_HZ,
    codec: "mulaw",
    startMs: callMs(0),
  });
  const vad = voiceActivity.open(CARRIER_RATE_HZ);
  const call = speakingCall();
  const event = { kind: "frame-in" as const, isSpeech: false, mediaMs: mediaMs(0) };
  const journal = new JournalEncoder();
  const frames = new Cycle(decoded);
  const bytes = new Cycle(messages);
  const pushed = new FrameClock();
  const heard = new FrameClock();
  return [
    { name: "decode the message", way: "in", task: () => void wire.decode(bytes.next(), into) },
    {
      name: "cut into frames",
      way: "in",
      task() {
        framer.push(frames.next(), callMs(pushed.tick()));
        while (framer.next());
      },
    },
    { name: "detect speech", way: "in", task: () => void vad.isSpeech(frames.next().samples) },
    {
      name: "journal the frame",
      way: "in",
      task() {
        if (journal.length > JOURNAL_BYTES_MAX) journal.reset();
        journal.frameIn(callMs(12.25), mediaMs(12.25), false, undefined, false);
      },
    },
    {
      name: "call.handle",
      way: "in",
      task() {
        event.mediaMs = addMs(event.mediaMs, FRAME_MS);
        // Voiced and not, some words' length each.
        event.isSpeech = millisecondsOf(event.mediaMs) % 2_000 < 1_000;
        call.handle(event, callMs(heard.tick()));
      },
    },
  ];
}

function outbound(audio: Uint8Array): Stage[] {
  const { wire, decoded } = received(audio);
  const ring = new FrameRing(OUTPUT_RING_FRAMES_MAX, CARRIER_FRAME_SAMPLES);
  const call = speakingCall();
  const event = { kind: "frame-out" as const, turnId: TURN, samples: CARRIER_FRAME_SAMPLES };
  const journal = new JournalEncoder();
  const frames = new Cycle(decoded);
  const frame = new FrameEncoder(wire.outboundCodec, CARRIER_FRAME_SAMPLES);
  const sent = new FrameClock();
  return [
    {
      name: "encode, into the ring and out",
      way: "out",
      task() {
        frame.samples.set(frames.next().samples);
        ring.push(frame.encode(), TURN);
        ring.shift();
      },
    },
    { name: "make the message", way: "out", task: () => void wire.encodeAudio(frames.next().bytes) },
    {
      name: "journal the frame",
      way: "out",
      task() {
        if (journal.length > JOURNAL_BYTES_MAX) journal.reset();
        journal.frameOut(callMs(12.25), TURN, CARRIER_FRAME_SAMPLES, undefined, false);
      },
    },
    {
      name: "call.handle",
      way: "out",
      task() {
        call.handle(event, callMs(sent.tick()));
      },
    },
  ];
}

function extra(audio: Uint8Array, silero: Silero): Stage[] {
  const { decoded } = received(audio);
  const chunks = new Cycle(chunksOf(decoded));
  const stream = silero.open();
  const journal = new JournalEncoder();
  const frames = new Cycle(decoded);
  const decoder = new WatermarkDecoder(CARRIER_RATE_HZ, STT_SILENCE_MS, { onWord() {}, onQuiet() {} });
  return [
    {
      name: "journal a frame with its audio",
      way: "extra",
      task() {
        if (journal.length > JOURNAL_BYTES_MAX) journal.reset();
        journal.frameIn(callMs(0), mediaMs(0), false, frames.next().bytes, false);
      },
    },
    {
      name: "find words, as the reference STT does",
      way: "extra",
      task: () => decoder.write(frames.next().samples),
      heapRuns: 100,
    },
    {
      name: "the neural network of the speech detection, for a chunk of 32 ms",
      way: "extra",
      task: () => void stream.probability(chunks.next()),
      heapRuns: 200,
    },
  ];
}

/** The frames' audio in chunks of the network's length. */
function chunksOf(frames: readonly FramerInput[]): Int16Array[] {
  const all = Int16Array.from(frames.flatMap(({ samples }) => [...samples]));
  return Array.from({ length: Math.floor(all.length / SILERO_CHUNK_SAMPLES) }, (_, i) =>
    all.slice(i * SILERO_CHUNK_SAMPLES, (i + 1) * SILERO_CHUNK_SAMPLES),
  );
}

/** A wire that has seen its start, messages of 20 ms for it, and what they hold. */
function received(audio: Uint8Array) {
  const texts = new CarrierMessages(audio);
  const wire = createTwilioWire();
  const into = inboundAudio();
  wire.decode(Buffer.from(texts.start()), into);
  const messages = Array.from({ length: FRAMES }, () => Buffer.from(texts.media()));
  const decoded = messages.map((message): FramerInput => {
    wire.decode(message, into);
    const { count, timestampMs } = into;
    return { bytes: into.bytes.slice(0, count), samples: into.samples.slice(0, count), count, timestampMs };
  });
  return { wire, into, messages, decoded };
}

/** A call whose agent speaks, and goes on speaking. */
function speakingCall(): Call {
  const call = new Call({
    spec: BENCH_SPEC,
    rateHz: CARRIER_RATE_HZ,
    sttHasInterim: true,
    parameters: DEFAULT_TURN_PARAMETERS,
    sink: () => {},
  });
  call.handle({ kind: "leg-started", codec: "mulaw" }, callMs(0));
  call.handle({ kind: "segment-audio", turnId: TURN, segment: 0, samples: 0, words: [] }, callMs(0));
  call.handle({ kind: "frame-out", turnId: TURN, samples: CARRIER_FRAME_SAMPLES }, callMs(0));
  return call;
}
