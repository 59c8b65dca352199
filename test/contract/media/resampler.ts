import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { ResamplerFactory } from "../../../src/media/resampler.ts";

// What every resampler must do.

export interface ResamplerUnderTest {
  make: ResamplerFactory;
  /** Memory that the implementation holds at the moment, bytes. */
  heldBytes(): number | Promise<number>;
}

const AMPLITUDE = 30_000;
/** Those of telephones, voices, raw sockets and files. */
const RATES_HZ = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000] as const;
type RatePair = readonly [fromHz: number, toHz: number];
const ALL_RATE_PAIRS: readonly RatePair[] = RATES_HZ.flatMap((fromHz) =>
  RATES_HZ.filter((toHz) => toHz !== fromHz).map((toHz): RatePair => [fromHz, toHz]),
);
/** The pairs that most calls use: to and from the bus, from the TTS to the telephone. */
export const COMMON_RATE_PAIRS: readonly RatePair[] = [
  [8_000, 16_000],
  [16_000, 8_000],
  [48_000, 16_000],
  [16_000, 48_000],
  [22_050, 8_000],
  [22_050, 16_000],
  [24_000, 8_000],
];
export const OTHER_RATE_PAIRS = ALL_RATE_PAIRS.filter(
  ([fromHz, toHz]) => !COMMON_RATE_PAIRS.some(([from, to]) => from === fromHz && to === toHz),
);
/** So many samples of the lower rate is as far as a sample may be felt on either side: 5 ms at 8 kHz. */
const REACH_SAMPLES = 40;
/** The longest chunk that comes in one go: 100 ms of 48 kHz, and one sample. */
const CHUNK_SAMPLES_MAX = 4_801;
const STREAMS = 10_000;

/**
 * Every promise of `Resampler`, and how it must sound, for `pairs` of rates. For those in `thorough` every length of chunk is
 * tried, and an hour, which takes seconds each.
 */
export function resamplerContract(
  name: string,
  { pairs, thorough }: { pairs: readonly RatePair[]; thorough: readonly RatePair[] },
  load: () => Promise<ResamplerUnderTest>,
): void {
  describe(`resampler contract: ${name}`, () => {
    let subject: ResamplerUnderTest;
    beforeAll(async () => {
      subject = await load();
    });
    const make: ResamplerFactory = (fromHz, toHz) => subject.make(fromHz, toHz);
    describe.each(pairs)("from %d to %d Hz", (fromHz, toHz) => {
      toneContract(make, fromHz, toHz);
      shapeContract(make, fromHz, toHz);
      countContract(make, fromHz, toHz);
    });
    thoroughContract(make, thorough);
    streamContract(make, () => subject.heldBytes());
  });
}

/** Sines: what passes, how purely, and what must not. */
function toneContract(make: ResamplerFactory, fromHz: number, toHz: number): void {
  const lowerHz = Math.min(fromHz, toHz);
  const nyquistHz = lowerHz / 2;
  const edge = reach(toHz, lowerHz);
  const through = (hz: number): Int16Array => inner(resample(make(fromHz, toHz), sine(hz, fromHz, fromHz / 2)), edge);

  test("M8: a tone of 1 kHz keeps its level and its place in time, 85 dB above everything else", () => {
    const tone = analyse(through(1_000), 1_000, toHz, edge);
    expect(tone.snrDb).toBeGreaterThanOrEqual(85);
    expect(Math.abs(db(tone.amplitude / AMPLITUDE))).toBeLessThan(0.01);
    expect(Math.abs(tone.phase)).toBeLessThan(0.001);
  });

  test("M8: tones from 0.05 to 0.85 of the Nyquist frequency pass within 0.1 dB, 70 dB above their images", () => {
    for (let place = 0.05; place < 0.851; place += 0.05) {
      const hz = place * nyquistHz;
      const { amplitude, snrDb } = analyse(through(hz), hz, toHz, edge);
      expect(Math.abs(db(amplitude / AMPLITUDE)), `${hz} Hz`).toBeLessThanOrEqual(0.1);
      expect(snrDb, `${hz} Hz`).toBeGreaterThanOrEqual(70);
    }
  });

  const firstAliasHz = 1.15 * nyquistHz;
  // Between rates that are close to each other there is no such tone.
  if (firstAliasHz >= fromHz / 2) return;
  test("M8: tones above 1.15 of the Nyquist frequency leave at most -70 dB", () => {
    // The last one is just below the input's own limit, and the steps meet no round part of a rate.
    const tones = Array.from({ length: 17 }, (_, i) => firstAliasHz + (i / 16) * (fromHz / 2 - 1 - firstAliasHz));
    for (const hz of tones) {
      const rest = through(hz);
      const rms = Math.sqrt(rest.reduce((sum, sample) => sum + sample * sample, 0) / rest.length);
      expect(db((rms * Math.SQRT2) / AMPLITUDE), `${hz} Hz`).toBeLessThan(-70);
    }
  });
}

