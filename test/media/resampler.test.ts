import loadSpeex from "@echogarden/speex-resampler-wasm/simd";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { loadResampler, type ResamplerFactory, resamplerFactory } from "../../src/media/resampler.ts";

const AMPLITUDE = 30_000;
/** The way of a synthesised voice to a telephone, of a telephone to an ear and back, and the rates of raw sockets. */
const PAIRS: readonly (readonly [number, number])[] = [
  [22_050, 8_000],
  [8_000, 16_000],
  [16_000, 8_000],
  [24_000, 8_000],
  [48_000, 8_000],
  [44_100, 16_000],
  [8_000, 48_000],
];

const sine = (hz: number, rateHz: number, seconds: number): Int16Array =>
  Int16Array.from({ length: rateHz * seconds }, (_, i) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * hz * i) / rateHz)),
  );

/** The sine of `hz` that is in `samples`, by least squares, and what is there besides. */
function analyse(samples: Int16Array, hz: number, rateHz: number): { amplitude: number; phase: number; snrDb: number } {
  let ss = 0;
  let sc = 0;
  let cc = 0;
  let ys = 0;
  let yc = 0;
  let yy = 0;
  // Without the edges, where the sine begins and ends.
  for (let i = 500; i < samples.length - 500; i += 1) {
    const y = samples[i] as number;
    const s = Math.sin((2 * Math.PI * hz * i) / rateHz);
    const c = Math.cos((2 * Math.PI * hz * i) / rateHz);
    ss += s * s;
    sc += s * c;
    cc += c * c;
    ys += y * s;
    yc += y * c;
    yy += y * y;
  }
  const determinant = ss * cc - sc * sc;
  const a = (ys * cc - yc * sc) / determinant;
  const b = (yc * ss - ys * sc) / determinant;
  const signal = a * ys + b * yc;
  return { amplitude: Math.hypot(a, b), phase: Math.atan2(b, a), snrDb: 10 * Math.log10(signal / (yy - signal)) };
}

function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** What `toEqual` says of two long arrays, in a thousandth of the time. */
const equal = (a: Int16Array, b: Int16Array): boolean =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));

const db = (ratio: number): number => 20 * Math.log10(ratio);

