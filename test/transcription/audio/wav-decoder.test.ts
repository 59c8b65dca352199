import { describe, expect, test } from "vitest";
import { WavDecoder } from "../../../src/transcription/audio/wav-decoder.ts";
import { Random } from "../../support/random.ts";

interface Format {
  encoding: number;
  bits: number;
  channels: number;
  rateHz: number;
}

const PCM16: Format = { encoding: 1, bits: 16, channels: 1, rateHz: 8_000 };

/** A file whose head says what is given, whatever the samples are. */
function wav({ encoding, bits, channels, rateHz }: Format, data: Uint8Array, claimedBytes = data.length): Buffer {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE((36 + claimedBytes) >>> 0, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(encoding, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rateHz, 24);
  head.writeUInt32LE((rateHz * channels * (bits >> 3)) >>> 0, 28);
  head.writeUInt16LE(channels * (bits >> 3), 32);
  head.writeUInt16LE(bits, 34);
  head.write("data", 36);
  head.writeUInt32LE(claimedBytes >>> 0, 40);
  return Buffer.concat([head, data]);
}

/** The samples of each channel, from a file that comes in chunks of random lengths. */
function decode(file: Uint8Array, random = new Random(1)): number[][] {
  const decoder = new WavDecoder();
  const channels: number[][] = [];
  for (let at = 0; at < file.length; ) {
    const bytes = file.subarray(at, at + random.whole(1, 40));
    at += bytes.length;
    const samples = decoder.push(bytes) ?? [];
    for (const [index, channel] of samples.entries()) channels[index] = [...(channels[index] ?? []), ...channel];
  }
  decoder.end();
  return channels;
}

describe("a WAV file that comes in chunks", () => {
  test("gives the samples of each channel", () => {
    const data = Buffer.alloc(12);
    for (const [index, sample] of [1, -1, 300, -300, 32_767, -32_768].entries()) data.writeInt16LE(sample, 2 * index);
    expect(decode(wav(PCM16, data))).toEqual([[1, -1, 300, -300, 32_767, -32_768]]);
    expect(decode(wav({ ...PCM16, channels: 2 }, data))).toEqual([
      [1, 300, 32_767],
      [-1, -300, -32_768],
    ]);
  });

  test.each([
    ["8 bits", { encoding: 1, bits: 8 }, Buffer.from([0, 128, 255]), [-32_768, 0, 32_512]],
    ["24 bits", { encoding: 1, bits: 24 }, Buffer.from([0, 0, 0x40, 0, 0, 0xc0]), [16_384, -16_384]],
    ["32 bits", { encoding: 1, bits: 32 }, Buffer.from([0, 0, 0, 0x40]), [16_384]],
    ["mu-law", { encoding: 7, bits: 8 }, Buffer.from([0xff, 0x00]), [0, -32_124]],
    ["A-law", { encoding: 6, bits: 8 }, Buffer.from([0xd5, 0x55]), [8, -8]],
  ])("of %s", (_, format, data, samples) => {
    expect(decode(wav({ ...PCM16, ...format }, data))).toEqual([samples]);
  });

  test("of floating point, whose values beyond 1 are clipped and whose NaN is silence", () => {
    const data = Buffer.alloc(24);
    for (const [index, sample] of [0.5, 7, Number.NaN].entries()) data.writeDoubleLE(sample, 8 * index);
    expect(decode(wav({ ...PCM16, encoding: 3, bits: 64 }, data))).toEqual([[16_384, 32_767, 0]]);
  });

  test("ends where it ends, whatever length it claims, and before chunks that follow its samples", () => {
    const data = Buffer.from([1, 0, 2, 0, 3, 0]);
    for (const claimed of [0, 0xffff_ffff, 0x7fff_ffff, 1_000_000])
      expect(decode(wav(PCM16, data, claimed))).toEqual([[1, 2, 3]]);
    expect(decode(wav(PCM16, data, 4))).toEqual([[1, 2]]);
    expect(decode(wav({ ...PCM16, channels: 2 }, data))).toEqual([[1], [2]]);
  });

  test("of 44 bytes has no samples", () => {
    expect(decode(wav(PCM16, Buffer.alloc(0))).flat()).toEqual([]);
  });
});

describe("a file is refused with what is wrong with it", () => {
  test.each([
    ["no channels", { channels: 0 }, /0 channels, not 1 to 8/],
    ["300 channels", { channels: 300 }, /300 channels/],
    ["a rate of 0", { rateHz: 0 }, /sample rate of 0 Hz/],
    ["a rate of 4 GHz", { rateHz: 4_000_000_000 }, /4000000000 Hz, not 4000 to 192000/],
    ["MP3 inside", { encoding: 0x55, bits: 0 }, /encoding 85/],
    ["12 bits", { bits: 12 }, /with 12 bits/],
  ])("%s", (_, format, message) => {
    expect(() => decode(wav({ ...PCM16, ...format }, Buffer.alloc(8)))).toThrow(message);
  });

  test("text, a head without samples, a head that never ends", () => {
    expect(() => decode(Buffer.from("to be or not to be, that is the question"))).toThrow("no WAV file");
    expect(() => decode(wav(PCM16, Buffer.alloc(0)).subarray(0, 36))).toThrow("ends before its samples");
    const list = Buffer.concat([
      wav(PCM16, Buffer.alloc(0)).subarray(0, 36),
      Buffer.from("LIST\xff\xff\xff\x7f", "latin1"),
    ]);
    const decoder = new WavDecoder();
    decoder.push(list);
    expect(() => {
      for (let i = 0; i < 20; i += 1) decoder.push(Buffer.alloc(64 * 1024));
    }).toThrow("no samples in its first megabyte");
  });

  test("a truncated file gives the samples that it has, or an error, at every length", () => {
    const file = wav({ ...PCM16, channels: 2 }, Buffer.alloc(400, 7));
    for (let length = 0; length < file.length; length += 1) {
      const decoder = new WavDecoder();
      const samples = decoder.push(file.subarray(0, length)) ?? [];
      if (length < 44) expect(() => decoder.end()).toThrow(/ends before/);
      else expect(samples[0]).toHaveLength(Math.floor((length - 44) / 4));
    }
  });
});