/** Signals that are no tones. */
function shapeContract(make: ResamplerFactory, fromHz: number, toHz: number): void {
  const lowerHz = Math.min(fromHz, toHz);
  const edge = reach(toHz, lowerHz);
  const whole = (samples: Int16Array): Int16Array => resample(make(fromHz, toHz), samples);

  test("M8: silence stays silent", () => {
    expect(whole(new Int16Array(fromHz)).some((sample) => sample !== 0)).toBe(false);
  });

  test.each([1, -1, 12_345, 32_767, -32_768])("M8: a constant of %d stays unchanged", (constant) => {
    const samples = inner(whole(new Int16Array(fromHz / 10).fill(constant)), edge);
    expect(samples.length).toBeGreaterThan(toHz / 20);
    expect(samples.reduce((most, sample) => Math.max(most, Math.abs(sample - constant)), 0)).toBeLessThanOrEqual(1);
  });

  test("M8: an impulse has the right position and area, and a short response", () => {
    const impulseAt = 1_999;
    const samples = new Int16Array(4_000);
    samples[impulseAt] = AMPLITUDE;
    const answer = whole(samples);
    const centre = (impulseAt * toHz) / fromHz;
    const peakAt = answer.indexOf(answer.reduce((most, sample) => Math.max(most, sample), 0));
    expect(Math.abs(peakAt - centre)).toBeLessThanOrEqual(1);
    const sum = answer.reduce((total, sample) => total + sample, 0);
    expect(sum / ((AMPLITUDE * toHz) / fromHz)).toBeCloseTo(1, 2);
    expect(answer.findIndex((sample) => sample !== 0)).toBeGreaterThanOrEqual(Math.floor(centre - edge));
    expect(answer.findLastIndex((sample) => sample !== 0)).toBeLessThanOrEqual(Math.ceil(centre + edge));
  });

  test("M8: full scale is clipped, not wrapped", () => {
    /** Ten periods; each half is as long as the filter at both of its ends, and some more. */
    const halfSamples = Math.ceil((3 * REACH_SAMPLES * fromHz) / lowerHz);
    const square = Int16Array.from({ length: 20 * halfSamples }, (_, i) =>
      Math.floor(i / halfSamples) % 2 === 0 ? 32_767 : -32_768,
    );
    const halfOut = (halfSamples * toHz) / fromHz;
    /** From one side to the other it takes two samples of the lower rate, each way. */
    const swing = (2 * toHz) / lowerHz;
    const wrong = whole(square).filter((sample, i) => {
      const into = i % halfOut;
      if (into < swing || into > halfOut - swing) return false;
      // It rings at the edges, by a tenth at most, and must not fall below.
      return Math.floor(i / halfOut) % 2 === 0 ? sample < 25_000 : sample > -25_000;
    });
    expect(wrong).toHaveLength(0);
  });
}

