import { describe, expect, test } from "vitest";
import { NO_REPLY_TURN_ID } from "../../src/core/ids.ts";
import { DTMF_TONES_MAX } from "../../src/core/limits/calls/calls.ts";
import { DtmfAudio } from "../../src/gateway/agent/dtmf-audio.ts";
import { DTMF_FRAMES_PER_DIGIT, DtmfTones } from "../../src/media/dtmf-tones.ts";
import type { G711Codec } from "../../src/media/g711.ts";
import { digitsIn, dtmfIn, levelDbm0 } from "../support/audio/dtmf-decoder.ts";
import { samplesOf } from "../support/audio/samples.ts";
import { heapBytesPerRun } from "../support/heap.ts";

const KEYS = "0123456789*#ABCD";
const RATES_HZ = [8_000, 16_000, 24_000, 48_000];

function played(digits: string, rateHz: number, chunkSamples = rateHz / 50): Int16Array {
  const tones = new DtmfTones(rateHz);
  expect(tones.push(digits)).toBe(true);
  const samples = new Int16Array((digits.length * DTMF_FRAMES_PER_DIGIT * rateHz) / 50);
  for (let at = 0; at < samples.length; at += chunkSamples) tones.fill(samples.subarray(at, at + chunkSamples));
  expect(tones.pendingDigits).toBe(0);
  return samples;
}

/** As a leg at 8 kHz sends it. */
function encoded(digits: string, codec: G711Codec): Int16Array {
  const audio = new DtmfAudio(8_000, codec);
  audio.push(digits);
  const frames: Buffer[] = [];
  while (audio.isPending) frames.push(Buffer.from(audio.shift().bytes));
  return samplesOf(codec, Buffer.concat(frames));
}

describe("DTMF tones", () => {
  test.each(RATES_HZ)("are heard as the digits, each once, at %i Hz", (rateHz) => {
    expect(digitsIn(played(KEYS, rateHz), rateHz)).toBe(KEYS);
    expect(digitsIn(played("1155##", rateHz), rateHz)).toBe("1155##");
  });

  test.each(["mulaw", "alaw"] as const)("are heard as the digits after %s", (codec) => {
    expect(digitsIn(encoded(KEYS, codec), 8_000)).toBe(KEYS);
  });

  test.each(["mulaw", "alaw"] as const)("last at least 70 ms, with pauses of at least 70 ms, in %s", (codec) => {
    const heard = dtmfIn(encoded(KEYS, codec), 8_000);
    for (const [at, { startMs, endMs }] of heard.entries()) {
      expect(endMs - startMs).toBeGreaterThanOrEqual(80);
      expect(endMs - startMs).toBeLessThanOrEqual(120);
      const before = heard[at - 1];
      if (before !== undefined) expect(startMs - before.endMs).toBeGreaterThanOrEqual(70);
    }
  });

  test("have -8 dBm0 in the low group and -6 in the high one, and nothing of other digits", () => {
    for (const { lowDbm0, highDbm0 } of dtmfIn(encoded(KEYS, "mulaw"), 8_000)) {
      expect(Math.abs(lowDbm0 + 8)).toBeLessThan(1);
      expect(Math.abs(highDbm0 + 6)).toBeLessThan(1);
    }
    const middle = encoded("1", "mulaw").subarray(400, 1_040);
    for (const hz of [770, 852, 941, 1_336, 1_477, 1_633, 2 * 697, 2 * 1_209])
      expect(levelDbm0(middle, hz, 8_000)).toBeLessThan(-30);
  });

  test("have the frequencies of ITU-T Q.23 within 0.1 %", () => {
    const rateHz = 8_000;
    const samples = played("D", rateHz).subarray(0.045 * rateHz, 0.135 * rateHz);
    for (const hz of [941, 1_633]) {
      const [below, at, above] = [hz * 0.999, hz, hz * 1.001].map((each) => levelDbm0(samples, each, rateHz));
      // The level falls on either side of it, by nearly the same.
      expect(at).toBeGreaterThan(Math.max(below ?? 0, above ?? 0) - 0.05);
      expect(Math.abs((below ?? 0) - (above ?? 0))).toBeLessThan(0.2);
    }
  });

  test("begin and end softly: the first and the last 2 ms have a small part of the level", () => {
    const rateHz = 48_000;
    const samples = played("D", rateHz);
    const peakIn = (fromMs: number, toMs: number): number =>
      Math.max(...samples.subarray((fromMs * rateHz) / 1_000, (toMs * rateHz) / 1_000).map(Math.abs));
    expect(peakIn(0, 40)).toBe(0);
    expect(peakIn(40, 41)).toBeLessThan(0.2 * peakIn(50, 130));
    expect(peakIn(139, 140)).toBeLessThan(0.2 * peakIn(50, 130));
    expect(peakIn(140, 200)).toBe(0);
    expect(peakIn(50, 130)).toBeLessThan(21_000);
  });

  test("are the same for the same calls, and in chunks of any length", () => {
    const whole = played("19#", 8_000);
    expect(played("19#", 8_000)).toEqual(whole);
    expect(played("19#", 8_000, 48)).toEqual(whole);
  });

  test("of digits that are added meanwhile follow those before", () => {
    const tones = new DtmfTones(8_000);
    tones.push("1");
    const samples = new Int16Array(8_000);
    tones.fill(samples.subarray(0, 800));
    tones.push("2");
    tones.fill(samples.subarray(800));
    expect(digitsIn(samples, 8_000)).toBe("12");
  });

  test("have a limit: of a request beyond it no digit is taken, and there is room again when one was sent", () => {
    const tones = new DtmfTones(8_000);
    expect(tones.push("1".repeat(DTMF_TONES_MAX - 1))).toBe(true);
    expect(tones.push("23")).toBe(false);
    expect(tones.pendingDigits).toBe(DTMF_TONES_MAX - 1);
    tones.fill(new Int16Array(1_600));
    expect(tones.push("23")).toBe(true);
  });

  test("allocate nothing for a frame", () => {
    for (const codec of ["mulaw", "pcm_s16le"] as const) {
      const audio = new DtmfAudio(8_000, codec);
      expect(audio.shift().turnId).toBe(NO_REPLY_TURN_ID);
      let bytes = 0;
      expect(
        heapBytesPerRun(
          () => {
            if (!audio.isPending) audio.push("0123456789*#ABCD");
            bytes += audio.shift().bytes.length;
          },
          50,
          2_000,
        ),
      ).toBeLessThan(100);
      expect(bytes).toBeGreaterThan(0);
    }
  });
});
