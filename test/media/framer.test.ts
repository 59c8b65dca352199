import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callMs, mediaMs, millisecondsOf } from "../../src/core/clocks.ts";
import { TIMESTAMP_GAP_MS_MAX, UNTIMESTAMPED_LAG_MS_MAX } from "../../src/core/limits/streams/caller-audio.ts";
import type { FrameCodec } from "../../src/media/frame-codec.ts";
import { Framer } from "../../src/media/framer.ts";
import { G711_LAWS, type G711Codec } from "../../src/media/g711.ts";
import { heapBytesPerRun } from "../support/heap.ts";

const FRAME_SAMPLES = 160;
const FRAME_MS = 20;

interface Frame {
  mediaMs: number;
  bytes: number[];
}

/** Audio whose bytes count up from `from` and are never the silence byte of mu-law. */
function audio(count: number, timestampMs = Number.NaN, from = 0, codec: G711Codec = "mulaw") {
  const law = G711_LAWS[codec];
  const bytes = Uint8Array.from({ length: count }, (_, i) => (from + i) % 255);
  return {
    bytes,
    samples: Int16Array.from(bytes, (byte) => law.decodeTable[byte] as number),
    count,
    timestampMs: mediaMs(timestampMs),
  };
}

const makeFramer = (startMs = 0, codec: FrameCodec = "mulaw"): Framer =>
  new Framer({ frameSamples: FRAME_SAMPLES, rateHz: 8_000, codec, startMs: callMs(startMs) });

function push(framer: Framer, input: ReturnType<typeof audio>, nowMs: number): Frame[] {
  const frames: Frame[] = [];
  framer.push(input, callMs(nowMs));
  while (framer.next()) frames.push({ mediaMs: millisecondsOf(framer.mediaMs), bytes: [...framer.bytes] });
  return frames;
}

/** Pushes 20 ms at each of these timestamps, `nowMs` apart from the start by the second number of a pair or by nothing. */
function mediaTimes(timestamps: readonly (number | readonly [number, number])[], framer = makeFramer()): number[] {
  return timestamps.flatMap((entry) => {
    const [timestampMs, nowMs] = typeof entry === "number" ? [entry, 0] : entry;
    return push(framer, audio(FRAME_SAMPLES, timestampMs), nowMs).map(({ mediaMs }) => mediaMs);
  });
}

describe("the framer", () => {
  test("returns borrowed frames of the given size with the bytes and samples of the audio", () => {
    const framer = makeFramer();
    const input = audio(FRAME_SAMPLES);
    framer.push(input, callMs(0));
    expect(framer.next()).toBe(true);
    expect(framer.bytes).toEqual(input.bytes);
    expect(framer.samples).toEqual(input.samples);
    expect(framer.mediaMs).toBe(0);
    expect(framer.next()).toBe(false);
    expect(framer.next()).toBe(false);
  });

  test("an incomplete frame waits for the next audio", () => {
    const framer = makeFramer();
    expect(push(framer, audio(100), 0)).toEqual([]);
    expect(push(framer, audio(0), 0)).toEqual([]);
    expect(push(framer, audio(59, Number.NaN, 100), 0)).toEqual([]);
    expect(push(framer, audio(162, Number.NaN, 159), 0)).toEqual([
      { mediaMs: 0, bytes: [...audio(160).bytes] },
      { mediaMs: 20, bytes: [...audio(160, Number.NaN, 160).bytes] },
    ]);
  });

  test("reads exactly `count` samples", () => {
    const framer = makeFramer();
    const input = { ...audio(1_000), count: 161 };
    framer.push(input, callMs(0));
    expect([framer.next(), framer.next()]).toEqual([true, false]);
  });

  test("a push before all frames were taken fails an assertion", () => {
    const framer = makeFramer();
    framer.push(audio(FRAME_SAMPLES), callMs(0));
    expect(() => framer.push(audio(FRAME_SAMPLES), callMs(0))).toThrow("frames of the last push were not taken");
  });
});

