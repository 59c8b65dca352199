import { expect, test } from "vitest";
import { type CutPart, PartCutter, type PartCutterOptions } from "../../../src/transcription/parts/cutter.ts";
import { Random } from "../../support/random.ts";

const FRAME_SAMPLES = 320;
const FRAME_MS = 20;
const ONSET = { onsetSpeechFrames: 2, onsetWindowFrames: 3 };

/** Frames whose samples are their numbers, so that a part shows where its audio is from. */
function cut(voiced: readonly boolean[], options: Partial<PartCutterOptions> = {}): CutPart[] {
  const cutter = new PartCutter({ channel: 0, msMin: 0, msMax: 30_000, onset: ONSET, ...options });
  const parts = voiced.map((isVoiced, index) =>
    cutter.push(new Int16Array(FRAME_SAMPLES).fill(index % 30_000), isVoiced),
  );
  return [...parts, cutter.end()].filter((part) => part !== undefined);
}

const speech = (seconds: number): boolean[] => Array.from({ length: seconds * 50 }, () => true);
const silence = (seconds: number): boolean[] => Array.from({ length: seconds * 50 }, () => false);
const places = (parts: readonly CutPart[]): [number, number][] => parts.map(({ startMs, endMs }) => [startMs, endMs]);

test("each utterance is a part with a margin of silence on both sides, and the silence between them is in none", () => {
  const parts = cut([...silence(2), ...speech(1), ...silence(5), ...speech(2), ...silence(1)]);
  expect(parts).toHaveLength(2);
  for (const [index, [from, to]] of [
    [2_000, 3_000],
    [8_000, 10_000],
  ].entries()) {
    const { startMs, endMs } = parts[index] as CutPart;
    expect(startMs).toBeLessThanOrEqual((from as number) - 240);
    expect(startMs).toBeGreaterThan((from as number) - 400);
    expect(endMs).toBe((to as number) + 240);
  }
});

test("silence and single clicks are no part", () => {
  const clicks = Array.from({ length: 500 }, (_, index) => index % 50 === 0);
  expect(cut(clicks)).toEqual([]);
  expect(cut([])).toEqual([]);
});

test("a part goes on over pauses until it is long enough, but not over a long one", () => {
  const sentences = [
    ...speech(2),
    ...silence(1),
    ...speech(2),
    ...silence(1),
    ...speech(2),
    ...silence(1),
    ...speech(2),
  ];
  expect(cut(sentences, { msMin: 4_000 })).toHaveLength(2);
  expect(cut([...speech(1), ...silence(11), ...speech(1)], { msMin: 20_000 })).toHaveLength(2);
});

test("a part without a bound is everything that is said", () => {
  const all = cut([...speech(2), ...silence(60), ...speech(40)], { msMin: Infinity, msMax: Infinity });
  expect(places(all)).toEqual([[0, 102_000]]);
});

test("a full part is divided at its longest pause", () => {
  const parts = cut([...speech(20), ...silence(0.2), ...speech(5), ...silence(0.3), ...speech(20)]);
  expect(places(parts)).toEqual([
    [0, 25_360],
    [25_360, 45_500],
  ]);
});

test("speech without a pause is cut with an overlap of three seconds", () => {
  expect(places(cut(speech(60)))).toEqual([
    [0, 30_000],
    [27_000, 57_000],
    [54_000, 60_000],
  ]);
});

test("every voiced frame of speech is in a part, which has the audio of its place and no more than its bound", () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = new Random(seed);
    const voiced: boolean[] = [];
    while (voiced.length < 4_000) {
      const frames = 1 + Math.floor(random.next() * (random.next() < 0.1 ? 900 : 60));
      voiced.push(...Array.from({ length: frames }, () => voiced.length % 2 === 0 || random.next() < 0.5));
    }
    const options = { msMin: random.next() * 8_000, msMax: 8_000 + random.next() * 10_000 };
    const parts = cut(voiced, options);
    let onsetWindow = 0;
    const isCovered = (frame: number): boolean =>
      parts.some(({ startMs, endMs }) => startMs <= frame * FRAME_MS && (frame + 1) * FRAME_MS <= endMs);
    const lost = voiced.flatMap((isVoiced, frame) => {
      onsetWindow = ((onsetWindow << 1) | (isVoiced ? 1 : 0)) & 7;
      const isOnset = isVoiced && (onsetWindow & 6) !== 0;
      return isOnset && !isCovered(frame) ? [frame] : [];
    });
    expect(lost, `seed ${seed}`).toEqual([]);
    for (const { startMs, endMs, samples } of parts) {
      expect(endMs - startMs, `seed ${seed}`).toBeLessThanOrEqual(options.msMax);
      expect(samples, `seed ${seed}`).toHaveLength((endMs - startMs) * 16);
      expect(samples[0]).toBe(startMs / FRAME_MS);
      expect(samples.at(-1)).toBe(endMs / FRAME_MS - 1);
    }
    expect(places(parts), `seed ${seed}`).toEqual(places(cut(voiced, options)));
  }
});
