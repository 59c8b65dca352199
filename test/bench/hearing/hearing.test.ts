import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { goalsOf } from "../../../bench/hearing/budgets.ts";
import { CONDITIONS, NO_SPEECH, type NoSpeech, type Sounds, soundAlone } from "../../../bench/hearing/conditions.ts";
import { added, type Measures, measure, NO_MEASURES } from "../../../bench/hearing/measures.ts";
import { requirePackages } from "../../../bench/hearing/packages.ts";
import { pictureOf } from "../../../bench/hearing/picture.ts";
import { pooledOf } from "../../../bench/hearing/pooled.ts";
import {
  activeLevel,
  FULL_SCALE,
  isOneSentence,
  type Language,
  type Prompt,
  parseTexts,
} from "../../../bench/hearing/prompts.ts";
import type { Cell, HearingResult } from "../../../bench/hearing/result.ts";
import {
  makeRepeatingTape,
  makeTape,
  REPEATED_SAMPLES,
  type Tape,
  truthBetween,
} from "../../../bench/hearing/tapes.ts";
import { hearingText } from "../../../bench/hearing/text.ts";
import { clearRunsOf, type Truth, truthOf } from "../../../bench/hearing/truth.ts";
import { amplitudeOf, rmsOf } from "../../../bench/turn-taking/sounds.ts";
import { Random } from "../../support/random.ts";

const RATE_HZ = 8_000;
const FRAME = 160;
/** -26 dBov, the level of prompts. */
const SPEECH = 1_642;

/** So many ms of a square wave: its level is its amplitude. */
const sounding = (ms: number, amplitude: number): number[] =>
  Array.from({ length: (ms * RATE_HZ) / 1_000 }, (_, at) => (at % 20 < 10 ? amplitude : -amplitude));

const prompt = (samples: readonly number[], text?: string, name = "one"): Prompt => ({
  language: "it",
  name,
  text,
  samples: Float32Array.from(samples),
});

const one = prompt([...sounding(100, 0), ...sounding(400, SPEECH), ...sounding(100, 0)], "Pronto.");
const prompts = Array.from({ length: 40 }, (_, at) =>
  prompt([...sounding(600 + 20 * at, SPEECH), ...sounding(200, 5)], "Sì.", `prompt ${at}`),
);
const decisions = (text: string): Uint8Array => Uint8Array.from(text.replaceAll(" ", ""), (digit) => Number(digit));
const AT_ONCE = { onsetSpeechFrames: 1, onsetWindowFrames: 1, settleMs: 0 };

describe("prompts", () => {
  test("texts are read by name, without comments and without names that have no text", () => {
    const texts = parseTexts("; A comment: ignored\n\nhello:  Pronto? \ndigits/1: uno\nempty:\n");
    expect([...texts]).toEqual([
      ["hello", "Pronto?"],
      ["digits/1", "uno"],
    ]);
  });

  test.each([
    ["Goodbye.", true],
    ["One moment, please", true],
    ["I am sorry. That is not a valid number.", false],
    ["Really?  Yes", false],
    ["Press 1: the operator", false],
  ])("%j is one sentence: %s", (text, expected) => {
    expect(isOneSentence(text)).toBe(expected);
  });

  test("the active level excludes pauses and breaths", () => {
    const samples = Int16Array.from([...sounding(200, 4_000), ...sounding(300, 0), ...sounding(200, 300)]);
    expect(activeLevel(samples)).toBeCloseTo(4_000, 0);
  });

  test("without the packages the error names them and the command that gets them", () => {
    const folder = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
    expect(() => requirePackages(folder, "hearing")).toThrow(
      /asterisk-core-sounds-it-wav.*pocketsphinx-testdata.*npm run bench:hearing -- --fetch/,
    );
    rmSync(folder, { recursive: true });
  });
});