describe("media time", () => {
  test("begins at the first timestamp, and continues by counting samples", () => {
    expect(mediaTimes([102, 122, 142])).toEqual([102, 122, 142]);
    expect(mediaTimes([0, 20, 40])).toEqual([0, 20, 40]);
  });

  test("C6: jitter, equal and missing timestamps change nothing", () => {
    const nan = Number.NaN;
    expect(mediaTimes([100, 121, 138, 179, 180])).toEqual([100, 120, 140, 160, 180]);
    expect(mediaTimes([100, 100, 100, 100])).toEqual([100, 120, 140, 160]);
    expect(mediaTimes([nan, nan, nan])).toEqual([0, 20, 40]);
    expect(mediaTimes([100, nan, nan, 160])).toEqual([100, 120, 140, 160]);
    expect(mediaTimes([100, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 160])).toEqual([100, 120, 140, 160]);
  });

  test("a jump of a frame or more is a gap, and later timestamps that lag catch up", () => {
    expect(mediaTimes([100, 140, 160])).toEqual([100, 140, 160]);
    expect(mediaTimes([100, 620, 640])).toEqual([100, 620, 640]);
    expect(mediaTimes([100, 160, 140, 160, 220])).toEqual([100, 160, 180, 200, 220]);
  });

  test("a frame that is incomplete at a gap is filled with silence", () => {
    for (const codec of ["mulaw", "alaw"] as const) {
      const law = G711_LAWS[codec];
      const framer = makeFramer(0, codec);
      push(framer, audio(200, 0, 0, codec), 0);
      framer.push(audio(FRAME_SAMPLES, 500, 0, codec), callMs(0));
      expect(framer.next()).toBe(true);
      expect(framer.mediaMs).toBe(20);
      expect([...framer.bytes]).toEqual([...audio(40, 0, 160).bytes, ...new Array(120).fill(law.silenceByte)]);
      expect([...framer.samples]).toEqual([...framer.bytes].map((byte) => law.decodeTable[byte]));
      expect(framer.next()).toBe(true);
      expect(framer.mediaMs).toBe(500);
      expect(framer.bytes).toEqual(audio(FRAME_SAMPLES).bytes);
      expect(framer.next()).toBe(false);
    }
  });

  test("C6: a small step back of the clock has no effect, a large one begins a new clock", () => {
    expect(mediaTimes([2_000, 100, 120, 140])).toEqual([2_000, 2_020, 2_040, 2_060]);
    // The new clock counts from its first message on: between 20 and 240 there are 200 ms missing.
    const newClock = mediaTimes([
      [3_000, 3_000],
      [0, 3_020],
      [20, 3_040],
      [240, 3_260],
    ]);
    expect(newClock).toEqual([3_000, 3_020, 3_040, 3_260]);
  });

  test("C6: a jump of an hour is limited and allocates no memory for its length; counting continues from there", () => {
    const hourMs = 3_600_000;
    expect(mediaTimes([0, hourMs, hourMs + 20, hourMs + 40])).toEqual([0, 2_000, 2_020, 2_040]);
    expect(mediaTimes([hourMs, hourMs + 20])).toEqual([2_000, 2_020]);
    expect(mediaTimes([0, Number.MAX_VALUE, 20, 40])).toEqual([0, 2_000, 2_020, 2_040]);
    // That it comes late afterwards makes nothing of the jump true.
    expect(mediaTimes([0, hourMs, [hourMs + 20, 1_500]])).toEqual([0, 2_000, 2_020]);
  });

  test("C6: repeated jumps together insert no more than one limited gap", () => {
    const times = mediaTimes(Array.from({ length: 100 }, (_, i) => i * 1e6));
    expect(times.at(-1)).toBeLessThanOrEqual(TIMESTAMP_GAP_MS_MAX + 100 * FRAME_MS);
  });

  test("a long pause of the carrier is accepted if as much real time has passed", () => {
    expect(mediaTimes([0, [60_000, 60_000], [60_020, 60_020]])).toEqual([0, 60_000, 60_020]);
    expect(mediaTimes([[5_000, 1_005_000]], makeFramer(1_000_000))).toEqual([5_000]);
  });

  test("rates without a whole number of samples per ms do not drift", () => {
    const framer = new Framer({ frameSamples: 441, rateHz: 22_050, codec: "mulaw", startMs: callMs(0) });
    const input = audio(441);
    let last = 0;
    for (let i = 0; i < 50 * 3_600; i += 1) {
      framer.push(input, callMs(0));
      while (framer.next()) last = millisecondsOf(framer.mediaMs);
    }
    expect(last).toBeCloseTo(3_600_000 - 20, 5);
  });
});

