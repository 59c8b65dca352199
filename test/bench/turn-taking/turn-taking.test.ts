import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AGENT_SENTENCES } from "../../../bench/rig/speech.ts";
import { loadTools } from "../../../bench/turn-taking/bench.ts";
import { goalsOf } from "../../../bench/turn-taking/budgets.ts";
import { CallerLine, type LineSounds } from "../../../bench/turn-taking/caller-line.ts";
import { figuresOf, findingsOf, wordsMissing } from "../../../bench/turn-taking/case-results.ts";
import { type Material, renderMaterial, type Speech } from "../../../bench/turn-taking/material.ts";
import type { CaseResult, SttMode, TurnsResult } from "../../../bench/turn-taking/result.ts";
import { activeRms, amplitudeOf, cough, dtmfTones, NOISES, noise, rmsOf } from "../../../bench/turn-taking/sounds.ts";
import { runTrial, type Stop, type Trial, type TrialTools } from "../../../bench/turn-taking/trial.ts";
import { OUTPUT_LEAD_MS } from "../../../src/core/limits/streams/media.ts";
import { MU_LAW } from "../../../src/media/g711.ts";
import { Random } from "../../support/random.ts";

const FULL = 32_768;
const RATE_HZ = 8_000;
const decoded = (bytes: Uint8Array): number[] => [...bytes].map((byte) => MU_LAW.decodeTable[byte] as number);

describe("sounds", () => {
  const talkers = [Int16Array.from({ length: RATE_HZ }, (_, at) => (at % 3_840 < 1_920 ? 8_000 : 0))];

  test.each(NOISES)("%s has full-scale level, and is the same for the same seed", (kind) => {
    const first = noise(kind, 2, new Random(1), talkers);
    expect(first).toHaveLength(2 * RATE_HZ);
    expect(rmsOf(first)).toBeCloseTo(FULL, -1);
    expect(noise(kind, 2, new Random(1), talkers)).toEqual(first);
  });

  test("pink noise has more low frequencies than white noise", () => {
    const roughness = (samples: Float32Array): number =>
      rmsOf(samples.map((sample, at) => sample - (samples[at - 1] ?? 0)));
    const white = roughness(noise("white", 2, new Random(1), talkers));
    expect(roughness(noise("pink", 2, new Random(1), talkers))).toBeLessThan(white / 2);
  });

  test("the level of speech excludes its pauses", () => {
    expect(activeRms(talkers[0] as Int16Array)).toBeCloseTo(8_000, 0);
  });

  test.each([
    { name: "a cough", make: cough, longestMs: 1_700 },
    { name: "the tones of keys", make: dtmfTones, longestMs: 1_300 },
  ])("$name begins at once, ends, and hardly clips", ({ make, longestMs }) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const samples = make(new Random(seed));
      expect(samples.length).toBeLessThan((longestMs * RATE_HZ) / 1_000);
      expect(samples.findIndex((sample) => Math.abs(sample) > 300)).toBeLessThan(40);
      expect(samples.filter((sample) => Math.abs(sample) > FULL).length).toBeLessThan(samples.length / 50);
    }
  });
});

