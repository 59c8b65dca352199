import { describe, expect, test } from "vitest";
import { type SynthesisEvent, WordTimeline } from "../../../../../src/speech/tts/providers/espeak/word-timeline.ts";

const word = (position: number, atMs: number): SynthesisEvent => ({
  type: "word",
  text_position: position,
  audio_position: atMs,
  id: 1,
});
const sound = (atMs: number): SynthesisEvent => ({ type: "phoneme", text_position: 1, audio_position: atMs, id: "a" });
const pause = (atMs: number): SynthesisEvent => ({ type: "phoneme", text_position: 1, audio_position: atMs, id: "" });

function aligned(
  text: string,
  events: readonly SynthesisEvent[],
  endMs: number,
  addToWatermark?: (word: string, startMs: number) => number,
) {
  const timeline = new WordTimeline(text, addToWatermark);
  for (const event of events) timeline.take(event);
  timeline.finish(endMs);
  return timeline.takeAligned();
}

describe("the words of eSpeak's speech", () => {
  test("begin at the first event within them and end at the next word or at the pause before it", () => {
    const events = [word(1, 0), sound(10), word(4, 300), sound(310), pause(500), pause(650), word(8, 800), sound(810)];
    expect(aligned("Hi you. 12.50", [...events, word(9, 900), word(11, 1_000)], 1_200)).toEqual([
      { text: "Hi", startMs: 0, endMs: 300 },
      { text: "you.", startMs: 300, endMs: 500 },
      { text: "12.50", startMs: 800, endMs: 1_200 },
    ]);
  });

  test("that eSpeak reports as one share their time by their letters", () => {
    expect(aligned("of the — inn", [word(1, 100), sound(100), word(10, 300), sound(300)], 400)).toEqual([
      { text: "of", startMs: 100, endMs: 180 },
      { text: "the", startMs: 180, endMs: 300 },
      { text: "—", startMs: 300, endMs: 300 },
      { text: "inn", startMs: 300, endMs: 400 },
    ]);
  });

  test("without sound have no duration", () => {
    expect(aligned("— so", [word(3, 50), sound(50)], 200)).toEqual([
      { text: "—", startMs: 0, endMs: 0 },
      { text: "so", startMs: 50, endMs: 200 },
    ]);
    expect(aligned("...", [], 7)).toEqual([{ text: "...", startMs: 0, endMs: 0 }]);
    expect(aligned(" \n ", [], 7)).toEqual([]);
  });

  test("are aligned by the event that ends them", () => {
    const timeline = new WordTimeline("one two");
    timeline.take(word(1, 0));
    timeline.take(sound(0));
    expect(timeline.takeAligned()).toEqual([]);
    timeline.take(word(5, 200));
    expect(timeline.takeAligned()).toEqual([{ text: "one", startMs: 0, endMs: 200 }]);
    expect(timeline.takeAligned()).toEqual([]);
  });

  test("are added to the watermark once, in order, and do not end before their watermark", () => {
    const added: [string, number][] = [];
    const addToWatermark = (text: string, startMs: number): number => {
      added.push([text, startMs]);
      return 1_000 * added.length;
    };
    const words = aligned("— a b c", [word(3, 100), sound(100), word(7, 300), sound(300)], 400, addToWatermark);
    expect(added).toEqual([
      ["—", 0],
      ["a", 100],
      ["b", 200],
      ["c", 300],
    ]);
    expect(words.map((each) => each.endMs)).toEqual([1_000, 2_000, 3_000, 4_000]);
  });

  test("are located by code points, after escaping of special characters", () => {
    const timeline = new WordTimeline("🙂🙂 a&b\t<p>  [[x]] end");
    expect(timeline.markup).toBe("🙂🙂 a&amp;b  p  [ [x]] end");
    timeline.take(word(4, 100));
    timeline.take(word(13, 200));
    timeline.take(word(16, 300));
    timeline.take(word(23, 400));
    timeline.finish(500);
    expect(timeline.takeAligned().map(({ text, startMs }) => [text, startMs])).toEqual([
      ["🙂🙂", 0],
      ["a&b", 100],
      ["<p>", 200],
      ["[[x]]", 300],
      ["end", 400],
    ]);
  });

  test("are not affected by late events or events beyond the text", () => {
    const events = [word(5, 200), sound(200), word(1, 300), word(99, 350)];
    expect(aligned("one two", events, 400)).toEqual([
      { text: "one", startMs: 0, endMs: 200 },
      { text: "two", startMs: 200, endMs: 400 },
    ]);
  });
});
