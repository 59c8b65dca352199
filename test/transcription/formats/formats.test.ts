import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TranscribedWord, TranscriptionResult } from "../../../src/core/transcriptions/result.ts";
import { type Cue, cuesOf as cuesInSteps } from "../../../src/transcription/formats/cues.ts";
import { formatResult, formatSteps } from "../../../src/transcription/formats/format.ts";
import { utteranceOf, utteranceWords } from "../../../src/transcription/join/utterances.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { randomResult } from "../../support/transcription/random-result.ts";

const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const charsIn = (text: string): number => [...graphemes.segment(text)].length;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const fits = (line: string): boolean => charsIn(line) <= (CJK.test(line) ? 16 : 42);
const ARTICLE = /(?:^|\s)(?:a|an|the)$/i;

/** Words that begin one after the other, `wordMs` each, with pauses where the text has `|`, of one second each. */
function spoken(text: string, wordMs: number, more: Partial<TranscribedWord> = {}): TranscribedWord[] {
  let atMs = 0;
  return text.split(" ").flatMap((word) => {
    const startMs = atMs;
    atMs += word === "|" ? 1_000 : wordMs;
    return word === "|" ? [] : [{ text: word, startMs, endMs: atMs, channel: 0, ...more }];
  });
}

const resultOf = (words: readonly TranscribedWord[], language = "en"): TranscriptionResult => {
  const channels = [...new Set(words.map(({ channel }) => channel))];
  const utterances = channels
    .flatMap((channel) => utteranceWords(words.filter((word) => word.channel === channel)).map(utteranceOf))
    .toSorted((a, b) => a.startMs - b.startMs);
  return {
    ...{ text: utterances.map(({ text }) => text).join(" "), language, durationMs: 60_000, channels: channels.length },
    ...{ utterances, words, hasEstimatedTimes: false, parts: [] },
  };
};

function cuesOf(...given: Parameters<typeof cuesInSteps>): Cue[] {
  const steps = cuesInSteps(...given);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const linesOf = (words: readonly TranscribedWord[]): string[][] =>
  cuesOf(resultOf(words), () => "").map(({ lines }) => [...lines]);

/** What is wrong with the cues of a result. */
function problemsOf(cues: readonly Cue[]): string[] {
  return cues.flatMap((cue, at) => {
    const next = cues[at + 1];
    const chars = cue.lines.reduce((sum, line) => sum + charsIn(line) + 1, -1);
    const isTooFast = chars / ((cue.endMs - cue.startMs) / 1_000) > 17;
    const problems = [
      cue.lines.length > 2 && "more than two lines",
      !cue.lines.every(fits) && "a line is too long",
      cue.lines.some((line) => line.trim() !== line || line === "") && "a line has spaces at its ends, or nothing",
      cue.endMs - cue.startMs < 1_000 && "too short",
      cue.endMs - cue.startMs > 7_000 && "too long",
      next !== undefined && next.startMs - cue.endMs < 80 && "too near to the next one",
      isTooFast && next?.startMs !== cue.endMs + 80 && "too fast, with time until the next one",
      endsWithArticle(cue) && "a line ends with an article, and need not",
      !(Number.isInteger(cue.startMs) && Number.isInteger(cue.endMs)) && "fractions of milliseconds",
    ];
    return problems.filter((problem) => problem !== false);
  });
}

/** The first of two lines ends with an article, and another division would fit. */
function endsWithArticle({ lines: [first = "", second] }: Cue): boolean {
  if (second === undefined || !ARTICLE.test(first)) return false;
  const words = `${first} ${second}`.split(" ");
  return words.some((_, at) => {
    const [one, two] = [words.slice(0, at).join(" "), words.slice(at).join(" ")];
    return at > 0 && fits(one) && fits(two) && !ARTICLE.test(one);
  });
}

describe("subtitles", () => {
  test("of any result have two lines of at most 42 characters, 1 to 7 s, with 80 ms between them, that can be read", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const result = randomResult(seed);
      const cues = cuesOf(result, seed % 2 === 0 ? () => "" : (name) => `${name}:`);
      const written = cues
        .flatMap(({ lines }) => lines)
        .join("")
        .replaceAll(/\s|Speaker \d+:/g, "");
      const found = { seed, problems: problemsOf(cues), length: written.length };
      expect(found).toEqual({ seed, problems: [], length: result.text.replaceAll(/\s/g, "").length });
    }
  });

  test("end at ends of sentences, and break at punctuation", () => {
    const text = "I would like to order a cake, if that is still possible. It is for my daughter on Saturday.";
    expect(linesOf(spoken(text, 300))).toEqual([
      ["I would like to order a cake,", "if that is still possible."],
      ["It is for my daughter on Saturday."],
    ]);
  });

  test("of short sentences share a cue", () => {
    expect(linesOf(spoken("Yes. No. Maybe we can.", 200))).toEqual([["Yes. No. Maybe we can."]]);
  });

  test("are never divided after an article", () => {
    const text =
      "she said that we had better take the car and then she bought the bread and the butter for the whole week";
    for (const lines of linesOf(spoken(text, 200))) for (const line of lines) expect(line).not.toMatch(ARTICLE);
  });

  test("stay in the pause after fast speech until they can be read", () => {
    const text = "this is spoken so fast that it takes longer to read | | | | | well";
    const [fast, slow] = cuesOf(resultOf(spoken(text, 60)), () => "") as [Cue, Cue];
    expect(fast.endMs - fast.startMs).toBe(Math.ceil((51 * 1_000) / 17));
    expect(slow.startMs).toBe(5_660);
  });

  test("give up reading speed, not their gap, where the next words follow at once", () => {
    const text = Array.from({ length: 60 }, () => "understandable").join(" ");
    const cues = cuesOf(resultOf(spoken(text, 200)), () => "");
    expect(problemsOf(cues)).toEqual([]);
    const [{ lines, startMs, endMs }] = cues as [Cue];
    expect(lines.join(" ").length / ((endMs - startMs) / 1_000)).toBeGreaterThan(17);
  });

  test("without times of words divide the time of an utterance by letters", () => {
    const words = spoken("One sentence of a dozen words or so is enough. And there is another one after it.", 300);
    const result = { ...resultOf(words), words: [] };
    const cues = cuesOf(result, () => "");
    expect(cues.map(({ lines }) => lines.join(" "))).toEqual([
      "One sentence of a dozen words or so is enough.",
      "And there is another one after it.",
    ]);
    expect(cues[1]?.startMs).toBeGreaterThan(2_000);
    expect(cues[1]?.startMs).toBeLessThan(3_500);
  });
});

