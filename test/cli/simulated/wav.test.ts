import { expect, test } from "vitest";
import wavefile from "wavefile";
import { readWavFormat } from "../../../src/cli/simulated/wav.ts";

const stereo = (samples: number): Uint8Array => {
  const wav = new wavefile.WaveFile();
  wav.fromScratch(2, 8_000, "16", [new Int16Array(samples), new Int16Array(samples)]);
  return wav.toBuffer();
};

test("the format of a stereo file is read", () => {
  expect(readWavFormat(stereo(12_000))).toEqual({ channels: 2, sampleRateHz: 8_000, durationMs: 1_500 });
});

test("chunks before the audio are passed over", () => {
  const file = stereo(8_000);
  const list = Buffer.from("LIST\x03\x00\x00\x00abc\x00", "latin1");
  const withList = Buffer.concat([file.subarray(0, 36), list, file.subarray(36)]);
  expect(readWavFormat(withList).durationMs).toBe(1_000);
});

test("audio counts as far as it is there, whatever the header claims", () => {
  expect(readWavFormat(stereo(8_000).subarray(0, 44 + 16_000)).durationMs).toBe(500);
});

test.each([0, 11, 12, 20, 43])("%d bytes of a file are none", (bytes) => {
  expect(() => readWavFormat(stereo(8_000).subarray(0, bytes))).toThrow("WAVE file");
});
