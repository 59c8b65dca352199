import { describe, expect, test } from "vitest";
import { EventQueue } from "../../../src/speech/event-queue.ts";
import { SpeechGate } from "../../../src/speech/stt/speech-gate.ts";
import { transcriptLanguage, transcriptText } from "../../../src/speech/stt/transcript-text.ts";
import { UtteranceBuffer } from "../../../src/speech/stt/utterance-buffer.ts";

/** Frames as a text: `v` is voiced, `.` is not. */
const changes = (gate: SpeechGate, frames: string): string[] => [...frames].map((frame) => gate.frame(frame === "v"));

describe("SpeechGate", () => {
  test("starts speech with the third voiced frame of five, and not for clicks", () => {
    expect(changes(new SpeechGate(60), "v.v.v")).toEqual(["same", "same", "same", "same", "began"]);
    expect(changes(new SpeechGate(60), "vv...vv...v....v")).not.toContain("began");
  });

  test("ends speech after the hangover, and can start it again", () => {
    expect(changes(new SpeechGate(60), "vvv..v...vvv")).toEqual([
      ...["same", "same", "began"],
      ...["same", "same", "same", "same", "same", "ended"],
      ...["same", "same", "began"],
    ]);
  });
});

describe("UtteranceBuffer", () => {
  const FRAMES_BEFORE = 15;
  const cut = (frames: string): number[] => {
    const buffer = new UtteranceBuffer();
    return [...frames].flatMap((frame) => buffer.write(new Int16Array(160), frame === "v")?.length ?? []);
  };

  test("includes a preroll of 300 ms, and the pause of 300 ms that ended the utterance", () => {
    expect(cut(`${".".repeat(100)}${"v".repeat(10)}${".".repeat(100)}`)).toEqual([(FRAMES_BEFORE + 8 + 15) * 160]);
  });

  test("copies borrowed frames", () => {
    const buffer = new UtteranceBuffer();
    const frame = new Int16Array(160);
    let utterance: Int16Array | undefined;
    for (let n = 0; n < 20 && utterance === undefined; n += 1) {
      utterance = buffer.write(frame.fill(n), n < 3);
      frame.fill(-1);
    }
    expect(utterance?.filter((_sample, at) => at % 160 === 0)).toEqual(Int16Array.from({ length: 18 }, (_, n) => n));
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