describe("the formats", () => {
  const dialogue = resultOf([
    ...spoken("Is R&D <here>?", 400, { speaker: 0 }),
    ...spoken("| | | Yes.", 400, { speaker: 1 }),
  ]);

  test("SRT has numbers, times with a comma, and the speakers", () => {
    expect(formatResult(dialogue, "srt")).toBe(
      "1\n00:00:00,000 --> 00:00:01,471\nSpeaker 1: Is R&D <here>?\n\n" +
        "2\n00:00:03,000 --> 00:00:04,000\nSpeaker 2: Yes.\n",
    );
  });

  test("VTT has the speakers as voices, and escapes what it takes for markup", () => {
    expect(formatResult(dialogue, "vtt")).toBe(
      "WEBVTT\n\n00:00:00.000 --> 00:00:01.200\n<v Speaker 1>Is R&amp;D &lt;here&gt;?\n\n" +
        "00:00:03.000 --> 00:00:04.000\n<v Speaker 2>Yes.\n",
    );
  });

  test("text has a line a turn of a speaker, or one line without speakers", () => {
    expect(formatResult(dialogue, "text")).toBe("Speaker 1: Is R&D <here>?\nSpeaker 2: Yes.\n");
    expect(formatResult(resultOf(spoken("Well. | | | Yes.", 300)), "text")).toBe("Well. Yes.\n");
  });

  test("the channels of a result are different speakers", () => {
    const words = [...spoken("Hello?", 400), ...spoken("| | Hi.", 400, { channel: 1 })];
    expect(formatResult(resultOf(words), "text")).toBe("Speaker 1: Hello?\nSpeaker 2: Hi.\n");
  });

  test("of a result without words have no cue", () => {
    expect(formatResult(resultOf([]), "text")).toBe("");
    expect(formatResult(resultOf([]), "srt")).toBe("");
    expect(formatResult(resultOf([]), "vtt")).toBe("WEBVTT\n");
  });

  test.each([
    "srt",
    "vtt",
  ] as const)("%s is made in a step for each utterance, in between which others have a turn", (format) => {
    const words = spoken("One. | | | Two. | | | Three.", 400);
    const steps = formatSteps(resultOf(words), format);
    expect([steps.next(), steps.next(), steps.next()].map(({ done }) => done)).toEqual([false, false, false]);
    expect(steps.next()).toEqual({ done: true, value: formatResult(resultOf(words), format) });
  });

  test("times go on after an hour", () => {
    const words = [{ text: "Late.", startMs: 3_723_004, endMs: 3_725_000, channel: 0 }];
    expect(formatResult(resultOf(words), "vtt")).toContain("01:02:03.004 --> 01:02:05.000");
  });
});

describe.skipIf(!hasFfmpeg)("ffmpeg (only where ffmpeg is installed)", () => {
  test.each(["srt", "vtt"] as const)("reads each cue of %s", (format) => {
    const result = randomResult(2);
    const path = join(temporaryDirectory(), `subtitles.${format}`);
    writeFileSync(path, formatResult(result, format));
    const read = execFileSync("ffmpeg", ["-v", "error", "-i", path, "-f", "webvtt", "-"], { encoding: "utf8" });
    const times = (text: string): string[] => text.match(/\d\d:\d\d[.,]\d+ --> /g) ?? [];
    expect(times(read)).toHaveLength(cuesOf(result, () => "").length);
  });
});