describe("truth", () => {
  const placed = [{ prompt: one, at: 8_000 + 37 }];
  const truth = truthOf(placed, 150);

  test("an utterance is from the first clear sample to the last", () => {
    expect(truth.utterances).toEqual([{ from: 8_837, to: 12_037, isOneSentence: true }]);
  });

  test("clear frames are those that lie within clear speech as a whole", () => {
    const frames = [...truth.clear.entries()].flatMap(([frame, value]) => (value === 1 ? [frame] : []));
    expect(frames[0]).toBe(Math.ceil(8_837 / FRAME));
    expect(frames.at(-1)).toBe(Math.floor(12_037 / FRAME) - 1);
    expect(frames).toHaveLength(19);
  });

  test("frames near speech are neither clear nor silent", () => {
    expect(truth.silent.indexOf(0)).toBe(Math.floor(8_837 / FRAME) - 2);
    expect(truth.silent.lastIndexOf(0)).toBe(Math.floor(12_036 / FRAME) + 25);
    for (const [frame, clear] of truth.clear.entries()) expect(clear + (truth.silent[frame] as number)).toBeLessThan(2);
  });

  test("a click of 30 ms is not clear speech, and fainter speech is neither clear nor silent", () => {
    const faint = SPEECH * amplitudeOf(-25);
    const mixed = prompt([...sounding(30, SPEECH), ...sounding(300, faint), ...sounding(100, SPEECH)]);
    expect(clearRunsOf(mixed.samples)).toEqual([{ from: 2_640, to: 3_440 }]);
    expect(truthOf([{ prompt: mixed, at: 0 }], 30).silent.indexOf(1)).toBe(-1);
  });
});

describe("measures", () => {
  const frames = (from: number, to: number) => ({ from: from * FRAME, to: to * FRAME });
  const truthWith = (clear: string, silent: string, isOneSentence = true): Truth => ({
    clear: decisions(clear),
    silent: decisions(silent),
    utterances: [{ ...frames(clear.indexOf("1"), clear.lastIndexOf("1") + 1), isOneSentence }],
  });

  test("missed are clear frames without voice, false ones are voiced in silence; a false start is one run of those", () => {
    const truth = truthWith("00000 11111 00000".replaceAll(" ", ""), "110000000000111");
    const found = measure(decisions("01000 01101 00011"), truth, AT_ONCE);
    expect(found).toMatchObject({ clearFrames: 5, missedFrames: 2, silentFrames: 5, falseFrames: 3, falseStarts: 1 });
  });

  test("the onset is timed from the first clear sample to the end of the frame in which speech starts", () => {
    const truth = truthWith("0001111111", "1000000000");
    const utterance = truth.utterances[0];
    if (utterance !== undefined) utterance.from += 80;
    const twoOfThree = { onsetSpeechFrames: 2, onsetWindowFrames: 3, settleMs: 0 };
    expect(measure(decisions("0000101111"), truth, twoOfThree).onsetsMs).toEqual([70]);
    expect(measure(decisions("0000100000"), truth, twoOfThree)).toMatchObject({ lost: 1, onsetsMs: [] });
    expect(measure(decisions("0110111111"), truth, twoOfThree)).toMatchObject({ early: 1, lost: 0, onsetsMs: [] });
  });

  test("a sentence is cut by half a second without voice before its end, and not by less", () => {
    const clear = `0${"1".repeat(40)}0`;
    const truth = truthWith(clear, "0".repeat(42));
    const withGap = (gap: number): Uint8Array => decisions(`0111${"0".repeat(gap)}${"1".repeat(40 - 3 - gap)}0`);
    expect(measure(withGap(24), truth, AT_ONCE)).toMatchObject({ oneSentences: 1, cut: 0 });
    expect(measure(withGap(25), truth, AT_ONCE)).toMatchObject({ oneSentences: 1, cut: 1 });
    expect(measure(decisions(`01${"0".repeat(40)}`), truth, AT_ONCE).cut).toBe(1);
    expect(measure(withGap(25), truthWith(clear, "0".repeat(42), false), AT_ONCE)).toMatchObject({
      oneSentences: 0,
      cut: 0,
    });
  });

  test("tapes are added count by count", () => {
    const tape: Measures = { ...NO_MEASURES, clearFrames: 10, missedFrames: 1, onsetsMs: [60] };
    expect(added([tape, { ...tape, onsetsMs: [80] }])).toMatchObject({
      clearFrames: 20,
      missedFrames: 2,
      onsetsMs: [60, 80],
    });
    expect(NO_MEASURES.onsetsMs).toEqual([]);
  });
});

