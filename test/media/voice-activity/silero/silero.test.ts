import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  loadSilero,
  SILERO_CHUNK_SAMPLES,
  SILERO_FILES,
  type Silero,
  type SileroStream,
} from "../../../../src/media/voice-activity/silero/silero.ts";
import { heapBytesPerRun } from "../../../support/heap.ts";
import { answers, noise, speech } from "../../../support/silero/chunks.ts";

const network = readFileSync(SILERO_FILES.network);
const weights = readFileSync(SILERO_FILES.weights);
const STREAMS_MAX = 4;
/** After 10 s without speech a stream begins anew, with a state that has heard the 2 s after them. */
const QUIET_CHUNKS = 312;
const WARM_UP_CHUNKS = 62;

/** Each property has its seed printed by fast-check where it fails. */
const anySample = fc.integer({ min: -32_768, max: 32_767 });
const anyChunk = fc.oneof(
  fc.int16Array({ minLength: SILERO_CHUNK_SAMPLES, maxLength: SILERO_CHUNK_SAMPLES }),
  anySample.map((value) => new Int16Array(SILERO_CHUNK_SAMPLES).fill(value)),
  fc
    .tuple(anySample, anySample, fc.integer({ min: 1, max: 128 }))
    .map(([high, low, half]) =>
      Int16Array.from({ length: SILERO_CHUNK_SAMPLES }, (_, i) => (i % (2 * half) < half ? high : low)),
    ),
  fc.tuple(anySample, fc.integer({ min: 0, max: SILERO_CHUNK_SAMPLES - 1 })).map(([value, at]) => {
    const click = new Int16Array(SILERO_CHUNK_SAMPLES);
    click[at] = value;
    return click;
  }),
);

describe("neural speech detection", () => {
  let silero: Silero;
  beforeAll(async () => {
    silero = await loadSilero(network, weights, STREAMS_MAX);
  });

  test("tells speech from noise", () => {
    const stream = silero.open();
    const ofNoise = answers(stream, noise(1, 100, 2_000));
    const ofSpeech = answers(stream, speech(5, 100));
    expect(Math.max(...ofNoise)).toBeLessThan(0.2);
    expect(ofSpeech.filter((probability) => probability > 0.5).length).toBeGreaterThan(60);
    stream.destroy();
  });

  test("any chunks of 16-bit samples give numbers from 0 to 1", () => {
    fc.assert(
      fc.property(fc.array(anyChunk, { minLength: 1, maxLength: 40 }), (chunks) => {
        const stream = silero.open();
        const probabilities = answers(stream, chunks);
        stream.destroy();
        expect(probabilities.every((probability) => probability >= 0 && probability <= 1)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("streams that take turns give the same bits as each by itself", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), anyChunk), { maxLength: 40 }), (turns) => {
        const [left, right] = [silero.open(), silero.open()];
        const together = turns.map(([isLeft, chunk]) => (isLeft ? left : right).probability(chunk));
        left.destroy();
        right.destroy();
        const apart = new Map<boolean, number[]>();
        for (const side of [true, false]) {
          const stream = silero.open();
          apart.set(
            side,
            answers(
              stream,
              turns.flatMap(([isLeft, chunk]) => (isLeft === side ? [chunk] : [])),
            ),
          );
          stream.destroy();
        }
        expect(together).toEqual(turns.map(([isLeft]) => apart.get(isLeft)?.shift()));
      }),
      { numRuns: 50 },
    );
  });

  test("another instance gives the same bits", async () => {
    const chunks = [...speech(6, 60), ...noise(2, 20, 500)];
    const other = (await loadSilero(network, weights, 1)).open();
    const stream = silero.open();
    expect(answers(other, chunks)).toEqual(answers(stream, chunks));
    stream.destroy();
  });

  test("in the place of a stream that was destroyed, nothing is known of what was heard", () => {
    const chunks = speech(7, 30);
    const first = silero.open();
    const expected = answers(first, chunks);
    first.destroy();
    const second = silero.open();
    expect(answers(second, chunks)).toEqual(expected);
    second.destroy();
  });

  test("after 10 s without speech it begins anew, 2 s later, and not before", () => {
    // Noise that ends in zeros: a fresh stream assumes zeros before its first chunk.
    const quiet = noise(3, QUIET_CHUNKS + WARM_UP_CHUNKS, 800);
    for (const chunk of quiet) chunk.fill(0, SILERO_CHUNK_SAMPLES - 32);
    const chunks = speech(8, 30);
    const [fresh, stream, old] = [silero.open(), silero.open(), silero.open()];
    answers(fresh, quiet.slice(QUIET_CHUNKS));
    const expected = answers(fresh, chunks);
    expect(Math.max(...answers(stream, quiet))).toBeLessThan(0.1);
    expect(answers(stream, chunks)).toEqual(expected);
    answers(old, quiet.slice(1));
    expect(answers(old, chunks)).not.toEqual(expected);
    for (const each of [fresh, stream, old]) each.destroy();
  });

  test("opens as many streams as it was made for, and again as many when they are destroyed", () => {
    for (let round = 0; round < 3; round += 1) {
      const streams = Array.from({ length: STREAMS_MAX }, () => silero.open());
      expect(() => silero.open()).toThrow(expect.objectContaining({ code: "unavailable" }));
      for (const stream of streams) stream.destroy();
    }
  });

  test("a thousand streams take at most 4 KiB each, and the last works as the first", async () => {
    const many = await loadSilero(network, weights, 1_000);
    const streams = Array.from({ length: 1_000 }, () => many.open());
    const chunks = speech(11, 10);
    expect(answers(streams[999] as SileroStream, chunks)).toEqual(answers(streams[0] as SileroStream, chunks));
    const { instance } = await WebAssembly.instantiate(network);
    const { state_bytes } = instance.exports as { state_bytes(): number };
    expect(2 * state_bytes()).toBeLessThanOrEqual(4_096);
  });

  test("weights of another network are refused", async () => {
    await expect(loadSilero(network, weights.subarray(4), 1)).rejects.toThrow("weights of 833536 bytes, not of 833540");
  });

  test("more streams than there is memory for are unavailable", async () => {
    await expect(loadSilero(network, weights, 10_000_000)).rejects.toThrow(
      expect.objectContaining({ code: "unavailable" }),
    );
  });

  test("a chunk of another length, and use after destroy, fail an assertion", () => {
    const stream = silero.open();
    expect(() => stream.probability(new Int16Array(160))).toThrow("a chunk of 160 samples, not of 256");
    stream.destroy();
    expect(() => stream.probability(new Int16Array(256))).toThrow("destroyed");
    expect(() => stream.destroy()).toThrow("destroyed twice");
  });

  test("a chunk allocates nothing", { timeout: 120_000 }, () => {
    const stream = silero.open();
    const [chunk] = speech(12, 1) as [Int16Array];
    let voiced = 0;
    const task = (): void => {
      if (stream.probability(chunk) > 0.4) voiced += 1;
    };
    expect(heapBytesPerRun(task, 200, 10_000)).toBeLessThan(1);
    expect(voiced).toBeGreaterThanOrEqual(0);
    stream.destroy();
  });
});