describe("the framer, with random input", () => {
  const timestamp = fc.oneof(
    { weight: 3, arbitrary: fc.constant(Number.NaN) },
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    { weight: 1, arbitrary: fc.double() },
  );
  const pushes = fc.array(fc.record({ count: fc.nat(700), timestampMs: timestamp, stepMs: fc.nat(200) }), {
    maxLength: 60,
  });

  test("no byte is lost, repeated or moved, and the rest of every frame is silence", () => {
    fc.assert(
      fc.property(pushes, (steps) => {
        const framer = makeFramer();
        let sent = 0;
        let nowMs = 0;
        const got: number[] = [];
        for (const { count, timestampMs, stepMs } of steps) {
          nowMs += stepMs;
          for (const { bytes } of push(framer, audio(count, timestampMs, sent), nowMs)) got.push(...bytes);
          sent += count;
        }
        const real = got.filter((byte) => byte !== G711_LAWS.mulaw.silenceByte);
        expect(real).toEqual([...audio(real.length).bytes]);
        expect(sent - real.length).toBeLessThan(FRAME_SAMPLES);
      }),
    );
  });

  test("frames never overlap or go back, and stay within the limits of real time and of the audio's length", () => {
    fc.assert(
      fc.property(pushes, fc.nat(1e9), (steps, startMs) => {
        const framer = makeFramer(startMs);
        let sentMs = 0;
        let nowMs = startMs;
        let freeMs = 0;
        for (const { count, timestampMs, stepMs } of steps) {
          nowMs += stepMs;
          sentMs += count / 8;
          for (const { mediaMs } of push(framer, audio(count, timestampMs), nowMs)) {
            expect(mediaMs).toBeGreaterThanOrEqual(freeMs);
            freeMs = mediaMs + FRAME_MS;
          }
          expect(freeMs - sentMs).toBeLessThanOrEqual(nowMs - startMs + TIMESTAMP_GAP_MS_MAX);
        }
      }),
    );
  });

  test("the same audio in other chunks gives the same frames", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { maxLength: 30 }), (counts) => {
        const total = counts.reduce((sum, count) => sum + count, 0);
        const framer = makeFramer();
        let sent = 0;
        const frames = counts.flatMap((count) => {
          const input = audio(count, 40 + sent / 8, sent);
          sent += count;
          return push(framer, input, 0);
        });
        expect(frames).toEqual(push(makeFramer(), audio(total, 40), 0));
      }),
    );
  });

  test("a carrier with a correct clock is followed to within a frame, with any jitter and pauses", () => {
    const step = fc.record({ pauseFrames: fc.nat(40), jitterMs: fc.integer({ min: -9, max: 9 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const framer = makeFramer();
        let trueMs = 100;
        for (const { pauseFrames, jitterMs } of steps) {
          trueMs += pauseFrames === 40 ? 1_000 : 0;
          const [frame] = push(framer, audio(FRAME_SAMPLES, trueMs + jitterMs), trueMs);
          expect(Math.abs((frame as Frame).mediaMs - trueMs)).toBeLessThanOrEqual(FRAME_MS + 9);
          trueMs += FRAME_MS;
        }
      }),
    );
  });

  test("cutting frames allocates nothing", () => {
    const framer = makeFramer();
    const input = audio(FRAME_SAMPLES);
    let nowMs = 0;
    const bytes = heapBytesPerRun(() => {
      nowMs += FRAME_MS;
      input.timestampMs = mediaMs(nowMs);
      framer.push(input, callMs(nowMs));
      while (framer.next());
    }, 2_000);
    expect(bytes).toBeLessThan(1);
  });

  test("samples of PCM are their own bytes, and a gap in them is filled with zeros", () => {
    const framer = makeFramer(0, "pcm_s16le");
    const samples = Int16Array.from({ length: 200 }, (_, i) => i - 100);
    const input = { bytes: new Uint8Array(0), samples, count: 200, timestampMs: mediaMs(0) };
    framer.push(input, callMs(0));
    expect(framer.next()).toBe(true);
    expect(new DataView(framer.bytes.buffer, framer.bytes.byteOffset).getInt16(2, true)).toBe(-99);
    expect([...framer.samples]).toEqual([...samples.subarray(0, FRAME_SAMPLES)]);
    expect(framer.next()).toBe(false);
    framer.push({ ...input, timestampMs: mediaMs(500) }, callMs(500));
    expect(framer.next()).toBe(true);
    expect([...framer.samples]).toEqual([...samples.subarray(FRAME_SAMPLES), ...new Array(120).fill(0)]);
    expect(framer.bytes).toHaveLength(2 * FRAME_SAMPLES);
  });

  describe("audio without timestamps", () => {
    const undated = (nowMs: number): readonly [number, number] => [Number.NaN, nowMs];

    test("continues by counting while it arrives about in real time", () => {
      expect(mediaTimes([20, 40, 60, 380, 380, 380, 400].map(undated))).toEqual([0, 20, 40, 60, 80, 100, 120]);
    });

    test("is placed by arrival when it lags, as after a pause in which the peer sent nothing", () => {
      const pause = UNTIMESTAMPED_LAG_MS_MAX;
      expect(mediaTimes([20, 40, 60 + pause, 80 + pause].map(undated))).toEqual([0, 20, 40 + pause, 60 + pause]);
    });

    test("never lags its arrival by more, with any number of short pauses", () => {
      const sent = Array.from({ length: 200 }, (_, i) => 20 + 320 * i);
      const lags = mediaTimes(sent.map(undated)).map((mediaMs, i) => (sent[i] as number) - FRAME_MS - mediaMs);
      expect(Math.max(...lags)).toBeLessThan(UNTIMESTAMPED_LAG_MS_MAX);
      expect(Math.min(...lags)).toBeGreaterThanOrEqual(0);
    });
  });
});
