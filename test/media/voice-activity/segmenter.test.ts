import { describe, expect, test } from "vitest";
import { callMs, mediaMs, millisecondsOf } from "../../../src/core/clocks.ts";
import type { SpeechOnset } from "../../../src/media/voice-activity/detector.ts";
import { DEFAULT_SEGMENTATION, SPEECH_PREROLL_MS } from "../../../src/media/voice-activity/segmentation.ts";
import { SpeechSegmenter } from "../../../src/media/voice-activity/segmenter.ts";

/** Feeds a pattern of voiced (`#`) and unvoiced (`.`) frames; returns when speech began and ended, in frames. */
function detect(
  pattern: string,
  mediaMsOf: (frame: number) => number = (frame) => frame * 20,
  onset: Partial<SpeechOnset> = {},
) {
  const segmenter = new SpeechSegmenter({ ...DEFAULT_SEGMENTATION, ...onset });
  const changes: [number, string][] = [];
  for (const [frame, char] of [...pattern].entries()) {
    const change = segmenter.frame(char === "#", mediaMs(mediaMsOf(frame)), callMs(frame * 20));
    if (change !== "same") changes.push([frame, change]);
  }
  return { segmenter, changes };
}

const SETTLE = ".".repeat(15);

describe("the segmenter", () => {
  test("the preroll covers the time in which the detector settles and finds the onset", () => {
    const { settleMs, onsetWindowFrames } = DEFAULT_SEGMENTATION;
    expect(SPEECH_PREROLL_MS).toBeGreaterThanOrEqual(settleMs + onsetWindowFrames * 20);
  });

  test("speech starts with the third voiced frame of five, and dates from the first of them", () => {
    const { segmenter, changes } = detect(`${SETTLE}.#.#.#`);
    expect(changes).toEqual([[20, "started"]]);
    expect(segmenter.speechStartMs).toBe(16 * 20);
  });

  test("three voiced frames in six are not speech", () => {
    expect(detect(`${SETTLE}#..#.#....`).changes).toEqual([]);
  });

  test("speech ends after 300 ms without voiced frames, and a shorter pause does not end it", () => {
    const { changes } = detect(`${SETTLE}###${".".repeat(14)}###${".".repeat(15)}`);
    expect(changes).toEqual([
      [17, "started"],
      [49, "ended"],
    ]);
  });

  test("voiced frames are ignored in the first 300 ms", () => {
    expect(detect("#".repeat(15)).changes).toEqual([]);
    expect(detect("#".repeat(18)).changes).toEqual([[17, "started"]]);
  });

  test("counts the voiced frames of speech, with those of its onset, until the next speech starts", () => {
    const counts = (pattern: string): number => detect(pattern).segmenter.speechFrames;
    expect(counts(`${SETTLE}#.#.#`)).toBe(3);
    expect(counts(`${SETTLE}#.#.##..##${".".repeat(20)}##`)).toBe(6);
    expect(counts(`${SETTLE}#####${".".repeat(20)}###`)).toBe(3);
  });

  test("a frame is voiced only once the detector has settled", () => {
    const { segmenter } = detect("#".repeat(15));
    expect(segmenter.isSpeech).toBe(false);
    segmenter.frame(true, mediaMs(300), callMs(300));
    expect(segmenter.isSpeech).toBe(true);
  });

  test("the onset is the detector's: two of three frames, from the first frame on", () => {
    const onset = { onsetSpeechFrames: 2, onsetWindowFrames: 3, settleMs: 0 };
    expect(detect("#.#", undefined, onset).changes).toEqual([[2, "started"]]);
    expect(detect("#..#..#", undefined, onset).changes).toEqual([]);
  });

  test("a gap in the media time is silence, and a long one ends speech though its frames arrived at once", () => {
    const { changes } = detect(`${SETTLE}#####...`, (frame) => frame * 20 + (frame > 19 ? 400 : 0));
    expect(changes).toEqual([
      [17, "started"],
      [20, "ended"],
    ]);
  });

  test("a carrier that stops sending during speech makes the deadline end the speech", () => {
    const { segmenter } = detect(`${SETTLE}#####`);
    expect(segmenter.deadlineMs).toBe(19 * 20 + DEFAULT_SEGMENTATION.frameLossMs);
    segmenter.framesStopped();
    expect(segmenter.isSpeaking).toBe(false);
    expect(segmenter.deadlineMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("a peer that sends a second at once has not stopped before its next second is late", () => {
    const segmenter = new SpeechSegmenter(DEFAULT_SEGMENTATION);
    let deadlineMs = callMs(Number.NaN);
    for (let frame = 0; frame < 200; frame += 1) {
      const nowMs = 1_000 * (1 + Math.floor(frame / 50));
      if (frame >= 100 && frame % 50 === 0) expect(millisecondsOf(deadlineMs)).toBeGreaterThan(nowMs);
      segmenter.frame(true, mediaMs(frame * 20), callMs(nowMs));
      deadlineMs = segmenter.deadlineMs;
    }
    expect(segmenter.isSpeaking).toBe(true);
    expect(deadlineMs).toBe(4_000 + DEFAULT_SEGMENTATION.frameLossMs + 980);
  });

  test("C6: media time that jumps by an hour is one pause and costs nothing", () => {
    const { changes } = detect(`${SETTLE}#####.#####`, (frame) => frame * 20 + (frame > 19 ? 3_600_000 : 0));
    expect(changes.map(([, change]) => change)).toEqual(["started", "ended", "started"]);
  });
});
