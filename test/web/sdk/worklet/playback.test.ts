import { beforeEach, describe, expect, test } from "vitest";
import { Playback } from "../../../../web/sdk/src/worklet/playback.ts";

const RATE_HZ = 48_000;
/** What the browser asks for at once. */
const BLOCK = 128;
const LEVEL = 8_000;
const MS = RATE_HZ / 1_000;
/** The delay of the resampler, which passes equal rates unchanged. */
const DELAY = 24;

const audio = (durationMs: number, level = LEVEL): Int16Array => new Int16Array(durationMs * MS).fill(level);

let marks: string[];
let playback: Playback;
beforeEach(() => {
  marks = [];
  playback = new Playback(RATE_HZ, RATE_HZ, (name) => marks.push(name));
});

/** What comes out in the next `durationMs`, in whole blocks, as 16-bit samples. */
function read(durationMs: number, from = playback): number[] {
  const samples: number[] = [];
  while (samples.length < durationMs * MS) {
    const block = new Float32Array(BLOCK);
    from.read(block);
    samples.push(...block.map((x) => Math.round(x * 32_768)));
  }
  return samples;
}

const loud = (samples: readonly number[]): number => samples.filter((x) => x !== 0).length / MS;

describe("the playback", () => {
  test("plays silence, which is not counted, where there is nothing", () => {
    expect(loud(read(100))).toBe(0);
    expect(playback.playedMs).toBe(0);
  });

  test("plays all audio in order, and counts it", () => {
    playback.push(audio(20, 1_000));
    playback.push(audio(20, 2_000));
    playback.push(audio(20, 3_000));
    const played = read(100).filter((x) => x !== 0);
    expect(played.length).toBe(60 * MS);
    expect([played[0], played[20 * MS], played[40 * MS], played.at(-1)]).toEqual([1_000, 2_000, 3_000, 3_000]);
    expect(playback.playedMs).toBe(60);
  });

  test("begins with 40 ms, so that a late message does not tear it; with less after 60 ms", () => {
    playback.push(audio(20));
    expect(loud(read(20))).toBe(0);
    playback.push(audio(20));
    expect(loud(read(10))).toBeGreaterThan(8);
    read(100);
    playback.push(audio(20));
    expect(loud(read(50))).toBe(0);
    expect(loud(read(50))).toBe(20);
  });

  test("goes on after it ran dry, and counts only audio", () => {
    playback.push(audio(100));
    read(300);
    expect(playback.playedMs).toBe(100);
    playback.push(audio(100));
    read(300);
    expect(playback.playedMs).toBe(200);
  });

  test("returns a mark when all audio before it was played, not before", () => {
    playback.push(audio(100));
    playback.mark("a");
    playback.push(audio(100));
    playback.mark("b");
    read(95);
    expect(marks).toEqual([]);
    read(6);
    expect(marks).toEqual(["a"]);
    read(90);
    expect(marks).toEqual(["a"]);
    read(10);
    expect(marks).toEqual(["a", "b"]);
  });

  test("returns a mark without audio before it at once", () => {
    playback.mark("a");
    expect(marks).toEqual(["a"]);
    playback.push(audio(40));
    playback.mark("b");
    playback.mark("c");
    read(80);
    expect(marks).toEqual(["a", "b", "c"]);
  });

  test("at a clear drops what was not played, with its marks, after a ramp of 10 ms", () => {
    playback.push(audio(1_000));
    playback.mark("a");
    read(200);
    const playedMs = playback.clear();
    expect(playedMs).toBeGreaterThan(198);
    expect(playedMs).toBeLessThan(203);
    const after = read(100);
    // What was in the filter is played, then the ramp falls without a step.
    const ramp = after.slice(0, DELAY + 10 * MS);
    expect(ramp[0]).toBe(LEVEL);
    expect(ramp.every((x, k) => k === 0 || (ramp[k - 1] as number) - x <= LEVEL / (9 * MS))).toBe(true);
    expect(loud(after)).toBeLessThan(11);
    expect(marks).toEqual([]);
    expect(playback.playedMs).toBe(playedMs);
  });

  test("plays what comes after a clear, and counts on", () => {
    playback.push(audio(1_000));
    read(200);
    const playedMs = playback.clear();
    playback.push(audio(100, 3_000));
    playback.mark("b");
    expect(loud(read(200).filter((x) => x >= 3_000))).toBeGreaterThan(99);
    expect(marks).toEqual(["b"]);
    expect(playback.playedMs).toBeCloseTo(playedMs + 100, 6);
  });

  test("a clear where nothing plays makes no sound", () => {
    playback.push(audio(20));
    expect(playback.clear()).toBe(0);
    expect(loud(read(100))).toBe(0);
  });

  test("counts in the time of the messages where the loudspeaker has another rate", () => {
    const other = new Playback(24_000, 44_100, (name) => marks.push(name));
    for (let count = 0; count < 50; count += 1) other.push(new Int16Array(480).fill(LEVEL));
    other.mark("end");
    const samples = read(1_500, other);
    expect(other.playedMs).toBe(1_000);
    expect(marks).toEqual(["end"]);
    // Samples of 44.1 kHz.
    expect(samples.filter((x) => Math.abs(x) > LEVEL / 2).length / 44.1).toBeCloseTo(1_000, 0);
  });

  test("drops audio that waits for more than 30 s", () => {
    for (let count = 0; count < 40; count += 1) playback.push(audio(1_000));
    read(35_000);
    expect(playback.playedMs).toBe(30_000);
  }, 60_000);
});
