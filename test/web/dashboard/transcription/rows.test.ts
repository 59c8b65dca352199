import { describe, expect, test } from "vitest";
import {
  neighbourMs,
  type Result,
  rowAt,
  rowsOf,
  segmentsOf,
  soundingSegment,
  type Word,
} from "../../../../web/dashboard/pages/transcription/rows.ts";

const word = (text: string, startMs: number, more: Partial<Word> = {}): Word => ({
  text,
  startMs,
  endMs: startMs + 200,
  channel: 0,
  ...more,
});

const result = (more: Partial<Result>): Result => ({
  text: "",
  language: "en-US",
  durationMs: 10_000,
  channels: 1,
  utterances: [],
  words: [],
  hasEstimatedTimes: false,
  parts: [],
  ...more,
});

const textsOf = (segments: readonly { text: string; word?: Word }[]): string[] =>
  segments.map(({ text, word: of }) => (of === undefined ? text : `<${text}>`));

describe("the segments of a text", () => {
  test("are its words, and what stands between them, so that the text is as it was", () => {
    const segments = segmentsOf("“Good evening”, she said.", [word("Good", 0), word("evening", 300), word("she", 600)]);
    expect(textsOf(segments)).toEqual(["“", "<Good>", " ", "<evening>", "”, ", "<she>", " said."]);
  });

  test("have no spaces in a text that has none", () => {
    expect(textsOf(segmentsOf("今晩は", [word("今晩", 0), word("は", 300)]))).toEqual(["<今晩>", "<は>"]);
  });

  test("are the words side by side where one is not in the text, and the text alone without words", () => {
    expect(textsOf(segmentsOf("good evening", [word("good", 0), word("morning", 300)]))).toEqual([
      "<good>",
      " ",
      "<morning>",
    ]);
    expect(textsOf(segmentsOf("good evening", []))).toEqual(["good evening"]);
    expect(segmentsOf("", [])).toEqual([]);
  });
});

describe("the rows of a result", () => {
  test("have the words of their utterance and channel, and say who speaks where it is known", () => {
    const rows = rowsOf(
      result({
        channels: 2,
        utterances: [
          { text: "good evening", startMs: 0, endMs: 500, channel: 0 },
          { text: "hello", startMs: 100, endMs: 300, channel: 1, speaker: 4 },
          { text: "yes", startMs: 900, endMs: 1_100, channel: 0 },
        ],
        words: [word("good", 0), word("hello", 100, { channel: 1 }), word("evening", 300), word("yes", 900)],
      }),
    );
    expect(rows.map(({ speaker, segments }) => [speaker, textsOf(segments).join("")])).toEqual([
      ["Channel 1", "<good> <evening>"],
      ["Speaker 5", "<hello>"],
      ["Channel 1", "<yes>"],
    ]);
    expect(rowAt(rows, -1)).toBe(-1);
    expect(rowAt(rows, 50)).toBe(0);
    expect(rowAt(rows, 100)).toBe(1);
    expect(rowAt(rows, 5_000)).toBe(2);
  });

  test("mark the word that sounds, and none between words and in another utterance", () => {
    const [row] = rowsOf(
      result({
        utterances: [{ text: "good evening", startMs: 0, endMs: 500, channel: 0 }],
        words: [word("good", 0), word("evening", 300)],
      }),
    );
    if (row === undefined) throw new Error("there is no row");
    expect([0, 199, 200, 299, 300, 499, 500, 9_000].map((atMs) => soundingSegment(row, atMs))).toEqual([
      0, 0, -1, -1, 2, 2, -1, -1,
    ]);
  });
});

test("the next word and the one before are found, though a player is not quite where it was sent", () => {
  const words = [word("a", 0), word("b", 300), word("c", 600)];
  expect(neighbourMs(words, 295, 1)).toBe(600);
  expect(neighbourMs(words, 305, -1)).toBe(0);
  expect(neighbourMs(words, 450, -1)).toBe(300);
  expect(neighbourMs(words, 700, 1)).toBeUndefined();
  expect(neighbourMs(words, 0, -1)).toBeUndefined();
});