/** How many samples come, and when. */
function countContract(make: ResamplerFactory, fromHz: number, toHz: number): void {
  const lowerHz = Math.min(fromHz, toHz);

  test("M8: the lengths of chunks change no sample, and every count is exact", () => {
    const stream = noise(2 * CHUNK_SAMPLES_MAX + 371);
    const whole = resample(make(fromHz, toHz), stream);
    const cut = (chunks: readonly number[], length = stream.length): Int16Array =>
      resample(make(fromHz, toHz), stream.subarray(0, length), chunks);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: stream.length }),
        fc.array(fc.integer({ min: 1, max: CHUNK_SAMPLES_MAX }), { minLength: 1, maxLength: 20 }),
        (length, chunks) => {
          expect(equal(cut(chunks), whole)).toBe(true);
          expect(cut(chunks, length)).toHaveLength(Math.ceil((length * toHz) / fromHz));
        },
      ),
      { numRuns: 20 },
    );
    for (const chunk of [1, 2, 3, CHUNK_SAMPLES_MAX])
      expect(equal(cut([chunk]), whole), `chunks of ${chunk}`).toBe(true);
  });

  test("M8: the count is exact over a minute of odd chunks", () => {
    expect(countOf(make(fromHz, toHz), 60 * fromHz, 1_237)).toBe(60 * toHz);
  });

  test("at most 5 ms at 8 kHz, and as many samples at other rates, are delayed", () => {
    const resampler = make(fromHz, toHz);
    const ready = resampler.process(new Int16Array(fromHz)).length;
    expect(toHz - ready).toBeLessThanOrEqual(reach(toHz, lowerHz));
    resampler.destroy();
  });
}

function thoroughContract(make: ResamplerFactory, pairs: readonly RatePair[]): void {
  test.each(
    pairs,
  )("M8: from %d to %d Hz chunks of every length from 1 to 4,801 give the same samples", (fromHz, toHz) => {
    const stream = noise(CHUNK_SAMPLES_MAX + 100);
    const whole = resample(make(fromHz, toHz), stream);
    const others: number[] = [];
    for (let chunk = 1; chunk <= CHUNK_SAMPLES_MAX; chunk += 1) {
      if (!equal(resample(make(fromHz, toHz), stream, [chunk]), whole)) others.push(chunk);
    }
    expect(others).toEqual([]);
  });

  test.each(pairs)("M8: from %d to %d Hz the count is exact over an hour", { timeout: 60_000 }, (fromHz, toHz) => {
    expect(countOf(make(fromHz, toHz), 3_600 * fromHz, fromHz)).toBe(3_600 * toHz);
  });
}

/** What is the same for all rates. */
function streamContract(make: ResamplerFactory, heldBytes: () => number | Promise<number>): void {
  test("after a flush a new stream begins like the first one", () => {
    const resampler = make(22_050, 8_000);
    // Of a length that ends between two samples of the output.
    const stream = sine(440, 22_050, 22_043);
    const round = (): Int16Array => joined([resampler.process(stream).slice(), resampler.flush().slice()]);
    const first = round();
    expect(first).toHaveLength(7_998);
    expect(equal(round(), first)).toBe(true);
    resampler.destroy();
  });

  test("concurrent streams do not affect each other", () => {
    const streams = ALL_RATE_PAIRS.map(([fromHz, toHz], i) => ({
      fromHz,
      toHz,
      samples: sine(200 + 20 * i, fromHz, fromHz / 4),
    }));
    const open = streams.map(({ fromHz, toHz }) => ({ resampler: make(fromHz, toHz), output: [] as Int16Array[] }));
    for (let at = 0; at < 12_000; at += 441) {
      for (const [i, { resampler, output }] of open.entries()) {
        output.push(resampler.process((streams[i] as (typeof streams)[number]).samples.subarray(at, at + 441)).slice());
      }
    }
    for (const [i, { resampler, output }] of open.entries()) {
      output.push(resampler.flush().slice());
      resampler.destroy();
      const { fromHz, toHz, samples } = streams[i] as (typeof streams)[number];
      expect(equal(joined(output), resample(make(fromHz, toHz), samples)), `${fromHz} to ${toHz} Hz`).toBe(true);
    }
  });

  test("M8: 10,000 streams opened and closed leak no memory", async () => {
    const chunk = noise(441);
    const openAndClose = (): void => {
      for (const [fromHz, toHz] of [
        [22_050, 8_000],
        [44_100, 48_000],
      ] as const) {
        const resampler = make(fromHz, toHz);
        resampler.process(chunk);
        resampler.destroy();
      }
    };
    for (let i = 0; i < 10; i += 1) openAndClose();
    const before = await heldBytes();
    for (let i = 0; i < STREAMS / 2; i += 1) openAndClose();
    // A kilobyte a stream: the state of none is as small.
    expect((await heldBytes()) - before).toBeLessThan(1_000 * STREAMS);
  });

  test("equal rates, and use after destroy, fail an assertion", () => {
    expect(() => make(8_000, 8_000)).toThrow("two different rates");
    const resampler = make(8_000, 16_000);
    resampler.destroy();
    expect(() => resampler.process(new Int16Array(1))).toThrow("destroyed");
    expect(() => resampler.flush()).toThrow("destroyed");
    expect(() => resampler.destroy()).toThrow("destroyed");
  });
}

