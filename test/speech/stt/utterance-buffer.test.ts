import { describe, expect, test } from "vitest";
import type { SegmentationParameters } from "../../../src/media/voice-activity/segmentation.ts";
import { EventQueue } from "../../../src/speech/event-queue.ts";
import { transcriptLanguage, transcriptText } from "../../../src/speech/stt/transcript-text.ts";
import { UtteranceBuffer } from "../../../src/speech/stt/utterance-buffer.ts";
import { activityOfStream } from "../../support/speech-activity.ts";

describe("UtteranceBuffer", () => {
  /** The speech of frames as a text: `v` is voiced, `.` is not. Returns the frames of each utterance, by their index. */
  const cut = (frames: string, parameters?: Partial<SegmentationParameters>): number[][] => {
    const buffer = new UtteranceBuffer();
    const activityOf = activityOfStream(parameters);
    const frame = new Int16Array(160);
    return [...frames].flatMap((letter, index) => {
      const utterance = buffer.write(frame.fill(index), activityOf(letter === "v"));
      frame.fill(-1); // The frame was borrowed.
      return utterance === undefined ? [] : [[...utterance.filter((_sample, at) => at % 160 === 0)]];
    });
  };
  const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

  test("an utterance includes a preroll of 400 ms, and the pause of 300 ms that ended it", () => {
    expect(cut(`${".".repeat(100)}${"v".repeat(10)}${".".repeat(100)}`)).toEqual([range(82, 125)]);
  });

  test("the next utterance starts with the frame after the pause", () => {
    const spoken = `${"v".repeat(10)}${".".repeat(18)}`;
    expect(cut(`${spoken}${spoken}`)).toEqual([range(0, 25), range(25, 53)]);
  });

  test("where the call ends speech early and it starts again at once, no frame is lost and none is in two utterances", () => {
    const frames = `${"v".repeat(10)}${".".repeat(6)}${"v".repeat(10)}${".".repeat(5)}vvv${".".repeat(40)}`;
    expect(cut(frames, { settleMs: 0, hangoverMs: 100 })).toEqual([range(0, 15), range(15, 31), range(31, 39)]);
  });

  test("speech that the call does not count, while the detector settles, is no utterance", () => {
    expect(cut(`${"v".repeat(10)}${".".repeat(60)}`, { settleMs: 300 })).toEqual([]);
  });

  test("speech from the very first frame is complete, though the call finds it only after the detector has settled", () => {
    expect(cut(`${"v".repeat(40)}${".".repeat(60)}`, { settleMs: 300 })).toEqual([range(0, 55)]);
  });

  test("speech that ends when a long utterance is split has its end in an utterance of its own", () => {
    const lengths = cut(`${"v".repeat(1_500)}${".".repeat(60)}${"v".repeat(10)}${".".repeat(60)}`).map(
      (utterance) => utterance.length,
    );
    expect(lengths).toEqual([1_500, 15, 20 + 8 + 15]);
  });

  test("the rest of a pause whose speech was dropped is no utterance", () => {
    const buffer = new UtteranceBuffer();
    const activityOf = activityOfStream();
    for (let n = 0; n < 10; n += 1) activityOf(true);
    for (let n = 0; n < 100; n += 1) expect(buffer.write(new Int16Array(160), activityOf(false))).toBeUndefined();
  });

  test("speech in whose middle the stream begins is an utterance", () => {
    const buffer = new UtteranceBuffer();
    const activityOf = activityOfStream();
    for (let n = 0; n < 10; n += 1) activityOf(true);
    const lengths: number[] = [];
    for (let n = 0; n < 40; n += 1) {
      const utterance = buffer.write(new Int16Array(160), activityOf(n < 5));
      if (utterance !== undefined) lengths.push(utterance.length / 160);
    }
    expect(lengths).toEqual([20]);
  });
});

describe("transcript text", () => {
  test("is one line without control characters", () => {
    expect(transcriptText(" two\tcakes\u0000\r\n\u0085please ")).toBe("two cakes please");
    expect(transcriptText("\u0007 ")).toBe("");
  });

  test("has the call's own language tag where only the region differs", () => {
    expect(transcriptLanguage("en", "en-GB")).toBe("en-GB");
    expect(transcriptLanguage("EN_us", "en-GB")).toBe("en-GB");
    expect(transcriptLanguage("de", "en-GB")).toBe("de");
  });
});

describe("EventQueue", () => {
  test("yields the events before a failure, then the first failure, and nothing after it", async () => {
    const queue = new EventQueue<string>(new AbortController().signal);
    queue.push("before");
    queue.fail(new Error("first"));
    queue.fail(new Error("second"));
    queue.push("after");
    const events = queue[Symbol.asyncIterator]();
    expect(await events.next()).toEqual({ done: false, value: "before" });
    await expect(events.next()).rejects.toThrow("first");
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test("wakes a waiting reader when it fails, and does not report a failure after an abort", async () => {
    const queue = new EventQueue<string>(new AbortController().signal);
    const next = queue[Symbol.asyncIterator]().next();
    queue.fail(new Error("failed"));
    await expect(next).rejects.toThrow("failed");

    const abortController = new AbortController();
    const aborted = new EventQueue<string>(abortController.signal);
    abortController.abort();
    aborted.fail(new Error("failed"));
    expect(await aborted[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  });
});
