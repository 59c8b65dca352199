import alawmulaw from "alawmulaw";
import { CARRIER_FRAME_SAMPLES } from "../../src/core/limits.ts";
import { createCarrierA } from "../../src/wire/carrier-a.ts";
import { heapBytesPerRun } from "../../test/support/heap.ts";
import { inboundAudio } from "../../test/support/inbound-audio.ts";
import { median } from "../statistics.ts";
import { StreamTexts } from "../stream-texts.ts";
import type { Comparison } from "./frame-result.ts";
import { ratioOf, timeRounds } from "./timing.ts";

// Question: what do carrier_a's fast paths save per 20 ms frame, against the way every gateway begins with?
// Budget: decode at least 4 times as fast, encode at least 8 times, and no heap.

/** Two ways to do the same thing. */
interface Contest {
  name: Comparison["name"];
  ratioMin: number;
  ours: () => void;
  plain: () => void;
}

// What allocates nothing is measured over more frames, so that the measure's own grain vanishes.
const OURS_HEAP_RUNS = 1_000;
const PLAIN_HEAP_RUNS = 200;
/** More than lie in a processor's nearest memory, as with many calls at once. */
const FRAMES = 500;

/** `audio` is raw mu-law, 8,000 Hz; `runs` frames a round. */
export function compareCarrierA(audio: Uint8Array, runs: number): Comparison[] {
  return [decoding(audio), encoding(audio)].map(({ name, ratioMin, ours, plain }) => {
    const [oursNs, plainNs] = timeRounds([ours, plain], runs) as [number[], number[]];
    return {
      name,
      ratioMin,
      ratio: ratioOf(plainNs, oursNs),
      oursNs: median(oursNs),
      plainNs: median(plainNs),
      oursHeapBytes: heapBytesPerRun(ours, OURS_HEAP_RUNS),
      plainHeapBytes: heapBytesPerRun(plain, PLAIN_HEAP_RUNS),
    };
  });
}

/** The plain ways alone, to put beside whatever else is measured: one frame a call. */
export const plainWays = (audio: Uint8Array): Record<"in" | "out", () => void> => ({
  in: decoding(audio).plain,
  out: encoding(audio).plain,
});

/** Results go here, so that no compiler can leave the work out. A small integer always: any other number would be on the heap. */
let sink = 0;

function use(value: number): void {
  sink = (sink + value) | 0;
}

function decoding(audio: Uint8Array): Contest {
  const { wire, into, frames } = started(audio);
  let turn = 0;
  return {
    name: "decode",
    ratioMin: 4,
    ours() {
      turn = (turn + 1) % frames.length;
      wire.decode(frames[turn] as Buffer, into);
      use(into.samples[into.count - 1] as number);
    },
    plain() {
      turn = (turn + 1) % frames.length;
      const message = JSON.parse((frames[turn] as Buffer).toString("utf8"));
      const samples = alawmulaw.mulaw.decode(Buffer.from(message.media.payload, "base64"));
      use((samples[samples.length - 1] as number) + Number(message.media.timestamp));
    },
  };
}

function encoding(audio: Uint8Array): Contest {
  const { wire, streamSid, into, frames } = started(audio);
  const inputs = frames.map((frame) => {
    wire.decode(frame, into);
    return into.samples.slice(0, CARRIER_FRAME_SAMPLES);
  });
  const bytes = new Uint8Array(CARRIER_FRAME_SAMPLES);
  let turn = 0;
  return {
    name: "encode",
    ratioMin: 8,
    ours() {
      turn = (turn + 1) % inputs.length;
      use(wire.encodeAudio(inputs[turn] as Int16Array, bytes)[100] as number);
    },
    plain() {
      turn = (turn + 1) % inputs.length;
      const payload = Buffer.from(alawmulaw.mulaw.encode(inputs[turn] as Int16Array)).toString("base64");
      use(JSON.stringify({ event: "media", streamSid, media: { payload } }).length);
    },
  };
}

/** A wire that has seen its start, and messages of 20 ms for it. */
function started(audio: Uint8Array) {
  const texts = new StreamTexts(audio);
  const wire = createCarrierA();
  const into = inboundAudio();
  const start = wire.decode(Buffer.from(texts.start()), into);
  const frames = Array.from({ length: FRAMES }, () => Buffer.from(texts.media()));
  return { wire, into, frames, streamSid: start.kind === "start" ? start.streamId : "" };
}

/** What the sink has come to: printed, it is used. */
export const checksum = (): number => sink;