/** How far, in samples of the output, one sample of the input may be felt; what begins or ends is felt as far. */
const reach = (toHz: number, lowerHz: number): number => Math.ceil((REACH_SAMPLES * toHz) / lowerHz) + 1;

const inner = (samples: Int16Array, edge: number): Int16Array => samples.subarray(edge, samples.length - edge);

/** The whole stream, cut into chunks of the given lengths in turn; the resampler is destroyed. */
function resample(
  resampler: ReturnType<ResamplerFactory>,
  samples: Int16Array,
  chunks: readonly number[] = [882],
): Int16Array {
  const output: Int16Array[] = [];
  for (let at = 0, i = 0; at < samples.length; i += 1) {
    const length = chunks[i % chunks.length] as number;
    output.push(resampler.process(samples.subarray(at, at + length)).slice());
    at += length;
  }
  output.push(resampler.flush().slice());
  resampler.destroy();
  return joined(output);
}

/** How many samples come of `samples` of silence, in chunks of `chunkSamples`; the resampler is destroyed. */
function countOf(resampler: ReturnType<ResamplerFactory>, samples: number, chunkSamples: number): number {
  const chunk = new Int16Array(chunkSamples);
  let count = 0;
  for (let left = samples; left > 0; left -= chunkSamples) {
    count += resampler.process(left < chunkSamples ? chunk.subarray(0, left) : chunk).length;
  }
  count += resampler.flush().length;
  resampler.destroy();
  return count;
}

const sine = (hz: number, rateHz: number, length: number): Int16Array =>
  Int16Array.from({ length }, (_, i) => Math.round(AMPLITUDE * Math.sin((2 * Math.PI * hz * i) / rateHz)));

/** Something of every frequency, the same each time. */
const noise = (length: number): Int16Array => Int16Array.from({ length }, (_, i) => ((i * 7_919) % 60_013) - 30_000);

/** The sine of `hz` that is in `samples`, by least squares, and what is there besides. The first one is sample `from`. */
function analyse(
  samples: Int16Array,
  hz: number,
  rateHz: number,
  from: number,
): { amplitude: number; phase: number; snrDb: number } {
  let ss = 0;
  let sc = 0;
  let cc = 0;
  let ys = 0;
  let yc = 0;
  let yy = 0;
  for (let i = 0; i < samples.length; i += 1) {
    const y = samples[i] as number;
    const turn = (2 * Math.PI * hz * (from + i)) / rateHz;
    const s = Math.sin(turn);
    const c = Math.cos(turn);
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

function joined(chunks: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** What `toEqual` says of two long arrays, in a thousandth of the time. */
const equal = (a: Int16Array, b: Int16Array): boolean =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));

const db = (ratio: number): number => 20 * Math.log10(ratio);
