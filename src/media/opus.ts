import { strict as assert } from "node:assert";
import type { NativeOpus, OpusPackage } from "@discordjs/opus";
import { STREAM_RATES_HZ, type StreamRateHz } from "../core/call-spec.ts";
import { unavailable, wireMalformed } from "../core/errors.ts";
import { FRAME_MS, OPUS_PACKET_BYTES_MAX, OPUS_PACKET_MS_MAX } from "../core/limits.ts";
import { pcmBytes } from "./frame-codec.ts";

/** Turns the Opus packets of one stream into samples. One per stream: what it heard before matters. */
export interface OpusDecoder {
  /**
   * Decodes one packet, mono or stereo, into the first samples of `into` and returns how many they are, 2.5 ms to
   * OPUS_PACKET_MS_MAX; there must be room for the most. Reads the packet and keeps nothing of it. Throws `wire_malformed`,
   * after which the stream may go on.
   */
  decode(packet: Uint8Array, into: Int16Array): number;
}

/** Turns the frames of one stream into Opus packets. One per stream: what it was given before matters. */
export interface OpusEncoder {
  /**
   * Takes one frame of FRAME_MS at the encoder's rate; reads it and keeps nothing. Returns its packet, one Opus frame of at
   * most OPUS_PACKET_BYTES_MAX bytes, the caller's to keep.
   */
  encode(samples: Int16Array): Uint8Array;
}

/** The rates of the bus, in Hz: Opus decodes to them whatever rate its packets were made at. */
export type OpusDecoderRateHz = 8_000 | 16_000;

/** Makes decoders and encoders. They are given back by being forgotten. Throws `unavailable` when there is no memory for one. */
export interface OpusCodecs {
  decoder(rateHz: OpusDecoderRateHz): OpusDecoder;
  encoder(rateHz: StreamRateHz): OpusEncoder;
}

/** Loads Opus, once per process; undefined when its optional package is not installed, or not for this version of Node. */
export async function loadOpus(
  importPackage: () => Promise<{ default: OpusPackage }> = () => import("@discordjs/opus"),
): Promise<OpusCodecs | undefined> {
  let native: OpusPackage;
  try {
    native = (await importPackage()).default;
  } catch (error) {
    if (NOT_INSTALLED.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  return {
    decoder: (rateHz) => new Decoder(native, rateHz),
    encoder: (rateHz) => new Encoder(native, rateHz),
  };
}

/** The package, its binary for this Node, and what the binary is linked to: each may be missing. */
const NOT_INSTALLED: ReadonlySet<string> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "ERR_DLOPEN_FAILED"]);

const MONO = 1;

// `opus_defines.h`: controls that set a value, and their values.
const SET_APPLICATION = 4_000;
const APPLICATION_VOIP = 2_048;
const SET_BITRATE = 4_002;
const SET_COMPLEXITY = 4_010;
const SET_SIGNAL = 4_024;
const SIGNAL_MUSIC = 3_002;
const SET_GAIN = 4_034;

/**
 * What our own packets are like. Opus has two coders. Told that it gets music it takes the one that follows the waveform, which
 * above 8 kHz costs half of what the other does and, at this bitrate, keeps the words that the reference voice carries
 * (word-carrier.ts): all of them at every rate, where at 8 kHz the coder of speech lost one in 200 at any bitrate. RFC 6716,
 * section 2.1.1, has this bitrate for music, and less for speech. Over TCP nothing is lost, so nothing is sent twice (FEC).
 */
const COMPLEXITY = 5;
const BITRATE_BPS = 48_000;

class Decoder implements OpusDecoder {
  readonly #native: NativeOpus;
  readonly #samplesMax: number;

  constructor(native: OpusPackage, rateHz: OpusDecoderRateHz) {
    assert.ok(rateHz === 8_000 || rateHz === 16_000, "a rate of the bus");
    this.#samplesMax = (rateHz / 1_000) * OPUS_PACKET_MS_MAX;
    this.#native = open(native, rateHz, (decoder) => decoder.applyDecoderCTL(SET_GAIN, 0));
  }

