import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Prompt } from "../../../bench/hearing/prompts.ts";
import type { TrialTools } from "../../../bench/turn-taking/trial.ts";
import { goalsOf } from "../../../bench/turns/budgets.ts";
import { humanTts, idealStt, TTS_WORD_MS, transcriptsOf } from "../../../bench/turns/ideal-providers.ts";
import type { InterruptionRow, TurnsOnSpeechResult } from "../../../bench/turns/result.ts";
import { echoAfter } from "../../../bench/turns/scenes.ts";
import { type CallerUtterance, utteranceOf, utterancesOf } from "../../../bench/turns/script.ts";
import { turnsOnSpeechText } from "../../../bench/turns/text.ts";
import { runConversation, runInactivity, runInterruption, runListening } from "../../../bench/turns/trials.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import type { VoiceActivityDetection } from "../../../src/media/voice-activity/detector.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { Random } from "../../support/random.ts";

const RATE_HZ = 8_000;
const SPEECH = 1_642;
const sounding = (ms: number, amplitude = SPEECH): number[] =>
  Array.from({ length: (ms * RATE_HZ) / 1_000 }, (_, at) => (at % 20 < 10 ? amplitude : -amplitude));
const prompt = (name: string, text: string, samples: readonly number[]): Prompt => ({
  language: "en",
  name,
  text,
  samples: Float32Array.from(samples),
});

describe("scripts", () => {
  test("an utterance begins and ends with clear speech, and a phrase ends at a pause of 300 ms", () => {
    const samples = [...sounding(100, 3), ...sounding(600), ...sounding(400, 3), ...sounding(600), ...sounding(90, 3)];
    const { samples: spoken, phrases } = utteranceOf(prompt("a", "I am here. You are not.", samples));
    expect(spoken).toHaveLength(1.6 * RATE_HZ);
    expect(phrases).toEqual([
      { text: "I am here.", from: 0, to: 4_800 },
      { text: "You are not.", from: 8_000, to: 12_800 },
    ]);
  });

  test("a shorter pause ends no phrase", () => {
    const { phrases } = utteranceOf(
      prompt("a", "One moment", [...sounding(300), ...sounding(280, 3), ...sounding(300)]),
    );
    expect(phrases).toEqual([{ text: "One moment", from: 0, to: 7_040 }]);
  });

  test("a sentence ends at the pause, even where its letters end a word before or after it", () => {
    const samples = [...sounding(900), ...sounding(400, 3), ...sounding(600)];
    const { phrases } = utteranceOf(prompt("a", "No. Tomorrow at nine.", samples));
    expect(phrases.map(({ text }) => text)).not.toContain("");
    expect(phrases.map(({ text }) => text).join(" ")).toBe("No. Tomorrow at nine.");
  });

  test("numbers are four to seven digits with pauses; words lose nothing", () => {
    const digits = Array.from({ length: 10 }, (_, digit) => prompt(`digits/${digit}`, `d${digit}`, sounding(300)));
    const plain = [prompt("a", "Yes.", sounding(300)), prompt("b", "No. Never.", sounding(300))];
    const letters = [prompt("letters/a", "ay", sounding(300))];
    const draw = utterancesOf([...digits, ...plain, ...letters]);
    for (let seed = 1; seed <= 20; seed += 1) {
      const { samples, phrases } = draw.number(new Random(seed));
      const words = phrases.flatMap(({ text }) => text.split(" "));
      expect(words.length, `seed ${seed}`).toBeGreaterThanOrEqual(4);
      expect(words.length, `seed ${seed}`).toBeLessThanOrEqual(7);
      expect(phrases.at(-1)?.to, `seed ${seed}`).toBe(samples.length);
    }
    expect(draw["single sentence"](new Random(1)).phrases[0]?.text).toBe("Yes.");
    expect(draw["several sentences"](new Random(1)).phrases[0]?.text).toBe("No. Never.");
    expect(draw.spelling(new Random(1)).phrases[0]?.text).toMatch(/^ay/);
  });
});

