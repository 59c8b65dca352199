import { strict as assert } from "node:assert";
import alawmulaw from "alawmulaw";
import type { CarrierDescriptor, SimulateCarrier } from "../../src/carriers/descriptor.ts";
import { CARRIERS } from "../../src/carriers/list.ts";
import { epochMs, monotonicMs } from "../../src/core/clocks.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { FrameEncoder } from "../../src/media/frame-codec.ts";
import { G711_LAWS, type G711Codec, MU_LAW } from "../../src/media/g711.ts";
import { inboundAudio } from "../../test/support/audio/inbound-audio.ts";
import { type Contest, FRAMES, use } from "./contest.ts";
import { Cycle } from "./cycle.ts";

// Question: what do the carriers' fast paths save per 20 ms frame, against the way every gateway begins with?
// Budget: decode at least 4 times as fast, encode at least 8 times, and no heap.

const DECODE_RATIO_MIN = 4;
const ENCODE_RATIO_MIN = 8;

/** One carrier, in one law both ways. */
interface BenchCarrier {
  title: string;
  codec: G711Codec;
  createWire: CarrierDescriptor["createWire"];
  simulate: SimulateCarrier;
}

const LAWS: readonly G711Codec[] = ["mulaw", "alaw"];

const LINES: readonly BenchCarrier[] = (
  await Promise.all(
    CARRIERS.map(async ({ connectionType, outboundCodec, createWire, loadSimulated }) => {
      const line = { title: connectionType, codec: "mulaw", createWire, simulate: await loadSimulated() } as const;
      if (outboundCodec === undefined) return [line];
      return LAWS.map((codec) => ({
        ...line,
        title: `${connectionType}, ${codec === "alaw" ? "A-law" : "mu-law"}`,
        codec,
      }));
    }),
  )
).flat();

/** `audio` is raw mu-law, 8,000 Hz: what the caller says. */
export function carrierContests(audio: Uint8Array): Contest[] {
  const speech = speechOf(audio);
  return LINES.flatMap((line) => [decoding(line, speech), encoding(line, speech)]);
}

/** The plain ways of carrier_a alone, to compare with everything else that is measured: one frame a call. */
export function plainWays(audio: Uint8Array): Record<"in" | "out", () => void> {
  const speech = speechOf(audio);
  const line = LINES.find(({ title }) => title === "carrier_a");
  assert.ok(line !== undefined, "carrier_a has one codec");
  return { in: decoding(line, speech).plain, out: encoding(line, speech).plain };
}

/** The samples of raw mu-law. */
export const speechOf = (audio: Uint8Array): Int16Array =>
  Int16Array.from(audio, (code) => MU_LAW.decodeTable[code] as number);

function decoding(line: BenchCarrier, speech: Int16Array): Contest {
  const { wire, into, messages } = started(line, speech);
  const ours = new Cycle(messages);
  const plain = new Cycle(messages);
  const law = alawmulaw[line.codec];
  return {
    wire: line.title,
    name: "decode",
    ratioMin: DECODE_RATIO_MIN,
    native: false,
    rateHz: CARRIER_RATE_HZ,
    ours() {
      wire.decode(ours.next(), into);
      use(into.samples[into.count - 1] as number);
    },
    plain() {
      const message = JSON.parse(plain.next().toString("utf8"));
      const samples = law.decode(Buffer.from(message.media.payload, "base64"));
      use((samples[samples.length - 1] as number) + Number(message.media.chunk));
    },
  };
}

function encoding(line: BenchCarrier, speech: Int16Array): Contest {
  const { wire } = started(line, speech);
  const frames = Array.from({ length: FRAMES }, (_, at) => frameOf(speech, at));
  const ours = new Cycle(frames);
  const plain = new Cycle(frames);
  const law = alawmulaw[line.codec];
  const frame = new FrameEncoder(line.codec, CARRIER_FRAME_SAMPLES);
  const message = (samples: Int16Array): Uint8Array => {
    frame.samples.set(samples);
    return wire.encodeAudio(frame.encode());
  };
  // What is put into JSON.stringify to send audio.
  const plainMessage = JSON.parse(Buffer.from(message(frameOf(speech, 0))).toString());
  return {
    wire: line.title,
    name: "encode",
    ratioMin: ENCODE_RATIO_MIN,
    native: false,
    rateHz: CARRIER_RATE_HZ,
    ours: () => use(message(ours.next())[100] as number),
    plain() {
      plainMessage.media.payload = Buffer.from(law.encode(plain.next())).toString("base64");
      use(JSON.stringify(plainMessage).length);
    },
  };
}

/** The frame `at` of `speech`, which is said over and over. */
function frameOf(speech: Int16Array, at: number): Int16Array {
  const frames = Math.floor(speech.length / CARRIER_FRAME_SAMPLES);
  const from = (at % frames) * CARRIER_FRAME_SAMPLES;
  return speech.subarray(from, from + CARRIER_FRAME_SAMPLES);
}

/** A wire that has seen its start, and messages of 20 ms for it, as the simulated carrier writes them. */
function started(line: BenchCarrier, speech: Int16Array) {
  const wire = line.createWire({ outboundCodec: line.codec });
  const into = inboundAudio();
  const messages: Buffer[] = [];
  for (const text of streamTexts(line, speech)) {
    const message = Buffer.from(text);
    if (wire.decode(message, into).kind === "audio") messages.push(message);
  }
  return { wire, into, messages };
}

/** Everything that the carrier says from the beginning of a stream, with FRAMES frames of `speech`. */
function streamTexts({ codec, simulate }: BenchCarrier, speech: Int16Array): string[] {
  const texts: string[] = [];
  let nowMs = 0;
  let beat = (): void => {};
  let frame = 0;
  const carrier = simulate({
    id: "18ad3ab5a668481ce02b83e7395059f0",
    codecs: { inbound: codec, outbound: codec },
    clock: {
      nowMs: () => monotonicMs(nowMs),
      epochMs: () => epochMs(Date.UTC(2026, 0, 1) + nowMs),
      after: (_, task) => {
        beat = task;
        return () => {};
      },
    },
    send: (message) => void texts.push(message),
    close: () => {},
    microphone: () => {
      frame += 1;
      const { encodeTable } = G711_LAWS[codec];
      return Uint8Array.from(frameOf(speech, frame), (sample) => encodeTable[sample & 0xffff] as number);
    },
    earphone: () => {},
  });
  carrier.start();
  for (let at = 0; at < FRAMES; at += 1) {
    nowMs += FRAME_MS;
    beat();
  }
  return texts;
}
