import { expect, test } from "vitest";
import type { SegmentState } from "../../../src/media/voice-activity/speech-activity.ts";
import { StreamActivity } from "../../../src/media/voice-activity/stream-activity.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

const SPEECH: SegmentState = { isSpeech: true, isSpeaking: true, speechFrames: 3 };
const PAUSE: SegmentState = { isSpeech: false, isSpeaking: true, speechFrames: 3 };
const SILENCE: SegmentState = { isSpeech: false, isSpeaking: false, speechFrames: 3 };

test("edges are the changes of the segmenter, each with one frame", () => {
  const activity = new StreamActivity();
  const edges = [SILENCE, SPEECH, SPEECH, PAUSE, SILENCE, SILENCE].map((segment) => {
    activity.frame(segment);
    return activity.edge;
  });
  expect(edges).toEqual(["same", "started", "same", "same", "ended", "same"]);
});

test("silence that the carrier did not send counts as silent frames, and speech that ended in it ends with its last frame", () => {
  const activity = new StreamActivity();
  activity.frame(SPEECH);
  activity.frame(PAUSE);
  const seen = [1, 2, 3].map((frame) => {
    activity.silence(SILENCE, frame === 3);
    return [activity.edge, activity.isSpeaking, activity.silentFrames];
  });
  expect(seen).toEqual([
    ["same", true, 2],
    ["same", true, 3],
    ["ended", false, 4],
  ]);
});

test("silence never starts speech: that comes with the frame after it", () => {
  const activity = new StreamActivity();
  activity.silence(SPEECH, true);
  expect(activity).toMatchObject({ edge: "same", isSpeaking: false, isSpeech: false });
  activity.frame(SPEECH);
  expect(activity).toMatchObject({ edge: "started", isSpeaking: true, isSpeech: true, silentFrames: 0 });
});

test("a frame allocates nothing", () => {
  const activity = new StreamActivity();
  const run = (): void => {
    activity.frame(SPEECH);
    activity.silence(SILENCE, true);
  };
  expect(heapBytesPerRun(run, 1_000)).toBeLessThan(1);
});
