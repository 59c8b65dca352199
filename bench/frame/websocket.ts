import alawmulaw from "alawmulaw";
import { createDecoder, createEncoder } from "libopus-wasm";
import { STREAM_RATES_HZ, type StreamCodec, type StreamFormat, type StreamRateHz } from "../../src/core/calls/spec.ts";
import { asCallId } from "../../src/core/ids.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { FrameEncoder } from "../../src/media/frame-codec.ts";
import type { G711Codec } from "../../src/media/g711.ts";
import type { OpusCodecs } from "../../src/media/opus/codecs.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import { createWebsocketWire } from "../../src/wire/websocket/wire.ts";
import type { Wire } from "../../src/wire/wire.ts";
import { inboundAudio } from "../../test/support/audio/inbound-audio.ts";
import { speechOf } from "./carriers.ts";
import { type Contest, FRAMES, use } from "./contest.ts";
import { Cycle } from "./cycle.ts";

// Question: what does a frame cost on a leg of connectionType websocket, in each codec at each rate, against what one would write
// first: fresh arrays for PCM, alawmulaw for G.711, and for Opus the library by itself.
// Budget: no heap, but for Opus: the native library returns buffers of its own, and WebAssembly a view for each packet.

/** The least that a plain way does, by codec: takes one message, or one frame, and gives the other. */
interface PlainCodec {
  decode(message: Uint8Array): Int16Array;
  encode(frame: Int16Array): Uint8Array;
}

/** `audio` is raw mu-law, 8,000 Hz: what both sides say. `opus` holds one of each library that there is, at least one. */
export async function websocketContests(
  audio: Uint8Array,
  makeResampler: ResamplerFactory,
  opus: readonly [OpusCodecs, ...OpusCodecs[]],
): Promise<Contest[]> {
  const speech = speechOf(audio);
  const rates = STREAM_RATES_HZ;
  const at = (rateHz: StreamRateHz): Int16Array[] => framesOf(speech, rateHz, makeResampler);
  const contests = rates.flatMap((rateHz) => contestsOf("pcm_s16le", rateHz, at(rateHz), PLAIN_PCM, opus[0]));
  for (const law of ["mulaw", "alaw"] as const) {
    contests.push(...contestsOf(law, CARRIER_RATE_HZ, at(CARRIER_RATE_HZ), plainG711(law), opus[0]));
  }
  for (const codecs of opus) {
    const bareOpus = codecs.implementation === "native" ? bareNativeOpus : bareWasmOpus;
    for (const rateHz of rates) {
      contests.push(...contestsOf("opus", rateHz, at(rateHz), await bareOpus(rateHz), codecs));
    }
  }
  return contests;
}

function contestsOf(
  codec: StreamCodec,
  rateHz: StreamRateHz,
  frames: readonly Int16Array[],
  plain: PlainCodec,
  opus: OpusCodecs,
): Contest[] {
  const format: StreamFormat = { codec, inputRateHz: rateHz, outputRateHz: rateHz };
  const makeWire = (): Wire => createWebsocketWire({ format, callId: asCallId("call_bench"), opus });
  const name = codec === "opus" ? `opus (${opus.implementation})` : codec;
  const title = { wire: `websocket, ${name}, ${rateHz / 1_000} kHz`, ratioMin: undefined, native: codec === "opus" };
  const into = inboundAudio();
  const sender = makeWire();
  const frame = new FrameEncoder(sender.outboundCodec, (frames[0] as Int16Array).length);
  // Each in memory of its own, as the socket delivers them.
  const messageOf = (samples: Int16Array): Uint8Array => {
    frame.samples.set(samples);
    return sender.encodeAudio(frame.encode());
  };
  const messages = frames.map((frame) => messageOf(frame).slice());
  const receiver = makeWire();
  const [oursIn, plainIn, oursOut, plainOut] = [
    new Cycle(messages),
    new Cycle(messages),
    new Cycle(frames),
    new Cycle(frames),
  ] as const;
  return [
    {
      ...title,
      name: "decode",
      rateHz: receiver.inboundRateHz,
      ours() {
        receiver.decode(oursIn.next(), into, true);
        use(into.samples[into.count - 1] as number);
      },
      plain: () => use(plain.decode(plainIn.next())[100] as number),
    },
    {
      ...title,
      name: "encode",
      rateHz,
      ours: () => use(messageOf(oursOut.next())[10] as number),
      plain: () => use(plain.encode(plainOut.next())[10] as number),
    },
  ];
}

const PLAIN_PCM: PlainCodec = {
  decode: ({ buffer, byteOffset, byteLength }) => new Int16Array(buffer.slice(byteOffset, byteOffset + byteLength)),
  encode: ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength)),
};

const plainG711 = (codec: G711Codec): PlainCodec => ({
  decode: (message) => alawmulaw[codec].decode(message),
  encode: (frame) => alawmulaw[codec].encode(frame),
});

/** The library as it comes, with the settings that it comes with. It decodes to the rate that ours does. */
async function bareNativeOpus(rateHz: StreamRateHz): Promise<PlainCodec> {
  const { OpusEncoder } = (await import("@discordjs/opus")).default;
  const encoder = new OpusEncoder(rateHz, 1);
  const decoder = new OpusEncoder(Math.min(rateHz, 16_000), 1);
  return {
    decode(message) {
      const pcm = decoder.decode(message);
      return new Int16Array(pcm.buffer, pcm.byteOffset, pcm.byteLength / 2);
    },
    encode: (frame) => encoder.encode(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)),
  };
}

/** The same of the WebAssembly library, by the classes that its package exports. */
async function bareWasmOpus(rateHz: StreamRateHz): Promise<PlainCodec> {
  const encoder = await createEncoder({ channels: 1, sampleRate: rateHz });
  const decoder = await createDecoder({ channels: 1, sampleRate: rateHz === 8_000 ? 8_000 : 16_000 });
  return { decode: (message) => decoder.decode(message), encode: (frame) => encoder.encode(frame) };
}

/** FRAMES frames of `speech`, said over and over, at another rate. */
function framesOf(speech: Int16Array, rateHz: StreamRateHz, makeResampler: ResamplerFactory): Int16Array[] {
  const samples = rateHz === CARRIER_RATE_HZ ? speech : resampled(speech, makeResampler(CARRIER_RATE_HZ, rateHz));
  const frameSamples = (rateHz / 1_000) * FRAME_MS;
  const count = Math.floor(samples.length / frameSamples);
  return Array.from({ length: FRAMES }, (_, at) => {
    const from = (at % count) * frameSamples;
    return samples.slice(from, from + frameSamples);
  });
}

function resampled(samples: Int16Array, resampler: ReturnType<ResamplerFactory>): Int16Array {
  const whole = [...resampler.process(samples), ...resampler.flush()];
  resampler.destroy();
  return Int16Array.from(whole);
}