  decode(packet: Uint8Array, into: Int16Array): number {
    assert.ok(into.length >= this.#samplesMax, "room for the longest packet");
    checkPacket(packet);
    let pcm: Uint8Array;
    try {
      pcm = this.#native.decode(packet);
    } catch {
      throw wireMalformed("websocket", "an Opus packet that cannot be decoded");
    }
    pcmBytes(into).set(pcm);
    return pcm.length / Int16Array.BYTES_PER_ELEMENT;
  }
}

class Encoder implements OpusEncoder {
  readonly #native: NativeOpus;
  readonly #frameSamples: number;

  constructor(native: OpusPackage, rateHz: StreamRateHz) {
    assert.ok(STREAM_RATES_HZ.includes(rateHz), "a rate that Opus has");
    this.#frameSamples = (rateHz / 1_000) * FRAME_MS;
    this.#native = open(native, rateHz, (encoder) => {
      encoder.applyEncoderCTL(SET_APPLICATION, APPLICATION_VOIP);
      encoder.applyEncoderCTL(SET_COMPLEXITY, COMPLEXITY);
      encoder.applyEncoderCTL(SET_SIGNAL, SIGNAL_MUSIC);
      encoder.applyEncoderCTL(SET_BITRATE, BITRATE_BPS);
    });
  }

  encode(samples: Int16Array): Uint8Array {
    // The library would end the process over any other length, one of a buffer that was handed over (0) included.
    assert.equal(samples.length, this.#frameSamples, "one frame at the encoder's own rate");
    return this.#native.encode(pcmBytes(samples));
  }
}

/** Makes the library's object and, by the first control, what is behind it: later it would fail in the middle of a stream. */
function open({ OpusEncoder }: OpusPackage, rateHz: number, control: (native: NativeOpus) => void): NativeOpus {
  const native = new OpusEncoder(rateHz, MONO);
  try {
    control(native);
  } catch (error) {
    throw unavailable("no memory for another Opus stream", error);
  }
  return native;
}

const SILK_FRAME_MS = [10, 20, 40, 60] as const;
const HYBRID_FRAME_MS = [10, 20] as const;
const CELT_FRAME_MS = [2.5, 5, 10, 20] as const;
/** RFC 6716, section 3.1: how long a frame is in each of the 32 configurations, which are the upper bits of the first byte. */
const FRAME_MS_OF_CONFIGURATION: readonly number[] = [
  ...[SILK_FRAME_MS, SILK_FRAME_MS, SILK_FRAME_MS].flat(),
  ...[HYBRID_FRAME_MS, HYBRID_FRAME_MS].flat(),
  ...[CELT_FRAME_MS, CELT_FRAME_MS, CELT_FRAME_MS, CELT_FRAME_MS].flat(),
];
assert.equal(FRAME_MS_OF_CONFIGURATION.length, 32);

/**
 * Refuses what the library must not see: an empty packet, which it takes for a lost one and makes up 5,760 samples for, and
 * more audio or more bytes than a packet may have. What else may be wrong in a packet the library finds itself.
 */
function checkPacket(packet: Uint8Array): void {
  if (packet.length === 0) throw wireMalformed("websocket", "an empty Opus packet");
  if (packet.length > OPUS_PACKET_BYTES_MAX) {
    throw wireMalformed("websocket", `an Opus packet of more than ${OPUS_PACKET_BYTES_MAX} bytes`);
  }
  const frameMs = FRAME_MS_OF_CONFIGURATION[(packet[0] as number) >> 3] as number;
  const packetMs = frameMs * frameCount(packet);
  if (packetMs === 0) throw wireMalformed("websocket", "an Opus packet without frames");
  if (packetMs > OPUS_PACKET_MS_MAX) {
    throw wireMalformed("websocket", `an Opus packet of more than ${OPUS_PACKET_MS_MAX} ms`);
  }
}

/** RFC 6716, section 3.2: the lowest bits of the first byte say 1 frame, 2, 2, or as many as the second byte says. */
function frameCount(packet: Uint8Array): number {
  switch ((packet[0] as number) & 0b11) {
    case 0:
      return 1;
    case 3:
      return (packet[1] ?? 0) & 0b11_1111;
    default:
      return 2;
  }
}
