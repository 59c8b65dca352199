import { strict as assert } from "node:assert";
import { loadLibopusModule } from "../../../src/media/opus/wasm.ts";
import type { Random } from "../random.ts";
import { vowelAt } from "./vowel.ts";

const module = await loadLibopusModule();
const PACKET_BYTES_MAX = 4_000;
/** 60 ms of stereo at 24 kHz. */
const SAMPLES_MAX = 2 * 60 * 24;
const packetAt = module._malloc(PACKET_BYTES_MAX);
const samplesAt = module._malloc(2 * SAMPLES_MAX);
const errorAt = module._malloc(4);

// `opus_defines.h`.
const APPLICATION = { voip: 2_048, audio: 2_049, restrictedLowDelay: 2_051 } as const;
const SET_BITRATE = 4_002;
const SET_VBR = 4_006;
const SET_INBAND_FEC = 4_012;
const SET_PACKET_LOSS_PERCENT = 4_014;
const SET_DTX = 4_016;

/** How some client packs its audio; what is not given is the library's default. */
export interface OpusClient {
  rateHz: 8_000 | 12_000 | 16_000 | 24_000 | 48_000;
  channels: 1 | 2;
  frameMs: 2.5 | 5 | 10 | 20 | 40 | 60;
  application?: keyof typeof APPLICATION;
  bitrateBps?: number;
  constantBitrate?: boolean;
  fec?: boolean;
  dtx?: boolean;
}

/**
 * The packets of one stream: `sampleAt` of the seconds is what both channels carry. Not more than 20 ms of stereo at 48 kHz:
 * libopus-wasm encodes in a stack of 64 KiB, and overflows it unnoticed with more.
 */
export function opusStream(
  client: OpusClient,
  durationMs: number,
  sampleAt: (seconds: number) => number,
): Uint8Array[] {
  const { rateHz, channels, frameMs } = client;
  const encoder = module._oc_create_encoder(rateHz, channels, APPLICATION[client.application ?? "voip"], errorAt);
  const control = (request: number, value: number): void => {
    assert.equal(module._oc_encoder_ctl(encoder, request, value), 0);
  };
  if (client.bitrateBps !== undefined) control(SET_BITRATE, client.bitrateBps);
  control(SET_VBR, client.constantBitrate ? 0 : 1);
  control(SET_INBAND_FEC, client.fec ? 1 : 0);
  control(SET_PACKET_LOSS_PERCENT, client.fec ? 20 : 0);
  control(SET_DTX, client.dtx ? 1 : 0);
  const frameSamples = (rateHz * frameMs) / 1_000;
  assert.ok(channels * frameSamples <= SAMPLES_MAX, "a frame that libopus-wasm can encode");
  const packets = Array.from({ length: Math.floor(durationMs / frameMs) }, (_, frame) => {
    const samples = new Int16Array(frameSamples * channels);
    for (let i = 0; i < samples.length; i += 1) {
      samples[i] = sampleAt((frame * frameSamples + Math.floor(i / channels)) / rateHz);
    }
    module.HEAP16.set(samples, samplesAt / 2);
    const bytes = module._oc_encode(encoder, samplesAt, frameSamples, packetAt, PACKET_BYTES_MAX);
    assert.ok(bytes > 0);
    return module.HEAPU8.slice(packetAt, packetAt + bytes);
  });
  module._oc_destroy_encoder(encoder);
  return packets;
}

/** Packets of one frame each, all of one kind, as the frames of one: RFC 6716, section 3.2.5, each with its length. */
export function joinedPackets(packets: readonly Uint8Array[]): Uint8Array {
  assert.equal(new Set(packets.map(([toc]) => toc)).size, 1, "packets of one kind");
  const frames = packets.map((packet) => packet.subarray(1));
  return packetOf((packets[0] as Uint8Array)[0] as number, frames, { code: 3, vbr: true });
}

/** How frames are packed: RFC 6716, section 3.2. */
export interface Packing {
  /** The lowest bits of the TOC byte. */
  code: 0 | 1 | 2 | 3;
  /** Code 3: frames of different lengths are possible. */
  vbr?: boolean;
  /** Code 3: how many bytes of padding follow the frames; their count comes before the frames. */
  paddingBytes?: number;
}

/**
 * A packet of frames without their TOC bytes, packed in one of the four ways; `toc` gives the configuration and the channels. Nothing
 * is checked: it may break the rules.
 */
export function packetOf(toc: number, frames: readonly Uint8Array[], packing: Packing): Uint8Array {
  const { code, vbr = false, paddingBytes } = packing;
  const header = [(toc & 0b1111_1100) | code];
  if (code === 3) header.push((vbr ? 128 : 0) | (paddingBytes === undefined ? 0 : 64) | frames.length);
  if (paddingBytes !== undefined) header.push(...paddingCount(paddingBytes));
  const lengths =
    code === 2 || (code === 3 && vbr) ? frames.slice(0, -1).flatMap(({ length }) => lengthOf(length)) : [];
  return Buffer.concat([Uint8Array.from([...header, ...lengths]), ...frames, new Uint8Array(paddingBytes ?? 0)]);
}

/** A byte of 255 stands for 254 bytes of padding, and says that another byte of the count follows. */
const paddingCount = (bytes: number): number[] => (bytes < 255 ? [bytes] : [255, ...paddingCount(bytes - 254)]);