describe("resampling", () => {
  let make: ResamplerFactory;
  beforeAll(async () => {
    make = await loadResampler();
  });

  /** The whole stream, cut into pieces of the given lengths in turn. */
  function resample(samples: Int16Array, fromHz: number, toHz: number, pieces: readonly number[] = [882]): Int16Array {
    const resampler = make(fromHz, toHz);
    const output: Int16Array[] = [];
    for (let at = 0, i = 0; at < samples.length; i += 1) {
      const length = pieces[i % pieces.length] as number;
      output.push(resampler.process(samples.subarray(at, at + length)).slice());
      at += length;
    }
    output.push(resampler.flush().slice());
    resampler.destroy();
    return joined(output);
  }

  describe.each(PAIRS)("from %d to %d Hz", (fromHz, toHz) => {
    const nyquistHz = Math.min(fromHz, toHz) / 2;

    test("M8: a tone of 1 kHz keeps its level and its place in time, 85 dB above everything else", () => {
      const tone = analyse(resample(sine(1_000, fromHz, 1), fromHz, toHz), 1_000, toHz);
      expect(tone.snrDb).toBeGreaterThanOrEqual(85);
      expect(Math.abs(db(tone.amplitude / AMPLITUDE))).toBeLessThan(0.01);
      expect(Math.abs(tone.phase)).toBeLessThan(0.001);
    });

    test("M8: tones from 0.05 to 0.85 of the Nyquist frequency pass within 0.1 dB", () => {
      for (let place = 0.05; place <= 0.851; place += 0.05) {
        const hz = place * nyquistHz;
        const { amplitude } = analyse(resample(sine(hz, fromHz, 1), fromHz, toHz), hz, toHz);
        expect(Math.abs(db(amplitude / AMPLITUDE)), `${hz} Hz`).toBeLessThan(0.1);
      }
    });

    test("M8: how the stream is cut changes no sample, and every count comes out exact", () => {
      const stream = Int16Array.from({ length: 9_973 }, (_, i) => ((i * 7_919) % 60_013) - 30_000);
      const whole = resample(stream, fromHz, toHz, [stream.length]);
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: stream.length }),
          fc.array(fc.integer({ min: 1, max: 4_801 }), { minLength: 1, maxLength: 20 }),
          (length, pieces) => {
            expect(equal(resample(stream, fromHz, toHz, pieces), whole)).toBe(true);
            expect(resample(stream.subarray(0, length), fromHz, toHz, pieces)).toHaveLength(
              Math.ceil((length * toHz) / fromHz),
            );
          },
        ),
        { numRuns: 20 },
      );
      expect(equal(resample(stream, fromHz, toHz, [1]), whole)).toBe(true);
    });

    test("at most 5 ms of sound are held back", () => {
      const resampler = make(fromHz, toHz);
      const ready = resampler.process(new Int16Array(fromHz)).length;
      expect(toHz - ready).toBeLessThanOrEqual(Math.ceil((5 * toHz) / 1_000) + 1);
      resampler.destroy();
    });
  });

  test.each(
    PAIRS.filter(([fromHz, toHz]) => fromHz > toHz),
  )("M8: from %d to %d Hz tones above 1.15 of the Nyquist frequency leave at most -70 dB", (fromHz, toHz) => {
    const nyquistHz = toHz / 2;
    for (let hz = 1.15 * nyquistHz; hz < fromHz / 2; hz += nyquistHz / 4) {
      const rest = resample(sine(hz, fromHz, 1), fromHz, toHz).subarray(500, -500);
      const rms = Math.sqrt(rest.reduce((sum, sample) => sum + sample * sample, 0) / rest.length);
      expect(db((rms * Math.SQRT2) / AMPLITUDE), `${hz} Hz`).toBeLessThan(-70);
    }
  });

  test("M8: the count is exact over five minutes of odd pieces", () => {
    const resampler = make(22_050, 8_000);
    const piece = new Int16Array(441 * 3);
    let count = 0;
    for (let i = 0; i < 5_000; i += 1) count += resampler.process(piece).length;
    count += resampler.flush().length;
    expect(count).toBe(300 * 8_000);
    resampler.destroy();
  });

  test("M8: full scale is clipped, not wrapped; constants stay; silence stays silent", () => {
    const square = Int16Array.from({ length: 22_050 }, (_, i) => (i % 100 < 50 ? 32_767 : -32_768));
    const flipped = resample(square, 22_050, 8_000).filter((sample, i, all) => {
      const before = all[i - 1] ?? 0;
      const after = all[i + 1] ?? 0;
      return (
        Math.sign(before) === Math.sign(after) && Math.sign(sample) === -Math.sign(before) && Math.abs(sample) > 20_000
      );
    });
    expect(flipped).toHaveLength(0);
    const constant = resample(new Int16Array(22_050).fill(12_345), 22_050, 8_000).subarray(100, -100);
    expect(Math.max(...constant.map((sample) => Math.abs(sample - 12_345)))).toBeLessThanOrEqual(1);
    expect(resample(new Int16Array(22_050), 22_050, 8_000).some((sample) => sample !== 0)).toBe(false);
  });

  test("after a flush a new stream begins, as if it were the first", () => {
    const resampler = make(22_050, 8_000);
    // Of a length that ends between two samples of the output.
    const stream = sine(440, 22_050, 1).subarray(7);
    const round = (): Int16Array => joined([resampler.process(stream).slice(), resampler.flush()]);
    const first = round();
    expect(first).toHaveLength(7_998);
    expect(round()).toEqual(first);
    resampler.destroy();
  });

  test("streams side by side do not disturb each other, whoever grows the memory", async () => {
    const speex = await loadSpeex();
    const factory = resamplerFactory(speex);
    const one = factory(22_050, 8_000);
    const stream = sine(440, 22_050, 1);
    const halves = [stream.subarray(0, 11_025), stream.subarray(11_025)] as const;
    const output: Int16Array[] = [one.process(halves[0]).slice()];
    const before = speex.HEAP16;
    const others = Array.from({ length: 20 }, () => factory(8_000, 16_000));
    for (const other of others) other.process(sine(1_000, 8_000, 1));
    speex._malloc(before.byteLength);
    expect(before.byteLength).toBe(0);
    output.push(one.process(halves[1]).slice(), one.flush());
    expect(joined(output)).toEqual(resample(stream, 22_050, 8_000));
  });

  test("10,000 streams opened and closed leave nothing behind", async () => {
    const speex = await loadSpeex();
    const factory = resamplerFactory(speex);
    const piece = new Int16Array(160);
    const openAndClose = (): void => {
      const resampler = factory(8_000, 16_000);
      resampler.process(piece);
      resampler.destroy();
    };
    openAndClose();
    const bytes = speex.HEAP16.byteLength;
    for (let i = 0; i < 10_000; i += 1) openAndClose();
    expect(speex.HEAP16.byteLength).toBe(bytes);
  });

  test("says that there is no memory for another stream", async () => {
    const full = resamplerFactory({ ...(await loadSpeex()), _speex_resampler_init: () => 0 });
    expect(() => full(8_000, 16_000)).toThrow(expect.objectContaining({ code: "unavailable" }));
  });

  test("equal rates, and use after destroy, are our bugs", () => {
    expect(() => make(8_000, 8_000)).toThrow("two different rates");
    const resampler = make(8_000, 16_000);
    resampler.destroy();
    expect(() => resampler.process(new Int16Array(1))).toThrow("destroyed");
    expect(() => resampler.destroy()).toThrow("destroyed");
  });
});