describe("ideal providers", () => {
  const utterance: CallerUtterance = {
    samples: new Float32Array(8_000),
    phrases: [{ text: "hello there", from: 0, to: 8_000 }],
  };

  test("a word's interim comes 150 ms after its end, and the final 300 ms after the last", () => {
    expect(transcriptsOf([{ utterance, at: 1_600 }])).toEqual([
      { sample: 1_600 + 4_000 + 1_200, event: { kind: "interim", text: "hello" } },
      { sample: 1_600 + 8_000 + 1_200, event: { kind: "interim", text: "hello there" } },
      { sample: 1_600 + 8_000 + 2_400, event: { kind: "final", text: "hello there" } },
    ]);
  });

  test("the STT emits what is due after so much audio", async () => {
    const over = new AbortController();
    const stream = idealStt([{ utterance, at: 0 }], "partials").open({ language: "en", rateHz: RATE_HZ }, over.signal);
    for (let frame = 0; frame < 33; frame += 1) stream.write(new Int16Array(160));
    const events = stream.events[Symbol.asyncIterator]();
    expect(await events.next()).toMatchObject({ value: { kind: "interim", text: "hello" } });
    const next = events.next();
    over.abort();
    expect(await next).toMatchObject({ done: true });
  });

  test("without interim transcripts a request is answered with the words so far, or with none", async () => {
    const over = new AbortController();
    const stream = idealStt([{ utterance, at: 0 }], "finals").open({ language: "en", rateHz: RATE_HZ }, over.signal);
    const write = (ms: number): void => {
      for (let frame = 0; frame < ms / 20; frame += 1) stream.write(new Int16Array(160));
    };
    const request = () => (stream as unknown as { requestInterim(): void }).requestInterim();
    const events = stream.events[Symbol.asyncIterator]();
    request();
    write(300);
    expect(await events.next()).toMatchObject({ value: { kind: "interim", text: "" } });
    write(300);
    request();
    request();
    write(300);
    expect(await events.next()).toMatchObject({ value: { kind: "interim", text: "hello" } });
    write(400);
    expect(await events.next()).toMatchObject({ value: { kind: "final", text: "hello there" } });
    over.abort();
  });

  test("the TTS speaks every word equally long, with a person's voice", async () => {
    const speech = Float32Array.from({ length: 9_999 }, (_, at) => at);
    const request = { text: "one two", voiceId: "ideal/one", language: "en" };
    for await (const { samples, words } of humanTts(speech).speak(request, new AbortController().signal)) {
      expect(samples).toHaveLength(2 * TTS_WORD_MS * 8);
      expect(words).toEqual([
        { text: "one", startMs: 0, endMs: TTS_WORD_MS },
        { text: "two", startMs: TTS_WORD_MS, endMs: 2 * TTS_WORD_MS },
      ]);
    }
  });
});