/** RFC 6716, section 3.2.1. */
function lengthOf(bytes: number): number[] {
  if (bytes < 252) return [bytes];
  const first = 252 + (bytes & 0b11);
  return [first, (bytes - first) / 4];
}

/** A packet of `count` frames that are all lost, or silent: no byte of any is there. */
export const framesWithoutBytes = (configuration: number, count: number): Uint8Array =>
  Uint8Array.of((configuration << 3) | 0b11, count);

/** Good packets of every kind that clients make, for mutants to come from. */
export function packetsOfEveryKind(): Uint8Array[] {
  const packets: Uint8Array[] = [];
  for (const rateHz of [8_000, 12_000, 16_000, 24_000, 48_000] as const) {
    for (const channels of [1, 2] as const) {
      for (const frameMs of [2.5, 5, 10, 20, 40, 60] as const) {
        if (rateHz * channels * frameMs > 1_000 * SAMPLES_MAX) continue;
        const client = { rateHz, channels, frameMs };
        packets.push(
          ...opusStream({ ...client, bitrateBps: 16_000, fec: true, dtx: true }, 360, (s) =>
            s < 0.2 ? vowelAt(s) : 0,
          ),
          ...opusStream({ ...client, bitrateBps: 64_000 }, 180, vowelAt),
          ...opusStream({ ...client, application: "audio", constantBitrate: true, bitrateBps: 96_000 }, 120, vowelAt),
        );
      }
    }
  }
  const frames = opusStream(
    { rateHz: 16_000, channels: 1, frameMs: 20, application: "restrictedLowDelay", bitrateBps: 24_000 },
    120,
    vowelAt,
  );
  packets.push(joinedPackets(frames), joinedPackets(frames.slice(0, 3)), framesWithoutBytes(16, 48));
  return packets.filter(({ length }) => length > 0);
}

/** The longest mutant, bytes: somewhat more than a decoder takes. */
const MUTANT_BYTES_MAX = 7_700;

/** One of `packets` with a few things wrong in it, or bytes by chance alone. */
export function mutantPacket(packets: readonly Uint8Array[], random: Random): Uint8Array {
  if (random.chance(0.2)) return nearMiss(random).subarray(0, MUTANT_BYTES_MAX);
  if (random.chance(0.1)) return randomBytes(random, random.whole(0, random.chance(0.5) ? 8 : MUTANT_BYTES_MAX));
  let bytes: Uint8Array = new Uint8Array(random.pick(packets));
  for (let wrongs = random.whole(1, 4); wrongs > 0; wrongs -= 1) bytes = wrong(bytes, packets, random);
  return bytes.subarray(0, MUTANT_BYTES_MAX);
}

function wrong(bytes: Uint8Array, packets: readonly Uint8Array[], random: Random): Uint8Array {
  // Half of the time near the front, where the framing is.
  const at = random.whole(0, random.chance(0.5) ? Math.min(3, bytes.length) : bytes.length);
  switch (random.whole(0, 6)) {
    case 0:
      if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << random.whole(0, 7));
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = random.pick([0, 1, 3, 47, 48, 49, 63, 127, 128, 251, 252, 253, 254, 255]);
      return bytes;
    case 2:
      return bytes.subarray(0, at);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), randomBytes(random, random.whole(1, 16)), bytes.subarray(at)]);
    case 5:
      return Buffer.concat([bytes.subarray(0, at), random.pick(packets).subarray(at)]);
    default:
      return withFrames(bytes, random);
  }
}

/** At and beside the bounds of RFC 6716, section 3.2: of a length that takes two bytes, and of a frame. */
const NEAR_FRAME_BYTES = [0, 1, 2, 40, 251, 252, 253, 1_274, 1_275, 1_276];

/** A packet that keeps the rules of RFC 6716, section 3.4, or breaks one by a byte or a frame. */
function nearMiss(random: Random): Uint8Array {
  const code = random.pick([0, 1, 2, 3] as const);
  const frames = code === 0 ? 1 : code === 3 ? random.pick([1, 2, 3, 5, 6, 7, 12, 13, 24, 48, 49]) : 2;
  const vbr = code === 2 || (code === 3 && random.chance(0.5));
  const bytes = random.pick(NEAR_FRAME_BYTES);
  const packet = packetOf(
    random.whole(0, 255),
    Array.from({ length: frames }, () => randomBytes(random, vbr ? random.pick(NEAR_FRAME_BYTES) : bytes)),
    { code, vbr, ...(random.chance(0.3) && { paddingBytes: random.pick([0, 1, 253, 254, 255, 508, 6_361]) }) },
  );
  if (random.chance(0.6)) return packet;
  return random.chance(0.5) ? packet.subarray(0, -1) : Buffer.concat([packet, randomBytes(random, 1)]);
}

/** The same bytes said to be frames of any count, perhaps with padding that is not there. */
function withFrames(bytes: Uint8Array, random: Random): Uint8Array {
  const toc = ((bytes[0] ?? 0) & 0b1111_1100) | 0b11;
  const count = random.whole(0, 255);
  const padding = new Uint8Array(random.whole(0, 6)).fill(255);
  return Buffer.concat([Uint8Array.of(toc, count), padding, bytes.subarray(1)]);
}

const randomBytes = (random: Random, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => random.whole(0, 255));