describe("the caller's line", () => {
  const speak = (sounds: LineSounds, frames: number, played: readonly Uint8Array[] = []): number[] => {
    const line = new CallerLine(sounds);
    return Array.from({ length: frames }, (_, at) => {
      line.played(played[at] ?? new Uint8Array(160).fill(MU_LAW.silenceByte));
      return decoded(line.speak());
    }).flat();
  };

  test("an utterance begins at its own sample and is mixed with the continuous sound", () => {
    const utterance = { samples: new Float32Array(50).fill(8_000), at: 333 };
    const layers = [{ samples: Float32Array.of(100, 200), gain: 2, from: 1 }];
    const line = speak({ utterance, layers }, 3);
    const [low, high] = [
      MU_LAW.decodeTable[MU_LAW.encodeTable[200] as number],
      MU_LAW.decodeTable[MU_LAW.encodeTable[400] as number],
    ];
    expect(line.slice(0, 2)).toEqual([high, low]);
    expect(line.findIndex((sample) => sample > 4_000)).toBe(333);
    expect(line.findLastIndex((sample) => sample > 4_000)).toBe(382);
  });

  test("the echo is the played audio, delayed and attenuated", () => {
    const loud = new Uint8Array(160).fill(MU_LAW.encodeTable[16_000] as number);
    const silence = new Uint8Array(160).fill(MU_LAW.silenceByte);
    const line = speak({ layers: [], echo: { gain: amplitudeOf(-20), delayMs: 50 } }, 6, [silence, loud, silence]);
    // The second frame sounds from 20 ms on.
    expect(line.findIndex((sample) => sample > 500)).toBe((70 * RATE_HZ) / 1_000);
    expect(line.filter((sample) => sample > 500)).toHaveLength(160);
    expect(Math.max(...line)).toBeGreaterThan(1_500);
    expect(Math.max(...line)).toBeLessThan(1_700);
  });
});

describe("findings", () => {
  const trial = (own: Partial<Trial>): Trial => ({
    onsetMs: 2_000,
    endMs: 3_000,
    beganMs: 100,
    overMs: 2_400,
    stops: [],
    speechMs: [],
    silenceMs: [],
    answeredMs: 3_500,
    understood: "",
    heard: [],
    ...own,
  });
  const paused = (atMs: number, resumedMs = Number.NaN): Stop => ({
    kind: "paused",
    atMs,
    lastSentMs: atMs - 10,
    resumedMs,
  });
  const interrupted = (atMs: number): Stop => ({
    kind: "interrupted",
    atMs,
    lastSentMs: atMs - 10,
    resumedMs: Number.NaN,
  });
  const found = (wantsTurn: boolean, trials: Trial[], said = "one two three"): CaseResult =>
    findingsOf(
      { group: "interruptions", title: "case", wantsTurn },
      "partials",
      trials.map((each) => ({ trial: each, greeting: "some words here", said })),
    );

  test("an interruption is timed from the caller's first sample to the agent's last sample that was sent", () => {
    const seen = {
      stops: [paused(2_080), interrupted(2_500)],
      speechMs: [700, 2_080],
      silenceMs: [2_200],
      understood: "one three",
    };
    expect(found(true, [trial(seen)])).toMatchObject({
      falselyPaused: 0,
      falselyInterrupted: 0,
      interruption: {
        calls: 1,
        stopped: 1,
        interrupted: 1,
        toLastSentMs: { count: 1, p50: 70, max: 70 },
        toSilenceMs: { p50: 200 },
        toInterruptionMs: { p50: 500 },
        fromOnsetToLastSentMs: { p50: -10 },
        callerWords: 3,
        callerWordsLost: 1,
        answerMs: { p50: 500 },
      },
    });
  });

  test("a pause of the agent before the caller began is a false one, and a paused agent cannot be interrupted", () => {
    const stops = [paused(1_500, 2_300), interrupted(2_400)];
    expect(found(true, [trial({ stops })])).toMatchObject({
      falselyPaused: 1,
      falsePauses: 1,
      falsePauseMs: { p50: 800 },
      interruption: { calls: 0, stopped: 0 },
    });
  });

  test("an agent that stops long after the caller has finished was not interrupted", () => {
    expect(found(true, [trial({ stops: [paused(4_500)] })]).interruption).toMatchObject({
      calls: 1,
      stopped: 0,
      interrupted: 0,
    });
  });

  test("where the caller does not want the turn every stop is a false one, and lost words count only for replies that were not cancelled", () => {
    const trials = [
      trial({ stops: [paused(500, 1_300)], heard: ["some", "here"] }),
      trial({ stops: [interrupted(900)] }),
    ];
    expect(found(false, trials, "")).toMatchObject({
      falselyPaused: 1,
      falselyInterrupted: 1,
      falsePauses: 1,
      agentWords: 3,
      agentWordsLost: 1,
    });
  });

  test("words that were not heard in order count as missing", () => {
    expect(wordsMissing(["a", "b", "a", "c"], ["a", "c"])).toBe(2);
    expect(wordsMissing(["a", "b"], ["b", "a"])).toBe(1);
    expect(wordsMissing(["a"], ["x", "a", "y"])).toBe(0);
    expect(wordsMissing([], ["a"])).toBe(0);
  });

  test("statistics ignore NaN, and are NaN without values", () => {
    expect(figuresOf([3, Number.NaN, 1, 2])).toEqual({ count: 3, p50: 2, p90: 3, max: 3 });
    expect(figuresOf([]).p50).toBeNaN();
  });

  test("the budgets of interruptions apply to the first case, the budget of the onset to all cases", () => {
    const one = found(true, [trial({ stops: [paused(2_221)], speechMs: [2_100] })]);
    const result: TurnsResult = { machine: {} as TurnsResult["machine"], calls: 1, seed: 1, tookS: 1, cases: [one] };
    expect(goalsOf(result).map(({ verdict }) => verdict)).toEqual(["missed", "holds", "missed"]);
  });
});

