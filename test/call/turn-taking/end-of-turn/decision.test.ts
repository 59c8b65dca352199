import { expect, test } from "vitest";
import {
  decideEndOfTurn,
  QUIET_MS_MAX,
  SOUND_HOLD_MS,
  WAIT_MS_MIN,
} from "../../../../src/call/turn-taking/end-of-turn/decision.ts";
import type { EndOfTurnEvidence } from "../../../../src/call/turn-taking/end-of-turn/evidence.ts";
import { FEATURES } from "../../../../src/call/turn-taking/end-of-turn/features.ts";
import { WEIGHTS } from "../../../../src/call/turn-taking/end-of-turn/weights.ts";

const PROSODY = { quietMs: 80, soundMs: 0 };
const evidence = (changes: Partial<EndOfTurnEvidence> = {}): EndOfTurnEvidence => ({
  text: "i would like a table for two",
  language: "en",
  turnMs: 2_000,
  prosody: PROSODY,
  pauses: { count: 0, turns: 0 },
  provider: undefined,
  agentQuestion: "none",
  model: undefined,
  ...changes,
});
const waitMs = (changes: Partial<EndOfTurnEvidence>): number => decideEndOfTurn(evidence(changes)).waitMs;

test("each feature has a weight", () => {
  expect(WEIGHTS).toHaveLength(FEATURES.length);
});

test("the surer the provider or the turn model is, the shorter is the wait", () => {
  for (const name of ["provider", "model"] as const) {
    const waits = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1].map((signal) => waitMs({ [name]: signal }));
    expect(waits).toEqual([...waits].sort((a, b) => b - a));
    expect(waits[0]).toBeGreaterThan((waits[6] as number) + 200);
  }
});

test("a provider that is not sure of anything changes nothing", () => {
  expect(waitMs({ provider: 0.5 })).toBe(waitMs({}));
});

test("an unfinished text waits longer than a complete one", () => {
  const complete = waitMs({});
  for (const text of ["i would like a table for", "my number is", "i would like um", "my number is 0 1"]) {
    expect(waitMs({ text }), text).toBeGreaterThan(complete);
  }
});

test("a single number in a sentence is no number that is dictated, unless one was asked for", () => {
  const text = "for two";
  expect(waitMs({ text, agentQuestion: "number" })).toBeGreaterThan(waitMs({ text }));
  expect(waitMs({ text: "the code is two" })).toBeGreaterThan(waitMs({ text: "the table for two" }));
});

test("an answer to a question for yes or no, or to a choice, ends the turn sooner than the same words after anything else", () => {
  for (const text of ["yes", "no thank you", "yes at nine in the morning"]) {
    const other = waitMs({ text, agentQuestion: "open" });
    for (const agentQuestion of ["yes_no", "choice"] as const)
      expect(waitMs({ text, agentQuestion }), `${text} after ${agentQuestion}`).toBeLessThan(other - 50);
    for (const agentQuestion of ["none", "number"] as const)
      expect(waitMs({ text, agentQuestion }), `${text} after ${agentQuestion}`).toBe(other);
  }
  expect(waitMs({ text: "yes", agentQuestion: "yes_no" })).toBeLessThanOrEqual(160);
  expect(waitMs({ text: "at nine", agentQuestion: "yes_no" })).toBe(waitMs({ text: "at nine" }));
});

test("a number that was asked for is waited for until it has its usual length", () => {
  const after = (text: string): number => waitMs({ text, agentQuestion: "number" });
  expect(after("0 1 7")).toBeGreaterThan(after("0 1 7 2 4 5 6") + 30);
  expect(after("0")).toBeGreaterThan(after("0 1 7"));
});

test("a sound of somebody who looks for words is waited for, in each language that has one", () => {
  for (const [language, text] of [
    ["en", "a table for two um"],
    ["de", "einen tisch äh"],
    ["it", "un tavolo ehm"],
    ["fr", "une table euh"],
  ] as const)
    expect(waitMs({ language, text }), text).toBeGreaterThan(
      waitMs({ language, text: text.replace(/ \S+$/, "") }) + 150,
    );
});

test("the signals of others are taken as they are, though never for certain, beside what the words say", () => {
  const wordsAlone = decideEndOfTurn(evidence()).probability;
  const oddsOf = (probability: number): number => probability / (1 - probability);
  for (const name of ["provider", "model"] as const) {
    const both = decideEndOfTurn(evidence({ [name]: 0.8 })).probability;
    expect(oddsOf(both) / oddsOf(wordsAlone), name).toBeCloseTo(oddsOf(0.8), 0);
    expect(decideEndOfTurn(evidence({ [name]: 1 }))).toMatchObject({
      probability: decideEndOfTurn(evidence({ [name]: 0.98 })).probability,
    });
  }
});

test("weights by hand are those of features.ts", () => {
  const byHand = FEATURES.flatMap(({ name, isStated, prior }, at) => (isStated ? [[name, WEIGHTS[at], prior]] : []));
  expect(byHand).toEqual([
    ["trailing word", -1, -1],
    ["hesitation", -2, -2],
    ["few digits", -1.5, -1.5],
    ["expected answer", 1.5, 1.5],
  ]);
});

test("a caller who often pauses is waited for", () => {
  const pauses = { count: 6, turns: 3 };
  expect(waitMs({ pauses })).toBeGreaterThan(waitMs({ pauses: { count: 0, turns: 3 } }));
});

test("the time for which the caller was quiet before the detector noticed is a part of the wait", () => {
  expect(waitMs({ prosody: { ...PROSODY, quietMs: 0 } }) - waitMs({})).toBe(80);
  expect(waitMs({ provider: 1, prosody: { ...PROSODY, quietMs: 300 } })).toBe(WAIT_MS_MIN);
});

test("a sound that comes back in the pause is waited for", () => {
  const soundMs = 700;
  expect(waitMs({ prosody: { ...PROSODY, soundMs } })).toBe(soundMs + SOUND_HOLD_MS);
});

test("every wait is between the floor and the ceiling, in whole milliseconds", () => {
  for (const text of ["", "yes", "no and", "0 1 7", "a b"]) {
    for (const provider of [undefined, 0, 1]) {
      const decided = decideEndOfTurn(evidence({ text, provider }));
      expect(decided.waitMs).toBeGreaterThanOrEqual(WAIT_MS_MIN);
      expect(decided.waitMs).toBeLessThanOrEqual(QUIET_MS_MAX);
      expect(Number.isInteger(decided.waitMs)).toBe(true);
      expect(decided.probability).toBeGreaterThanOrEqual(0);
      expect(decided.probability).toBeLessThanOrEqual(1);
    }
  }
});

test("the reasons name what weighed most, others' signals first", () => {
  const { reasons } = decideEndOfTurn(evidence({ text: "my number is 0", provider: 0.917 }));
  expect(reasons[0]).toBe("provider 0.92");
  expect(reasons).toContain("few digits");
  expect(reasons.length).toBeLessThanOrEqual(3);
});

test("without prosody, words and pauses there is a decision", () => {
  expect(decideEndOfTurn(evidence({ text: "", prosody: undefined, turnMs: 0 })).waitMs).toBeGreaterThan(WAIT_MS_MIN);
});