describe("tapes", () => {
  test("the same seed gives the same tape, and another seed another one", () => {
    const tape = (seed: number): Tape => makeTape(prompts, 1, new Random(seed));
    expect(tape(1)).toEqual(tape(1));
    expect(tape(2).samples).not.toEqual(tape(1).samples);
  });

  test("a tape is no longer than its minutes", () => {
    expect(makeTape(prompts, 0.5, new Random(1)).samples.length).toBeLessThanOrEqual(30 * RATE_HZ + FRAME);
  });

  test("a repeating tape says its first two minutes once more, at the same places in a frame", () => {
    const tape = makeRepeatingTape([...prompts, ...prompts, ...prompts], 5, new Random(1));
    const at = tape.repeatedAt as number;
    expect(at).toBe(300 * RATE_HZ);
    const first = truthBetween(tape.truth, 0, REPEATED_SAMPLES);
    expect(first.utterances.length).toBeGreaterThan(20);
    expect(truthBetween(tape.truth, at, at + REPEATED_SAMPLES)).toEqual(first);
  });
});

describe("conditions", () => {
  const random = new Random(1);
  const level = Float32Array.from({ length: RATE_HZ }, () => FULL_SCALE * (random.next() < 0.5 ? 1 : -1));
  const sounds: Sounds = { white: level, pink: level, hum: level, babble: level, music: level };
  const silent: Tape = { samples: new Float32Array(60 * RATE_HZ), truth: truthOf([], 3_000), repeatedAt: undefined };
  const levelDbov = (samples: ArrayLike<number>): number => 20 * Math.log10(rmsOf(samples) / FULL_SCALE);
  const condition = (name: string) => CONDITIONS.find((each) => each.name === name) as (typeof CONDITIONS)[number];

  test.each([
    // -68 before G.711, whose steps add to so little.
    ["clean", -66],
    ["pink 10 dB", -36],
    ["white 5 dB", -31],
    ["babble 20 dB", -46],
  ])("%s has %d dBov between the prompts", (name, dbov) => {
    const found = levelDbov(condition(name).sound(silent, sounds));
    expect(Math.abs(found - dbov)).toBeLessThan(1);
  });

  test("a quiet caller is quiet on the same line", () => {
    const tape = {
      ...silent,
      samples: Float32Array.from({ length: RATE_HZ }, (_, at) => (at % 20 < 10 ? SPEECH : -SPEECH)),
    };
    expect(Math.abs(levelDbov(condition("caller at -48 dBov").sound(tape, sounds)) + 48)).toBeLessThan(0.5);
  });

  test("the same noise is under prompts that are said again", () => {
    const tape = { ...silent, repeatedAt: 20_000 - (20_000 % FRAME) };
    const heard = condition("pink 10 dB").sound(tape, sounds);
    const again = heard.subarray(tape.repeatedAt, tape.repeatedAt + 8_000);
    expect(again).toEqual(heard.subarray(0, 8_000));
  });

  test("levels step in the course of a call", () => {
    const heard = condition("level steps").sound(silent, sounds);
    const at = (second: number): number => levelDbov(heard.subarray(second * RATE_HZ, (second + 1) * RATE_HZ));
    expect(at(35) - at(5)).toBeGreaterThan(20);
  });

  test("a sound alone has its level", () => {
    const [music] = NO_SPEECH;
    expect(levelDbov(soundAlone(music as NoSpeech, sounds, RATE_HZ))).toBeCloseTo(-26, 0);
  });
});