describe("a call in virtual time", () => {
  let material: Material;
  let tools: TrialTools;
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-turns-"));

  beforeAll(async () => {
    material = await renderMaterial(["gmw/en-US"]);
    tools = await loadTools(material, dataDir);
  }, 120_000);
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  const quiet = { samples: noise("white", 1, new Random(1), []), gain: amplitudeOf(-60), from: 0 };
  const greeting = AGENT_SENTENCES.slice(0, 2).join(" ");
  const call = (sttMode: SttMode, { samples, text }: Speech, said = text): Promise<Trial> =>
    runTrial({
      tools,
      sttMode,
      greeting,
      phaseMs: 3.7,
      scene: { sounds: { utterance: { samples: Float32Array.from(samples), at: 16_001 }, layers: [quiet] }, said },
    });

  test("on a silent line the agent speaks its whole reply", async () => {
    const trial = await call("partials", { text: "", samples: new Int16Array(1) });
    expect(trial).toMatchObject({ stops: [], speechMs: [] });
    expect(trial.heard.join(" ")).toBe(greeting);
  });

  test.each<SttMode>([
    "partials",
    "finals",
  ])("an interruption pauses the agent, cancels its reply and is answered, with an STT that emits %s", async (sttMode) => {
    const trial = await call(sttMode, material.interruptions[0] as Speech);
    expect(trial.onsetMs).toBeCloseTo(3.7 + 2_000, 0);
    expect(trial.stops.map(({ kind }) => kind)).toEqual(["paused", "interrupted"]);
    expect(trial.stops[0]?.atMs).toBe(trial.speechMs[0]);
    expect(trial.silenceMs[0]).toBeLessThan((trial.stops[0]?.lastSentMs ?? Number.NaN) + OUTPUT_LEAD_MS + 100);
    expect(trial.understood).toBe(material.interruptions[0]?.text);
    expect(trial.answeredMs).toBeGreaterThan(trial.endMs + 300);
  });

  test("a back-channel at most pauses the agent, which then finishes its reply", async () => {
    const trial = await call("partials", material.backChannels[0] as Speech, "");
    for (const stop of trial.stops) expect(stop).toMatchObject({ kind: "paused", resumedMs: expect.any(Number) });
    expect(trial.heard.at(-1)).toBe(greeting.split(" ").at(-1));
    expect(trial.understood).toBe("");
  });

  test("the same call gives the same figures", async () => {
    const speech = material.interruptions[1] as Speech;
    expect(await call("partials", speech)).toEqual(await call("partials", speech));
  });
});
