import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { stepTurn, turnDeadlineMs } from "../../../src/call/turn-taking/turn.ts";
import type { TurnEvent } from "../../../src/call/turn-taking/turn-events.ts";
import { INITIAL_TURN, type Turn } from "../../../src/call/turn-taking/turn-state.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../src/core/limits/calls/calls.ts";

const POLICY = { parameters: DEFAULT_TURN_PARAMETERS, sttHasInterim: true, language: "en-US" };

const step = (turn: Turn, event: TurnEvent, nowMs: number, sttHasInterim = true) =>
  stepTurn(turn, event, callMs(nowMs), { ...POLICY, sttHasInterim });

/** Runs events at their times; returns the last turn and every action. */
function runEvents(turn: Turn, events: readonly [number, TurnEvent][]) {
  const actions: unknown[] = [];
  let now = turn;
  for (const [nowMs, event] of events) {
    const stepped = step(now, event, nowMs);
    now = stepped.turn;
    actions.push(...stepped.actions);
  }
  return { turn: now, actions };
}

const speaking = (interruptible: boolean): Turn => ({
  caller: { at: "silent" },
  agent: { at: "replying", turnId: asTurnId(7), audible: true, interruptible, pausedSinceMs: undefined, pauses: 0 },
  answeredPrefix: "",
  answered: undefined,
  lastFinal: "",
  isEnteringDtmf: false,
});

