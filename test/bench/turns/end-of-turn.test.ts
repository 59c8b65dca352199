import { describe, expect, test } from "vitest";
import { type Example, plainText } from "../../../bench/turns/end-of-turn/examples.ts";
import { fitWeights } from "../../../bench/turns/end-of-turn/fit.ts";
import { firesAtMs, outcomesOf, quietMsOf } from "../../../bench/turns/end-of-turn/judge.ts";
import { streamingStt } from "../../../bench/turns/end-of-turn/streaming-stt.ts";
import { aligned } from "../../../bench/turns/words/alignment.ts";
import { STEP_SAMPLES, spectraOf } from "../../../bench/turns/words/spectra.ts";
import { NO_SPEECH } from "../../../src/media/voice-activity/speech-activity.ts";
import { Random } from "../../support/random.ts";

const example = (changes: Partial<Example>): Example => ({
  language: "it",
  kind: "single sentence",
  utterance: 0,
  features: Float64Array.of(0, 0),
  lengthMs: Number.POSITIVE_INFINITY,
  afterEndMs: 100,
  settledMs: 0,
  quietMs: 0,
  soundMs: 0,
  ...changes,
});

const FREE = [
  { sign: 0, prior: 0, isStated: false },
  { sign: 0, prior: 0, isStated: false },
] as const;

/** The first feature tells pauses within turns from their ends; the second one says nothing. */
function synthetic(): Example[] {
  const random = new Random(3);
  return Array.from({ length: 200 }, (_, utterance): Example[] => [
    example({ utterance, features: Float64Array.of(-1, random.between(-1, 1)), lengthMs: random.between(150, 500) }),
    example({ utterance, features: Float64Array.of(1, random.between(-1, 1)) }),
  ]).flat();
}

describe("the weights of the end of a turn", () => {
  test("are fitted so that distinct pauses are waited out, and ends are not", () => {
    const examples = synthetic();
    const weights = fitWeights(examples, FREE);
    expect(weights[0]).toBeGreaterThan(1);
    expect(Math.abs(weights[1] as number)).toBeLessThan(0.2);
    const [outcome] = outcomesOf(examples, (each) => firesAtMs(each, quietMsOf(each, weights)));
    expect(outcome).toMatchObject({ utterances: 200, early: 0 });
    expect(outcome?.delaysMs.at(-1)).toBeLessThan(400);
  });

  test("are the same each time, 0 where they are not used, as expected where nothing is known, and never of the wrong sign", () => {
    const examples = synthetic();
    expect(fitWeights(examples, FREE)).toEqual(fitWeights(examples, FREE));
    expect(fitWeights(examples, FREE, (feature) => feature !== 0)[0]).toBe(0);
    expect(fitWeights([], [{ sign: -1, prior: -2, isStated: false }, FREE[1]])[0]).toBeCloseTo(-2, 1);
    expect(fitWeights(examples, [{ sign: -1, prior: 0, isStated: false }, FREE[1]])[0]).toBe(0);
    expect(fitWeights(examples, [FREE[0], { sign: -1, prior: -2, isStated: true }])[1]).toBe(-2);
  });
});

describe("what comes of the pauses of callers", () => {
  test("an answer in a pause within the turn is early, and one at its end is not", () => {
    const pauses = [example({ lengthMs: 300 }), example({})];
    expect(outcomesOf(pauses, () => 200)).toMatchObject([{ utterances: 1, early: 1, delaysMs: [] }]);
    expect(outcomesOf(pauses, () => 300)).toMatchObject([{ utterances: 1, early: 0, delaysMs: [410] }]);
  });

  test("an answer before the last clear sample is early where the detector was", () => {
    expect(outcomesOf([example({ afterEndMs: -300 })], () => 200)).toMatchObject([{ early: 1 }]);
  });

  test("a sound holds an answer that is not due yet", () => {
    expect(firesAtMs(example({ soundMs: 100 }), 200)).toBe(300);
    expect(firesAtMs(example({ soundMs: 300 }), 200)).toBe(200);
    expect(firesAtMs(example({ quietMs: 100 }), 200)).toBe(100);
    expect(firesAtMs(example({ settledMs: 230 }), 200)).toBe(240);
    expect(firesAtMs(example({ settledMs: Number.POSITIVE_INFINITY }), 200)).toBe(Number.POSITIVE_INFINITY);
  });

  test("the plain transcript has neither marks nor capitals", () => {
    expect(plainText("Hello, L'Ora è «nove»!")).toBe("hello l'ora è nove");
  });
});

describe("the streaming STT", () => {
  const FRAME_SAMPLES = 160;
  const words = [
    { text: "Hello,", to: 800 },
    { text: "World", to: 1_600 },
    { text: "Again.", to: 4_000 },
  ];

  /** The transcripts, each with the time at which it came, ms; speech ends with the frame at `endMs`. */
  async function heard(writing: "plain" | "punctuated", endMs: number): Promise<string[]> {
    const aborted = new AbortController();
    const stream = streamingStt(words, writing).open({ language: "en", rateHz: 8_000 }, aborted.signal);
    const found: string[] = [];
    const read = (async () => {
      for await (const { kind, text } of stream.events) found.push(`${kind} ${text}`);
    })();
    for (let frameMs = 20; frameMs <= 800; frameMs += 20) {
      stream.write(new Int16Array(FRAME_SAMPLES), frameMs === endMs ? { ...NO_SPEECH, edge: "ended" } : NO_SPEECH);
      if (frameMs === 180) found.push("before 200 ms");
      await new Promise(setImmediate);
    }
    aborted.abort();
    await read;
    return found;
  }

  test("knows a word 100 ms after its end, and ends an utterance 100 ms after speech", async () => {
    expect(await heard("plain", 320)).toEqual([
      "before 200 ms",
      "interim hello",
      "interim hello world",
      "final hello world",
      "interim again",
    ]);
  });

  test("writes marks and capitals in finals alone", async () => {
    expect(await heard("punctuated", 620)).toEqual([
      "before 200 ms",
      "interim hello",
      "interim hello world",
      "interim hello world again",
      "final Hello, World Again.",
    ]);
  });
});

test("a recording is aligned with another one of the same sounds at another speed, through a pause", () => {
  const RATE_HZ = 8_000;
  const sounds = [300, 900, 2_000, 500, 1_400];
  const tape = (seconds: number, pauseS: number): Float32Array =>
    Float32Array.from(
      sounds.flatMap((hz, index) => [
        ...Array.from({ length: seconds * RATE_HZ }, (_, at) => 5_000 * Math.sin((2 * Math.PI * hz * at) / RATE_HZ)),
        ...new Array<number>(index === 2 ? pauseS * RATE_HZ : 0).fill(0),
      ]),
    );
  const slow = tape(0.3, 0.4);
  const path = aligned(spectraOf(slow), spectraOf(tape(0.2, 0)));
  const stepsOf = (s: number): number => Math.round((s * RATE_HZ) / STEP_SAMPLES);
  for (const [index, startS] of [0, 0.3, 0.6, 1.3, 1.6].entries()) {
    // Where in a steady sound the pause before its end was passed is arbitrary.
    if (index === 2) continue;
    const at = path[stepsOf((index + 0.5) * 0.2)] as number;
    expect(at, `sound ${index}`).toBeGreaterThan(stepsOf(startS));
    expect(at, `sound ${index}`).toBeLessThan(stepsOf(startS + 0.3));
  }
});
