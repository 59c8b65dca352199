import alawmulaw from "alawmulaw";
import { CARRIER_FRAME_SAMPLES } from "../../src/core/limits.ts";
import { createCarrierA } from "../../src/wire/carrier-a.ts";
import { heapBytesPerRun } from "../../test/support/heap.ts";
import { inboundAudio } from "../../test/support/inbound-audio.ts";
import { fixtureLines } from "../../test/support/mutate.ts";
import { type Contest, compare } from "./paired.ts";

// Question: what do carrier_a's fast paths save per 20 ms frame, against the way every gateway begins with?
// Budget: decode at least 4 times as fast, encode at least 8 times, and no heap.

export interface Measurement {
  name: string;
  ratio: number;
  ratioMin: number;
  oursNs: number;
  plainNs: number;
  oursHeapBytes: number;
  plainHeapBytes: number;
}

// What allocates nothing is measured over more frames, so that the measure's own grain vanishes.
const OURS_HEAP_RUNS = 1_000;
const PLAIN_HEAP_RUNS = 200;

/** `runs` frames a round. */
export function measureCarrierA(runs: number): Measurement[] {
  return [
    { ratioMin: 4, ...measure(decoding(), runs) },
    { ratioMin: 8, ...measure(encoding(), runs) },
  ];
}

function measure(contest: Contest, runs: number) {
  return {
    name: contest.name,
    ...compare(contest, runs),
    oursHeapBytes: heapBytesPerRun(contest.ours, OURS_HEAP_RUNS),
    plainHeapBytes: heapBytesPerRun(contest.plain, PLAIN_HEAP_RUNS),
  };
}

/** Results go here, so that no compiler can leave the work out. */
let sink = 0;

function decoding(): Contest {
  const { wire, into, frames } = started();
  let turn = 0;
  return {
    name: "carrier_a decode",
    ours() {
      turn = (turn + 1) % frames.length;
      wire.decode(frames[turn] as Buffer, into);
      sink += into.samples[into.count - 1] as number;
    },
    plain() {
      turn = (turn + 1) % frames.length;
      const message = JSON.parse((frames[turn] as Buffer).toString("utf8"));
      const samples = alawmulaw.mulaw.decode(Buffer.from(message.media.payload, "base64"));
      sink += (samples[samples.length - 1] as number) + Number(message.media.timestamp);
    },
  };
}

function encoding(): Contest {
  const { wire, streamSid, into, frames } = started();
  const inputs = frames.map((frame) => {
    wire.decode(frame, into);
    return into.samples.slice(0, CARRIER_FRAME_SAMPLES);
  });
  const bytes = new Uint8Array(CARRIER_FRAME_SAMPLES);
  let turn = 0;
  return {
    name: "carrier_a encode",
    ours() {
      turn = (turn + 1) % inputs.length;
      sink += wire.encodeAudio(inputs[turn] as Int16Array, bytes)[100] as number;
    },
    plain() {
      turn = (turn + 1) % inputs.length;
      const payload = Buffer.from(alawmulaw.mulaw.encode(inputs[turn] as Int16Array)).toString("base64");
      sink += JSON.stringify({ event: "media", streamSid, media: { payload } }).length;
    },
  };
}

/** A wire that has seen its start, and frames of 20 ms for it. */
function started() {
  const lines = fixtureLines("wire/carrier_a.jsonl");
  const wire = createCarrierA();
  const into = inboundAudio();
  const start = wire.decode(Buffer.from(lines[1] as string), into);
  const frames = lines
    .filter((line) => line.includes('"track":"inbound"'))
    .map((line) => Buffer.from(line))
    .filter((frame) => wire.decode(frame, into).kind === "audio" && into.count === CARRIER_FRAME_SAMPLES);
  return { wire, into, frames, streamSid: start.kind === "start" ? start.streamId : "" };
}

/** What the sink has come to: printed, it is used. */
export const checksum = (): number => sink;