describe("calls", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  // Speech to a detector that takes every sound for speech.
  let tools: TrialTools;
  const utterance: CallerUtterance = {
    samples: Float32Array.from(sounding(1_500, 6_000)),
    phrases: [{ text: "What does it cost?", from: 0, to: 12_000 }],
  };
  const quiet = { layers: [] };
  beforeAll(async () => {
    const loud = Float32Array.from({ length: 16_000 }, (_, at) => 8_000 * Math.sin(at / 4));
    tools = {
      voiceActivity: everySound(),
      makeResampler: await loadResampler(),
      inbound: inboundAudio(),
      tts: humanTts(loud),
      dataDir,
    };
  });

  test("each utterance is answered after its last sample, and the same seed gives the same times", async () => {
    const run = () => runConversation(tools, "partials", [utterance, utterance], quiet, new Random(1));
    const found = await run();
    expect(found).toHaveLength(2);
    for (const { isEarly, answerMs } of found) {
      expect(isEarly).toBe(false);
      expect(answerMs).toBeGreaterThan(300);
      expect(answerMs).toBeLessThan(1_000);
    }
    expect(await run()).toEqual(found);
  });

  test("an answer in a pause of the caller is too early", async () => {
    const [first, second] = [sounding(800, 6_000), sounding(800, 6_000)];
    const hesitating: CallerUtterance = {
      samples: Float32Array.from([...first, ...sounding(2_000, 0), ...second]),
      phrases: [
        { text: "I am here.", from: 0, to: 6_400 },
        { text: "Are you?", from: 22_400, to: 28_800 },
      ],
    };
    const [found] = await runConversation(tools, "partials", [hesitating], quiet, new Random(1));
    expect(found?.isEarly).toBe(true);
    expect(found?.answerMs).toBeNaN();
  });

  test("an interruption stops the agent, and silence does not", async () => {
    const trial = await runInterruption(tools, "partials", utterance, quiet, new Random(1));
    expect(trial.overMs).toBeGreaterThan(trial.onsetMs);
    expect(trial.stops[0]?.atMs).toBeGreaterThan(trial.onsetMs);
    expect((await runListening(tools, "partials", quiet, new Random(1))).stops).toEqual([]);
  });

  test("the agent's echo is no speech of the caller, but where it comes too late to be recognised", async () => {
    const echoed = async (delayMs: number) =>
      await runListening(tools, "partials", { layers: [], echo: echoAfter(delayMs) }, new Random(1));
    expect((await echoed(200)).speechMs).toEqual([]);
    const { beganMs, speechMs } = await echoed(600);
    expect(speechMs[0]).toBeGreaterThan(beganMs + 600);
  });

  test("in silence the inactivity prompt comes after its timeout", async () => {
    const promptMs = await runInactivity(tools, "partials", quiet, new Random(1));
    expect(promptMs).toBeGreaterThan(10_000);
    expect(promptMs).toBeLessThan(15_000);
  });
});

/** Frames with a sample above 300 are speech. */
function everySound(): VoiceActivityDetection {
  return {
    version: "every-sound",
    onset: { onsetSpeechFrames: 2, onsetWindowFrames: 3, settleMs: 0 },
    fallbackVersion: undefined,
    counts: { gateFrames: 0, networkFrames: 0, fallbackFrames: 0 },
    open: () => ({ isSpeech: (frame) => frame.some((sample) => Math.abs(sample) > 300), destroy: () => {} }),
    setFallback: () => {},
  };
}

describe("verdicts", () => {
  const figures = (p50: number, p90: number) => ({ count: 1, p50, p90, max: p90 });
  const row = { detector: "ours", sttMode: "partials", calls: 20, falselyStopped: 0 } as const;
  const clean: InterruptionRow = {
    ...row,
    line: "clean",
    lineKind: "clean",
    free: 20,
    noticed: 20,
    toLastSentMs: figures(90, 141),
  };
  const echo: InterruptionRow = { ...clean, line: "echo -20 dB", lineKind: "echo", noticed: 19 };
  const result: TurnsOnSpeechResult = {
    machine: { cpu: "", cores: 2, memoryGiB: 8, system: "", node: "", measuredAt: "" },
    minutes: 1,
    seed: 1,
    tookS: 1,
    detectors: [{ name: "ours", version: "1" }],
    endOfTurn: undefined,
    turnEnds: [],
    interruptions: [clean, echo],
    listening: [
      { ...row, line: "echo -20 dB", lineKind: "echo", echoDelayMs: 40, calls: 9, pauses: 1, interruptions: 0 },
    ],
    inactivity: [
      { detector: "ours", sttMode: "partials", line: "silence", promptMs: 11_000 },
      { detector: "ours", sttMode: "partials", line: "music", promptMs: 13_000 },
      { detector: "ours", sttMode: "partials", line: "hum", promptMs: Number.NaN },
    ],
  };

  test("each goal is judged at its bound", () => {
    expect(goalsOf(result).map(({ verdict, measured }) => [verdict, measured])).toEqual([
      ["holds", "90.0 ms"],
      ["missed", "141 ms"],
      ["missed", "1 in 9 replies"],
      ["holds", "19 of 20, and in 0 of 20 calls the agent was not speaking"],
      ["holds", "2.00 s later"],
      ["missed", "it never came"],
    ]);
  });

  test("the text has every row", () => {
    const text = turnsOnSpeechText(result);
    expect(text).toMatch(/ours, partials, hum +never/);
    expect(text).toMatch(/ours, partials, echo -20 dB +40 +9 +1 +0/);
  });
});