describe("result", () => {
  const cell = (language: Language, missedFrames: number, more: Partial<Measures> = {}): Cell => ({
    detector: "ours",
    condition: "pink 10 dB",
    kind: "noisy",
    language,
    measures: { ...NO_MEASURES, clearFrames: 10_000, missedFrames, onsetsMs: [60, 70], oneSentences: 100, ...more },
  });
  const result = (cells: Cell[], more: Partial<HearingResult> = {}): HearingResult => ({
    machine: { cpu: "", cores: 2, memoryGiB: 8, system: "", node: "", measuredAt: "" },
    minutes: 1,
    seed: 1,
    tookS: 1,
    hasGsm: true,
    detectors: [
      { name: "first", version: "1" },
      { name: "ours", version: "2" },
    ],
    tapes: [{ language: "it", prompts: 1, minutes: 1 }],
    costSpeechShare: 0.4,
    cells,
    deafness: [],
    noSpeech: [{ detector: "ours", sound: "music", isJudged: true, frames: 1_000, voicedFrames: 6 }],
    cost: [
      { detector: "first", load: "speech", frameUs: 2 },
      { detector: "ours", load: "speech", frameUs: 13.9 },
    ],
    picture: "<svg></svg>",
    ...more,
  });
  const verdict = (cells: Cell[], budget: string, more?: Partial<HearingResult>) =>
    goalsOf(result(cells, more)).find((each) => each.budget.startsWith(budget));

  test("languages are pooled by frames, and those held out apart from those tuned with", () => {
    const [pooled] = pooledOf(result([cell("it", 100), cell("en", 500)]), "ours");
    expect(pooled).toMatchObject({ missed: 3, tunedMissed: 1, heldOutMissed: 5, worst: { language: "en", missed: 5 } });
  });

  test("a goal holds at its bound, and is missed beyond it, with the condition named", () => {
    expect(verdict([cell("it", 300)], "clear speech missed, all")?.verdict).toBe("holds");
    expect(verdict([cell("it", 301)], "clear speech missed, all")).toMatchObject({
      verdict: "missed",
      measured: "at most 3.01 % (pink 10 dB)",
    });
    expect(verdict([cell("it", 100, { cut: 1 })], "one-sentence")?.verdict).toBe("missed");
    expect(verdict([cell("it", 100)], "music, hum and noise")?.verdict).toBe("missed");
  });

  test("a single language is judged only where it is long enough", () => {
    const short = { ...cell("reading", 500), measures: { ...NO_MEASURES, clearFrames: 1_000, missedFrames: 500 } };
    expect(verdict([cell("it", 100), short], "clear speech missed in any")?.measured).toContain("1.00 %");
    expect(verdict([short], "clear speech missed in any")?.verdict).toBe("not shown");
  });

  test("CPU time is judged as more than the first detector's", () => {
    expect(verdict([cell("it", 1)], "CPU a frame with a caller")).toMatchObject({
      verdict: "holds",
      measured: "11.9 µs",
    });
  });

  test("a run that is too short for deafness does not judge it", () => {
    expect(verdict([cell("it", 1)], "the same prompts")?.verdict).toBe("not shown");
  });

  test("the text has a row for each condition and a line for each goal", () => {
    const text = hearingText(result([cell("it", 100)]));
    expect(text).toMatch(/pink 10 dB +1\.0/);
    for (const { budget } of goalsOf(result([cell("it", 100)]))) expect(text).toContain(budget);
  });
});

test("a picture has a bar for each run of voiced frames", () => {
  const samples = new Int16Array(4 * FRAME).fill(1_000);
  const row = (frames: string) => ({ title: "<row>", colour: "#000", frames: decisions(frames) });
  const svg = pictureOf("title", samples, [row("0110"), row("1011"), row("0000")]);
  expect(svg.match(/<rect x=/g)).toHaveLength(3);
  expect(svg).toContain("&lt;row&gt;");
  expect(svg).not.toMatch(/NaN|href|url\(/);
});