describe("the end of the caller's turn", () => {
  test("comes 500 ms after the last voiced frame when the final transcript is there, and not a millisecond sooner", () => {
    const { turn } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [2_000, { kind: "words", text: "one loaf", final: false }],
      [2_300, { kind: "speech-ended", endMs: callMs(2_000) }],
      [2_350, { kind: "words", text: "one loaf please", final: true }],
    ]);
    expect(turnDeadlineMs(turn, POLICY)).toBe(2_500);
    expect(step(turn, { kind: "tick" }, 2_499).actions).toEqual([]);
    expect(step(turn, { kind: "tick" }, 2_500).actions).toEqual([
      { do: "answer", text: "one loaf please", startMs: 940, endMs: 2_000 },
    ]);
  });

  test("does not come while the caller continues after a pause, and the words of both parts are one turn", () => {
    const { actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [1_850, { kind: "words", text: "one loaf", final: true }],
      [1_950, { kind: "speech-started", startMs: callMs(1_900) }],
      [2_100, { kind: "tick" }],
      [2_900, { kind: "speech-ended", endMs: callMs(2_600) }],
      [2_950, { kind: "words", text: "and two rolls", final: true }],
      [3_100, { kind: "tick" }],
    ]);
    expect(actions).toEqual([{ do: "answer", text: "one loaf and two rolls", startMs: 940, endMs: 2_600 }]);
  });

  test("waits for a final transcript that is late, and takes the interim one when none comes", () => {
    const waiting = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_500, { kind: "words", text: "one loaf", final: false }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [4_400, { kind: "tick" }],
    ]);
    expect(waiting.actions).toEqual([]);
    expect(step(waiting.turn, { kind: "tick" }, 4_500).actions).toMatchObject([{ do: "answer", text: "one loaf" }]);
  });

  test("P11: a final that comes after its interim was answered is not a second turn, and only what is new in it is", () => {
    const answered = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_500, { kind: "words", text: "one loaf", final: false }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [4_500, { kind: "tick" }],
      [4_500, { kind: "reply-began", turnId: asTurnId(1), interruptible: true }],
    ]);
    expect(answered.actions).toHaveLength(1);
    const same = runEvents(answered.turn, [[5_000, { kind: "words", text: "one loaf", final: true }]]);
    expect(same.actions).toEqual([]);
    expect(same.turn).toMatchObject({ caller: { at: "silent" }, answeredPrefix: "" });
    const more = runEvents(answered.turn, [
      [5_000, { kind: "words", text: "one loaf and two rolls", final: true }],
      [5_500, { kind: "tick" }],
    ]);
    expect(more.actions).toMatchObject([{ do: "interrupt" }, { do: "answer", text: "and two rolls" }]);
  });

  test("P11: a final that is sent twice is one utterance, before its answer, over it and after it", () => {
    const twice = { kind: "words", text: "two loaves", final: true } as const;
    const { actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_500, { kind: "words", text: "two loaves", final: false }],
      [1_700, twice],
      [1_750, twice],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [1_850, twice],
      [2_100, { kind: "tick" }],
      [2_100, { kind: "reply-began", turnId: asTurnId(1), interruptible: true }],
      [2_200, { kind: "reply-audible", turnId: asTurnId(1) }],
      [2_300, twice],
      [3_000, { kind: "reply-done", turnId: asTurnId(1) }],
      [3_100, twice],
      [9_000, { kind: "tick" }],
    ]);
    expect(actions).toMatchObject([{ do: "answer", text: "two loaves" }]);
  });

  test("P11: the same said twice is two utterances, where speech or an interim word comes in between", () => {
    const no = { kind: "words", text: "no", final: true } as const;
    for (const between of [
      { kind: "speech-started", startMs: callMs(1_900) },
      { kind: "words", text: "n", final: false },
    ] as const) {
      const { turn } = runEvents(INITIAL_TURN, [
        [1_000, { kind: "words", text: "no", final: false }],
        [1_200, no],
        [1_300, between],
        [1_400, no],
      ]);
      expect(turn.caller).toMatchObject({ words: { final: "no no" } });
    }
    const wordless = step(speaking(true), { kind: "speech-started", startMs: callMs(1_000) }, 1_060, false).turn;
    const once = step({ ...wordless, agent: { at: "idle" } }, no, 1_500, false).turn;
    expect(step(once, no, 2_000, false).turn.caller).toMatchObject({ words: { final: "no no" } });
  });

  test("P11: a final that takes an interim back leaves nothing to answer, and costs the next utterance no word", () => {
    const { turn, actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_500, { kind: "words", text: "hmm wait", final: false }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [2_000, { kind: "words", text: "", final: true }],
      [4_500, { kind: "tick" }],
      [6_000, { kind: "words", text: "stop please", final: true }],
      [6_500, { kind: "tick" }],
    ]);
    expect(actions).toMatchObject([{ do: "answer", text: "stop please" }]);
    expect(turn.answeredPrefix).toBe("");
  });

  test("P11: where a final never comes, what the caller says next is answered completely, and not again with its own final", () => {
    const answered = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_500, { kind: "words", text: "I want two loaves", final: false }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [4_500, { kind: "tick" }],
    ]);
    for (const next of ["no", "what time do you open"]) {
      const said = runEvents(answered.turn, [
        [9_000, { kind: "speech-started", startMs: callMs(8_940) }],
        [9_500, { kind: "words", text: next, final: false }],
        [9_800, { kind: "speech-ended", endMs: callMs(9_500) }],
        [12_500, { kind: "tick" }],
        [12_600, { kind: "words", text: next, final: true }],
        [16_000, { kind: "tick" }],
      ]);
      expect(said.actions).toMatchObject([{ do: "answer", text: next }]);
    }
  });

  test.each([
    ["I want two loaves", "I want two loaves"],
    ["i want two loaves", "I want two loaves."],
    ["I need four", "I need four!"],
    ["twenty five rolls", "Twenty-five rolls."],
    ["我要四十个面包", "我要四十个面包。"],
  ])("P11: %j that was answered is not repeated as %j", (partial, final) => {
    const { actions } = runEvents(INITIAL_TURN, [
      [1_500, { kind: "words", text: partial, final: false }],
      [4_500, { kind: "tick" }],
      [4_600, { kind: "words", text: final, final: true }],
      [9_000, { kind: "tick" }],
    ]);
    expect(actions).toMatchObject([{ do: "answer", text: partial }]);
  });

  test.each([
    ["I need for", "I need forty rolls"],
    ["I would want two loaves", "I'd want two loaves."],
    ["two loaves", "Too, loaves."],
    ["I want two loaves", "I want two."],
    ["我要四", "我要四十个面包"],
    ["ขอ", "ของหวาน"],
    ["my mail is bob", "my mail is bob@example.com"],
    ["come at 5", "come at 5:30"],
    ["I need twenty", "I need twenty-five rolls"],
    ["I need twenty", "I need twenty\u2011five rolls"],
    ["take 5", "take 5%"],
    ["take 5", "take 5% off"],
    ["c'est 5", "C'est 5 %."],
    ["it costs 5", "It costs 5 €."],
    ["it costs 5", "It costs 5€."],
    ["call AT", "Call AT&T"],
    ["I code in C", "I code in C++."],
    ["ต้องการสี่", "ต้องการสี่สิบ"],
    ["ยี่สิบ", "ยี่สิบเอ็ด"],
    ["我要三百", "我要三百五十个"],
    ["三点", "三点半来"],
    ["パンを二十", "パンを二十五個"],
    ["ငါး", "ငါးဆယ်"],
  ])("F14-1: where a word of %j that was answered changed, %j is answered completely", (partial, final) => {
    const { actions } = runEvents(INITIAL_TURN, [
      [1_500, { kind: "words", text: partial, final: false }],
      [4_500, { kind: "tick" }],
      [4_600, { kind: "words", text: final, final: true }],
      [9_000, { kind: "tick" }],
    ]);
    expect(actions).toMatchObject([
      { do: "answer", text: partial },
      { do: "answer", text: final },
    ]);
  });

  test.each([
    ["I need four", "I need four, please.", "please."],
    ["yes", "Yes. And two rolls", "And two rolls"],
    ["hola", "Hola. ¿Qué tal?", "¿Qué tal?"],
    ["twenty five", "Twenty-five rolls", "rolls"],
    ["take 5", "Take 5 $3 rolls", "$3 rolls"],
    ["I need four", "'I need four' please.", "please."],
    ["yes", "Yes—and two rolls", "and two rolls"],
    ["我要三百", "我要三百，五十个不要", "五十个不要"],
    ["我要三百", "我要三百个", "个"],
  ])("F14-1: of words like %j that were answered, only what is new in %j is answered", (partial, final, rest) => {
    const { actions } = runEvents(INITIAL_TURN, [
      [1_500, { kind: "words", text: partial, final: false }],
      [4_500, { kind: "tick" }],
      [4_600, { kind: "words", text: final, final: true }],
      [9_000, { kind: "tick" }],
    ]);
    expect(actions).toMatchObject([{ text: partial }, { text: rest }]);
  });

  test("F14-1: words after DTMF are answered completely where the STT has changed those before it", () => {
    const { actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "words", text: "a", final: false }],
      [1_100, { kind: "dtmf" }],
      [1_200, { kind: "typed", text: "DTMF: 1" }],
      [1_300, { kind: "words", text: "and two", final: true }],
      [9_000, { kind: "tick" }],
    ]);
    expect(actions).toMatchObject([{ text: "a DTMF: 1" }, { text: "and two" }]);
  });

  test("F14-1: an interim that changes what was answered interrupts the answer, and its final is answered", () => {
    const { actions } = runEvents(INITIAL_TURN, [
      [1_500, { kind: "words", text: "I need for", final: false }],
      [4_500, { kind: "tick" }],
      [4_500, { kind: "reply-began", turnId: asTurnId(1), interruptible: true }],
      [4_600, { kind: "words", text: "I need forty", final: false }],
      [4_700, { kind: "words", text: "I need for", final: true }],
      [9_000, { kind: "tick" }],
    ]);
    expect(actions).toMatchObject([{ text: "I need for" }, { do: "interrupt" }, { text: "I need for" }]);
  });

  test("what follows an answered interim is found in unspaced languages too", () => {
    const { actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "words", text: "パンを一つ", final: false }],
      [4_000, { kind: "tick" }],
      [5_000, { kind: "words", text: "パンを一つとロールを二つ", final: true }],
      [5_500, { kind: "tick" }],
    ]);
    expect(actions).toMatchObject([{ text: "パンを一つ" }, { text: "とロールを二つ" }]);
  });

  test("words are answered though speech never pauses, two seconds after the last of them", () => {
    const { turn, actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [2_000, { kind: "words", text: "one loaf please", final: true }],
      [3_999, { kind: "tick" }],
    ]);
    expect(actions).toEqual([]);
    expect(turnDeadlineMs(turn, POLICY)).toBe(4_000);
    const { turn: after, actions: then } = step(turn, { kind: "tick" }, 4_000);
    expect(then).toEqual([{ do: "answer", text: "one loaf please", startMs: 940, endMs: 2_000 }]);
    expect(turnDeadlineMs(after, POLICY)).toBe(Number.POSITIVE_INFINITY);
  });

  test("pauses too short to end a turn do not restart the two seconds: a television has many of them", () => {
    const settled: [number, TurnEvent][] = [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [2_000, { kind: "words", text: "one loaf please", final: true }],
    ];
    // 1,000 ms of voice, 400 ms without, over and over.
    const television = Array.from({ length: 5 }, (_, round): [number, TurnEvent][] => [
      [3_300 + round * 1_400, { kind: "speech-ended", endMs: callMs(3_000 + round * 1_400) }],
      [3_400 + round * 1_400, { kind: "speech-started", startMs: callMs(3_340 + round * 1_400) }],
      [4_399 + round * 1_400, { kind: "tick" }],
    ]).flat();
    const { turn, actions } = runEvents(INITIAL_TURN, [...settled, ...television.slice(0, 3)]);
    expect(actions).toEqual([]);
    expect(turnDeadlineMs(turn, POLICY)).toBe(4_400);
    expect(runEvents(INITIAL_TURN, [...settled, ...television]).actions).toMatchObject([
      { do: "answer", text: "one loaf please" },
    ]);
  });

  test("words that an STT repeats, because only its signal of the end has changed, are not new", () => {
    const speech: [number, TurnEvent] = [1_000, { kind: "speech-started", startMs: callMs(940) }];
    const words: TurnEvent = { kind: "words", text: "two loaves", final: false };
    const once = runEvents(INITIAL_TURN, [speech, [1_500, words]]).turn;
    expect(step(once, words, 3_000).turn).toBe(once);
    const paused = runEvents(once, [[4_000, { kind: "speech-ended", endMs: callMs(3_900) }]]).turn;
    expect(paused.caller).toMatchObject({ wordlessMs: 2_400 });
    expect(step(paused, words, 4_100).turn).toBe(paused);
  });

  test("speech without words is discarded and not answered", () => {
    const { turn, actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [4_500, { kind: "tick" }],
    ]);
    expect(actions).toEqual([]);
    expect(turn.caller).toEqual({ at: "silent" });
  });

  test("words without speech are a turn too", () => {
    const { actions } = runEvents(INITIAL_TURN, [
      [2_000, { kind: "words", text: "hello", final: true }],
      [2_500, { kind: "tick" }],
    ]);
    expect(actions).toEqual([{ do: "answer", text: "hello", startMs: 2_000, endMs: 2_000 }]);
  });

  test("P11: a transcript of a megabyte is truncated to the bound", () => {
    const { turn } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "words", text: "a".repeat(1_000_000), final: true }],
      [1_100, { kind: "words", text: "b".repeat(1_000), final: true }],
      [1_200, { kind: "words", text: "c".repeat(1_000), final: true }],
    ]);
    expect(turn.caller).toMatchObject({ words: { final: "a".repeat(TURN_TEXT_CHARS_MAX), interim: "" } });
  });

  test("empty transcripts change nothing", () => {
    expect(step(INITIAL_TURN, { kind: "words", text: "", final: true }, 100).turn).toBe(INITIAL_TURN);
    expect(step(speaking(true), { kind: "words", text: "", final: true }, 100).actions).toEqual([]);
  });
});

