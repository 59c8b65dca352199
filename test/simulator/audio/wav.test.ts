import { expect, test } from "vitest";
import wavefile from "wavefile";
import { monoWav } from "../../../src/media/wav.ts";
import { readWav, readWavFormat } from "../../../src/simulator/audio/wav.ts";

const stereo = (samples: number): Uint8Array => {
  const wav = new wavefile.WaveFile();
  wav.fromScratch(2, 8_000, "16", [new Int16Array(samples), new Int16Array(samples)]);
  return wav.toBuffer();
};

test("the format of a stereo file is read", () => {
  expect(readWavFormat(stereo(12_000))).toEqual({ channels: 2, sampleRateHz: 8_000, durationMs: 1_500 });
});

test("chunks before the audio are ignored", () => {
  const file = stereo(8_000);
  const list = Buffer.from("LIST\x03\x00\x00\x00abc\x00", "latin1");
  const withList = Buffer.concat([file.subarray(0, 36), list, file.subarray(36)]);
  expect(readWavFormat(withList).durationMs).toBe(1_000);
});

test("a truncated file has the audio that it contains, whatever the header claims", () => {
  expect(readWavFormat(stereo(8_000).subarray(0, 44 + 16_000)).durationMs).toBe(500);
});

test.each([0, 11, 12, 20, 43])("the first %d bytes of a file are refused", (bytes) => {
  expect(() => readWavFormat(stereo(8_000).subarray(0, bytes))).toThrow("WAVE file");
});

/** Samples of a depth: full scale, half of it, zero, and the same below zero. */
const LEVELS = [1, 0.5, 0, -0.5, -1];
const DEPTHS: readonly [string, (level: number) => number][] = [
  ["8", (level) => Math.min(255, 128 + level * 128)],
  ["16", (level) => Math.min(32_767, level * 32_768)],
  ["24", (level) => Math.min(8_388_607, level * 8_388_608)],
  ["32", (level) => Math.min(2_147_483_647, level * 2_147_483_648)],
  ["32f", (level) => level],
  ["64", (level) => level],
];

test.each(DEPTHS)("audio of depth %s is read as signed 16-bit", (depth, levelIn) => {
  const wav = new wavefile.WaveFile();
  wav.fromScratch(1, 44_100, depth, LEVELS.map(levelIn));
  const { samples, rateHz } = readWav(wav.toBuffer());
  expect(rateHz).toBe(44_100);
  const expected = [32_767, 16_384, 0, -16_384, -32_768];
  // Eight bits resolve full scale to 1 in 128.
  const slack = depth === "8" ? 256 : 0;
  for (const [i, sample] of samples.entries())
    expect(Math.abs(sample - (expected[i] as number))).toBeLessThanOrEqual(slack);
  expect(samples).toHaveLength(5);
});

test("channels are mixed", () => {
  const wav = new wavefile.WaveFile();
  wav.fromScratch(2, 48_000, "16", [Int16Array.of(1_000, -32_768), Int16Array.of(3_000, -32_768)]);
  expect([...readWav(wav.toBuffer()).samples]).toEqual([2_000, -32_768]);
});

test("floating point out of range is clipped, and NaN is silence", () => {
  const wav = new wavefile.WaveFile();
  wav.fromScratch(1, 8_000, "32f", Float32Array.of(2, -2, Number.NaN));
  expect([...readWav(wav.toBuffer()).samples]).toEqual([32_767, -32_768, 0]);
});

test("an extensible header is read by its GUID", () => {
  const plain = Buffer.from(monoWav(Int16Array.of(4_000), 8_000));
  const extension = Buffer.alloc(24);
  extension.writeUInt16LE(22, 0);
  extension.writeUInt16LE(1, 8);
  const file = Buffer.concat([plain.subarray(0, 36), extension, plain.subarray(36)]);
  file.writeUInt32LE(40, 16);
  file.writeUInt16LE(0xfffe, 20);
  expect([...readWav(file).samples]).toEqual([4_000]);
});

test("a written file can be read again, also by other programs", () => {
  const samples = Int16Array.of(0, 1, -1, 32_767, -32_768);
  const file = monoWav(samples, 8_000);
  expect(readWav(file)).toEqual({ samples, rateHz: 8_000 });
  const other = new wavefile.WaveFile(file);
  expect(other.fmt).toMatchObject({ numChannels: 1, sampleRate: 8_000, bitsPerSample: 16 });
  expect(other.getSamples(false, Int16Array)).toEqual(samples);
});

/** A file of one sample with an invalid header. */
const withHeader = (offset: number, value: number): Uint8Array => {
  const file = Buffer.from(monoWav(new Int16Array(1), 8_000));
  file.writeUInt16LE(value, offset);
  return file;
};

test.each([
  ["another encoding", withHeader(20, 0x55), "encoding 85 of 16 bits"],
  ["an odd depth", withHeader(34, 12), "encoding 1 of 12 bits"],
  ["no channels", withHeader(22, 0), "without channels"],
  ["a rate of nothing", withHeader(24, 0), "of 0 Hz"],
])("%s is refused with a message", (_what, file, words) => {
  expect(() => readWav(file)).toThrow(words);
});

/** A file of one sample with `chunks` before its samples. */
const withChunks = (...chunks: readonly Uint8Array[]): Uint8Array => {
  const file = monoWav(Int16Array.of(4_000), 8_000);
  return Buffer.concat([file.subarray(0, 36), ...chunks, file.subarray(36)]);
};

test("wrong counts and thousands of chunks before the audio neither block nor allocate", () => {
  const cuePoints = Buffer.from("cue \x04\0\0\0\xff\xff\xff\xff", "latin1");
  const lists = Array.from({ length: 20_000 }, () => Buffer.from("LIST\x04\0\0\0adtl", "latin1"));
  expect([...readWav(withChunks(cuePoints)).samples]).toEqual([4_000]);
  expect([...readWav(withChunks(...lists)).samples]).toEqual([4_000]);
});

test.each([
  ["8", 3],
  ["24", 2],
  ["32f", 7],
])("a long file of depth %s is the same for any number of channels: %d", (depth, channels) => {
  const fullScale = { "8": 127, "24": 8_388_607, "32f": 1 }[depth] ?? 0;
  const zero = depth === "8" ? 128 : 0;
  const ramp = Array.from({ length: 100_000 }, (_, i) => {
    const value = zero + ((i % 200) / 200 - 0.5) * fullScale;
    return depth === "32f" ? Math.fround(value) : Math.round(value);
  });
  const mono = new wavefile.WaveFile();
  mono.fromScratch(1, 8_000, depth, ramp);
  const same = new wavefile.WaveFile();
  same.fromScratch(
    channels,
    8_000,
    depth,
    Array.from({ length: channels }, () => ramp),
  );
  const { samples } = readWav(same.toBuffer());
  expect(samples).toHaveLength(100_000);
  expect(samples).toEqual(readWav(mono.toBuffer()).samples);
});
