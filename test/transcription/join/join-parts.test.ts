import { describe, expect, test } from "vitest";
import { DEFAULT_TRANSCRIPTION_OPTIONS, type TranscriptionOptions } from "../../../src/core/transcriptions/options.ts";
import type { PartOutcome, PartWord } from "../../../src/core/transcriptions/part.ts";
import { type JoinablePart, joinParts } from "../../../src/transcription/join/join-parts.ts";

const word = (text: string, startMs: number, more: Partial<PartWord> = {}): PartWord => ({
  text,
  startMs,
  endMs: startMs + 300,
  ...more,
});
const part = (
  channel: number,
  startMs: number,
  endMs: number,
  words: readonly PartWord[],
  outcome: Partial<PartOutcome> = {},
): JoinablePart => ({
  channel,
  startMs,
  endMs,
  requests: 1,
  outcome: { words, hasEstimatedTimes: false, provider: "deepgram", usage: [], ...outcome },
});
const joined = (parts: readonly JoinablePart[], options: Partial<TranscriptionOptions> = {}) =>
  joinParts(parts, {
    options: { ...DEFAULT_TRANSCRIPTION_OPTIONS, language: "en", ...options },
    durationMs: 60_000,
    channels: 2,
  });

describe("the parts of a transcription", () => {
  test("are joined in the order of their audio, with times from its beginning", () => {
    const result = joined([part(0, 10_000, 20_000, [word("again.", 500)]), part(0, 0, 10_000, [word("Hello", 100)])]);
    expect(result.text).toBe("Hello again.");
    expect(result.words).toEqual([
      { text: "Hello", startMs: 100, endMs: 400, channel: 0 },
      { text: "again.", startMs: 10_500, endMs: 10_800, channel: 0 },
    ]);
    expect(result.durationMs).toBe(60_000);
    expect(result.channels).toBe(2);
  });

  test("are listed with their provider, requests and usage", () => {
    const usage = [
      { provider: "openai", audioSeconds: 10 },
      { provider: "deepgram", audioSeconds: 10 },
    ];
    const { parts } = joined([{ ...part(1, 0, 10_000, [], { usage }), requests: 2 }]);
    expect(parts).toEqual([{ channel: 1, startMs: 0, endMs: 10_000, provider: "deepgram", requests: 2, usage }]);
  });

  test("of two channels make one text in the order of time", () => {
    const result = joined([
      part(0, 0, 10_000, [word("Hello?", 0), word("Fine.", 4_000)]),
      part(1, 0, 10_000, [word("Hi,", 1_000), word("how", 1_300), word("are", 1_600), word("you?", 1_900)]),
    ]);
    expect(result.text).toBe("Hello? Hi, how are you? Fine.");
    expect(result.utterances.map(({ text, channel }) => [text, channel])).toEqual([
      ["Hello?", 0],
      ["Hi, how are you?", 1],
      ["Fine.", 0],
    ]);
  });

  test("without words make an empty result in no language", () => {
    expect(joined([part(0, 0, 10_000, [])], { language: "auto" })).toMatchObject({
      text: "",
      language: "und",
      utterances: [],
      words: [],
    });
    expect(joined([])).toMatchObject({ text: "", parts: [] });
  });

  test("have estimated times where one of them has", () => {
    const estimated = part(0, 10_000, 20_000, [word("there", 0)], { hasEstimatedTimes: true });
    expect(joined([part(0, 0, 10_000, [word("Hello", 0)]), estimated]).hasEstimatedTimes).toBe(true);
  });

  test("may have words with times outside of them, or without letters", () => {
    const { words } = joined([part(0, 1_000, 2_000, [word(" ", 0), word(" late ", 5_000), word("early", -500)])]);
    expect(words.map(({ text, startMs, endMs }) => [text, startMs, endMs])).toEqual([
      ["late", 2_000, 2_000],
      ["early", 2_000, 2_000],
    ]);
  });
});

describe("an utterance", () => {
  test("ends at a pause of 800 ms", () => {
    const words = [word("one", 0), word("two", 1_099), word("three", 2_199)];
    expect(joined([part(0, 0, 10_000, words)]).utterances.map(({ text }) => text)).toEqual(["one two", "three"]);
  });

  test("ends at 30 s, also without a pause", () => {
    const words = Array.from({ length: 200 }, (_, at) => word("on", at * 300));
    const { utterances } = joined([part(0, 0, 60_000, words)]);
    expect(utterances.map(({ startMs, endMs }) => endMs - startMs)).toEqual([30_000, 30_000]);
  });

  test("is of one speaker; speakers are numbered from 0 in the order in which they speak", () => {
    const words = [
      word("Hi.", 0, { speaker: 3 }),
      word("Hello.", 300, { speaker: 1 }),
      word("Well", 600, { speaker: 3 }),
    ];
    const { utterances } = joined([part(0, 0, 10_000, words)], { speakers: true });
    expect(utterances.map(({ text, speaker }) => [text, speaker])).toEqual([
      ["Hi.", 0],
      ["Hello.", 1],
      ["Well", 0],
    ]);
  });

  test("has no speaker where none was asked for", () => {
    const { utterances, words } = joined([part(0, 0, 10_000, [word("Hi.", 0, { speaker: 3 })])]);
    expect(utterances[0]).not.toHaveProperty("speaker");
    expect(words[0]).not.toHaveProperty("speaker");
  });

  test("in a script without spaces has none", () => {
    const chinese = [word("你好，", 0), word("世界", 300)];
    const thai = [word("สวัสดี", 0), word("ครับ", 300)];
    expect(joined([part(0, 0, 10_000, chinese)]).text).toBe("你好，世界");
    expect(joined([part(0, 0, 10_000, thai)]).text).toBe("สวัสดีครับ");
  });
});

describe("the options", () => {
  test("with times of segments only, words are left out and utterances stay", () => {
    const result = joined([part(0, 0, 10_000, [word("Hello", 0)])], { timestamps: "segment" });
    expect(result.words).toEqual([]);
    expect(result.utterances).toHaveLength(1);
  });

  test("with a language it is that of the result; with `auto` the one of most of the audio with words", () => {
    const parts = [
      part(0, 0, 10_000, [word("Hello", 0)], { language: "en" }),
      part(0, 10_000, 25_000, [word("Hallo", 0)], { language: "de" }),
      part(0, 25_000, 60_000, [], { language: "fr" }),
    ];
    expect(joined(parts, { language: "nl" }).language).toBe("nl");
    expect(joined(parts, { language: "auto" }).language).toBe("de");
  });
});
