import { expect, test } from "vitest";
import type { SpeechActivity } from "../../../src/media/voice-activity/speech-activity.ts";
import { ReplayBuffer } from "../../../src/speech/stt/replay-buffer.ts";

const EDGES = ["same", "started", "ended"] as const;

/** The activity of frame `n`: every combination occurs. */
const activityAt = (n: number): SpeechActivity => ({
  isSpeech: n % 2 === 0,
  isSpeaking: n % 5 < 2,
  edge: EDGES[n % 3] as (typeof EDGES)[number],
  speechFrames: 70_000 + n,
  silentFrames: 80_000 + n,
});

const numbered = (kept: ReplayBuffer, from: number, to: number): void => {
  for (let n = from; n < to; n += 1) kept.push(new Int16Array(n % 3 === 0 ? 159 : 161).fill(n), activityAt(n));
};

function replayed(kept: ReplayBuffer): number[] {
  const frames: number[] = [];
  kept.replay((frame, activity) => {
    const n = frame[0] as number;
    expect(frame.length).toBe(n % 3 === 0 ? 159 : 161);
    expect(activity).toEqual(activityAt(n));
    expect(frame.every((sample) => sample === n)).toBe(true);
    frames.push(n);
  });
  return frames;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

test("replays every frame with its activity, in order and unchanged", () => {
  const kept = new ReplayBuffer(160, 500);
  numbered(kept, 0, 120);
  expect(replayed(kept)).toEqual(range(0, 120));
});

test("drops the oldest frames when it is full, and on request all but the newest", () => {
  const kept = new ReplayBuffer(160, 100);
  numbered(kept, 0, 1_000);
  const frames = replayed(kept);
  expect(frames).toEqual(range(frames[0] as number, 1_000));
  expect(frames.length).toBeGreaterThanOrEqual(100);
  expect(frames.length).toBeLessThanOrEqual(125);
  kept.keepLast(30);
  expect(replayed(kept)).toEqual(range(970, 1_000));
  numbered(kept, 1_000, 1_010);
  kept.keepLast(30);
  expect(replayed(kept)).toEqual(range(980, 1_010));
  kept.keepLast(0);
  expect(replayed(kept)).toEqual([]);
  numbered(kept, 7, 9);
  expect(replayed(kept)).toEqual([7, 8]);
});