describe("speech over the agent", () => {
  test("a word interrupts an interruptible reply, in the same step", () => {
    const { turn, actions } = step(speaking(true), { kind: "words", text: "stop", final: false }, 640);
    expect(actions).toEqual([{ do: "interrupt", turnId: 7, reason: "words", speechMs: 0 }]);
    expect(turn.agent).toEqual({ at: "idle" });
  });

  test("nothing interrupts a reply that is not interruptible, and its end lets the words be answered at once", () => {
    const { turn, actions } = runEvents(speaking(false), [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_400, { kind: "words", text: "hello there", final: true }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [9_000, { kind: "tick" }],
    ]);
    expect(actions).toEqual([]);
    expect(turnDeadlineMs(turn, POLICY)).toBe(Number.POSITIVE_INFINITY);
    expect(step(turn, { kind: "reply-done", turnId: asTurnId(7) }, 9_100).actions).toMatchObject([
      { do: "answer", text: "hello there" },
    ]);
  });

  test("speech alone never interrupts a reply that is not audible yet", () => {
    const thinking: Turn = {
      caller: {
        at: "speaking",
        startMs: callMs(0),
        speechStartMs: callMs(0),
        words: { final: "", interim: "" },
        lastWordMs: callMs(0),
      },
      agent: {
        at: "replying",
        turnId: asTurnId(7),
        audible: false,
        interruptible: true,
        pausedSinceMs: undefined,
        pauses: 0,
      },
      answeredPrefix: "",
      answered: undefined,
      lastFinal: "",
      isEnteringDtmf: false,
    };
    expect(step(thinking, { kind: "tick" }, 5_000, false).actions).toEqual([]);
  });

  test("events of another reply have no effect", () => {
    const turn = speaking(true);
    expect(step(turn, { kind: "reply-done", turnId: asTurnId(6) }, 640).turn).toBe(turn);
    expect(step(turn, { kind: "reply-audible", turnId: asTurnId(6) }, 640).turn).toBe(turn);
  });
});

