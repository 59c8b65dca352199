import { expect, test } from "vitest";
import { UnrecognizedSpeech } from "../../../src/speech/stt/unrecognized-speech.ts";
import { Random } from "../../support/random.ts";
import { activityOfStream } from "../../support/speech-activity.ts";

/** How much of this much audio, ms, passes until 6 s of speech have no transcript; Infinity where it never does. */
function reachedMs(durationMs: number, isSpeech: (frame: number) => boolean): number {
  const unrecognized = new UnrecognizedSpeech();
  const activityOf = activityOfStream();
  for (let frame = 0; frame * 20 < durationMs; frame += 1) {
    unrecognized.frame(activityOf(isSpeech(frame)));
    if (unrecognized.hasReached(6_000)) return (frame + 1) * 20;
  }
  return Number.POSITIVE_INFINITY;
}

test("speech without a pause reaches 6 s after 6 s, the frames of its onset included", () => {
  expect(reachedMs(10_000, () => true)).toBe(6_000);
});

test("pauses of a second, as in talking, make nothing forgotten", () => {
  // Three times 2 s of speech, with 1 s between.
  expect(reachedMs(60_000, (frame) => frame % 150 < 100)).toBe(8_000);
});

test("half a minute of silence makes 1.4 s of speech forgotten", () => {
  // 5 s of speech, 30 s of silence, and 2.4 s of speech in place of 1 s.
  expect(reachedMs(60_000, (frame) => frame < 250 || frame >= 1_750)).toBe(5_000 + 30_000 + 2_400);
});

test.each([
  0.005, 0.01, 0.02,
])("voiced frames scattered over an hour of music never add up: %d of all frames", (share) => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const random = new Random(seed);
    expect(
      reachedMs(3_600_000, () => random.chance(share)),
      `seed ${seed}`,
    ).toBe(Number.POSITIVE_INFINITY);
  }
});

test("a short sound that the call takes for speech, each 9 s, never adds up", () => {
  expect(reachedMs(3_600_000, (frame) => frame % 450 < 15)).toBe(Number.POSITIVE_INFINITY);
});

test("a transcript starts the measurement again", () => {
  const unrecognized = new UnrecognizedSpeech();
  const activityOf = activityOfStream();
  for (let frame = 0; frame < 100; frame += 1) unrecognized.frame(activityOf(true));
  expect(unrecognized.hasReached(2_000)).toBe(true);
  unrecognized.reset();
  expect(unrecognized.hasReached(20)).toBe(false);
});