describe("typed words", () => {
  test("are answered at once: nothing more follows", () => {
    const { actions } = runEvents(INITIAL_TURN, [[1_000, { kind: "typed", text: "two loaves" }]]);
    expect(actions).toEqual([{ do: "answer", text: "two loaves", startMs: 1_000, endMs: 1_000 }]);
  });

  test("join what was said before them, whose pause they end", () => {
    const { actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [1_850, { kind: "words", text: "my name is", final: true }],
      [1_900, { kind: "typed", text: "Siobhán" }],
    ]);
    expect(actions).toEqual([{ do: "answer", text: "my name is Siobhán", startMs: 940, endMs: 1_900 }]);
  });

  test("follow an interim transcript, whose final then adds only what is new", () => {
    const { turn, actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_500, { kind: "words", text: "my name is", final: false }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [1_900, { kind: "typed", text: "Siobhán" }],
    ]);
    expect(actions).toMatchObject([{ do: "answer", text: "my name is Siobhán" }]);
    const same = runEvents(turn, [[2_000, { kind: "words", text: "my name is", final: true }]]);
    expect(same.turn.caller).toEqual({ at: "silent" });
    const more = runEvents(turn, [
      [2_000, { kind: "words", text: "my name is written", final: true }],
      [2_500, { kind: "tick" }],
    ]);
    expect(more.actions).toMatchObject([{ do: "answer", text: "written" }]);
  });

  test("interrupt a reply, and are answered when it is over", () => {
    const cancelled = step(speaking(true), { kind: "typed", text: "stop" }, 1_000);
    expect(cancelled.actions).toEqual([{ do: "interrupt", turnId: 7, reason: "typed", speechMs: 0 }]);
    expect(step(cancelled.turn, { kind: "reply-done", turnId: asTurnId(7) }, 1_000).actions).toEqual([
      { do: "answer", text: "stop", startMs: 1_000, endMs: 1_000 },
    ]);
  });

  test("wait for the end of a message that is not interruptible", () => {
    const waiting = step(speaking(false), { kind: "typed", text: "stop" }, 1_000);
    expect(waiting.actions).toEqual([]);
    expect(turnDeadlineMs(waiting.turn, POLICY)).toBe(Number.POSITIVE_INFINITY);
    expect(step(waiting.turn, { kind: "reply-done", turnId: asTurnId(7) }, 4_000).actions).toEqual([
      { do: "answer", text: "stop", startMs: 1_000, endMs: 1_000 },
    ]);
  });

  test("belong to the turn of a caller who is speaking", () => {
    const { actions } = runEvents(INITIAL_TURN, [
      [1_000, { kind: "speech-started", startMs: callMs(940) }],
      [1_200, { kind: "typed", text: "A-17" }],
      [1_800, { kind: "speech-ended", endMs: callMs(1_500) }],
      [1_850, { kind: "words", text: "is my order", final: true }],
      [2_000, { kind: "tick" }],
    ]);
    expect(actions).toEqual([{ do: "answer", text: "A-17 is my order", startMs: 940, endMs: 1_500 }]);
  });
});
