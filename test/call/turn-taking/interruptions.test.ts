import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { stepTurn, turnDeadlineMs } from "../../../src/call/turn-taking/turn.ts";
import type { TurnEvent } from "../../../src/call/turn-taking/turn-events.ts";
import { type Agent, INITIAL_TURN, type Turn } from "../../../src/call/turn-taking/turn-state.ts";
import { callMs, millisecondsOf } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { VirtualCall, WORD_MS } from "../../support/calls/virtual-call.ts";

const { steadyNoiseMs, resumeMs, pauseMsMax, speechPausesMax, backChannelAnswerMs, finalWaitMs } =
  DEFAULT_TURN_PARAMETERS;

const policyOf = (sttHasInterim: boolean) => ({
  parameters: DEFAULT_TURN_PARAMETERS,
  sttHasInterim,
  language: "en-US",
});

/** A reply that is heard, and what comes of events at their times. */
function overReply(
  events: readonly [number, TurnEvent][],
  { sttHasInterim = true, ...agent }: Partial<Agent & { sttHasInterim: boolean }> = {},
) {
  const policy = policyOf(sttHasInterim);
  const replying: Agent = {
    at: "replying",
    turnId: asTurnId(7),
    audible: true,
    interruptible: true,
    pausedSinceMs: undefined,
    pauses: 0,
  };
  let turn: Turn = { ...INITIAL_TURN, agent: { ...replying, ...agent } as Agent };
  const emitted: string[] = [];
  for (const [atMs, event] of events) {
    const stepped = stepTurn(turn, event, callMs(atMs), policy);
    turn = stepped.turn;
    for (const action of stepped.actions) {
      emitted.push(
        `${atMs} ${action.do}${"reason" in action ? ` ${action.reason}` : ""}${"text" in action ? ` ${action.text}` : ""}`,
      );
    }
  }
  return { turn, emitted, deadlineMs: millisecondsOf(turnDeadlineMs(turn, policy)) };
}

const began = (atMs: number): [number, TurnEvent] => [atMs, { kind: "speech-started", startMs: callMs(atMs - 60) }];
const ended = (atMs: number): [number, TurnEvent] => [atMs, { kind: "speech-ended", endMs: callMs(atMs - 300) }];
const words = (atMs: number, text: string, final = false): [number, TurnEvent] => [
  atMs,
  { kind: "words", text, final },
];
const tick = (atMs: number): [number, TurnEvent] => [atMs, { kind: "tick" }];

describe("speech over a reply", () => {
  test("pauses it in the step in which it is detected", () => {
    const { emitted, turn } = overReply([began(1_000)]);
    expect(emitted).toEqual(["1000 pause"]);
    expect(turn.agent).toMatchObject({ pausedSinceMs: 1_000, pauses: 1 });
  });

  test("without words lets it resume, a fixed time after the speech ended", () => {
    const cough = [began(1_000), ended(1_500)];
    const { deadlineMs } = overReply(cough);
    expect(deadlineMs).toBe(1_200 + resumeMs);
    expect(overReply([...cough, tick(deadlineMs - 1)]).emitted).toEqual(["1000 pause"]);
    const { emitted, turn } = overReply([...cough, tick(deadlineMs)]);
    expect(emitted).toEqual(["1000 pause", `${deadlineMs} resume no_words`]);
    expect(turn.agent).toMatchObject({ pausedSinceMs: undefined, pauses: 1 });
  });

  test("that is a back-channel lets it resume as soon as the transcript is final", () => {
    const { emitted } = overReply([began(1_000), words(1_300, "mm-hm"), ended(1_500), words(1_600, "Mm-hm.", true)]);
    expect(emitted).toEqual(["1000 pause", "1600 resume back_channel"]);
  });

  test("that becomes a word interrupts it, also one after a back-channel", () => {
    expect(overReply([began(1_000), words(1_250, "wait")]).emitted).toEqual(["1000 pause", "1250 interrupt words"]);
    expect(overReply([began(1_000), words(1_250, "yeah"), words(1_500, "yeah but")]).emitted).toEqual([
      "1000 pause",
      "1500 interrupt words",
    ]);
  });

  test("that goes on without words, as a television's, pauses it no longer than the bound", () => {
    const { deadlineMs } = overReply([began(1_000)]);
    expect(deadlineMs).toBe(1_000 + pauseMsMax);
    expect(overReply([began(1_000), tick(deadlineMs)]).emitted).toEqual([
      "1000 pause",
      `${deadlineMs} resume pause_timeout`,
    ]);
  });

  test("that comes and goes, as in a fit of coughing, pauses it no longer than the bound, whatever the STT", () => {
    const fit = [began(1_000), ended(1_500), began(1_900), ended(2_400), began(2_800)];
    for (const sttHasInterim of [true, false]) {
      expect(overReply([...fit, tick(2_999)], { sttHasInterim }).emitted).toEqual(["1000 pause"]);
      expect(overReply([...fit, tick(1_000 + pauseMsMax)], { sttHasInterim }).emitted).toEqual([
        "1000 pause",
        "3000 resume pause_timeout",
      ]);
    }
  });

  test("pauses it for the same time again when a back-channel is recognized", () => {
    const hum = [began(1_000), words(2_500, "mm-hm")];
    expect(overReply(hum).deadlineMs).toBe(2_500 + pauseMsMax);
    expect(overReply([...hum, tick(4_499)]).emitted).toEqual(["1000 pause"]);
  });

  test("pauses it at most the bound: after that only words stop it", () => {
    const coughs = Array.from({ length: 5 }, (_, i) => [
      began(1_000 + i * 4_000),
      ended(1_500 + i * 4_000),
      tick(2_500 + i * 4_000),
    ]);
    const { emitted } = overReply([...coughs.flat(), began(30_000), words(30_400, "stop")]);
    expect(emitted.filter((line) => line.endsWith("pause"))).toHaveLength(speechPausesMax);
    expect(emitted.at(-1)).toBe("30400 interrupt words");
  });

  test("that has gone on for long without a word, as background noise does, does not stop a reply that starts after it", () => {
    for (const sttHasInterim of [true, false]) {
      const audibleMs = 900 + steadyNoiseMs;
      const audible: [number, TurnEvent] = [audibleMs, { kind: "reply-audible", turnId: asTurnId(7) }];
      const noise = [began(900), audible, tick(audibleMs + 20_000)];
      const { emitted, deadlineMs } = overReply(noise, { audible: false, sttHasInterim });
      // Nothing is waited for that has come to nothing: it would be looked for again with every tick.
      expect([emitted, deadlineMs]).toEqual([[], Number.POSITIVE_INFINITY]);
    }
  });

  test("that was there before its first sample pauses it at that sample", () => {
    const { emitted } = overReply([began(900), [1_000, { kind: "reply-audible", turnId: asTurnId(7) }]], {
      audible: false,
    });
    expect(emitted).toEqual(["1000 pause"]);
  });

  test("pauses nothing that is not interruptible, and words over it wait", () => {
    const { emitted } = overReply(
      [
        began(1_000),
        words(1_500, "hello"),
        ended(2_000),
        words(2_050, "hello there", true),
        [9_000, { kind: "reply-done", turnId: asTurnId(7) }],
      ],
      { interruptible: false },
    );
    expect(emitted).toEqual(["9000 answer hello there"]);
  });
});

describe("a back-channel over a reply", () => {
  const yes = [began(1_000), ended(1_500), words(1_600, "yes", true)];

  test("long before its end needs no answer, and the next turn does not begin with it", () => {
    const { emitted } = overReply([
      ...yes,
      [9_000, { kind: "reply-done", turnId: asTurnId(7) }],
      words(10_000, "two loaves", true),
      tick(10_500),
    ]);
    expect(emitted).toEqual(["1000 pause", "1600 resume back_channel", "9000 ignore yes", "10500 answer two loaves"]);
  });

  test("at its very end is an answer to it", () => {
    const doneMs = 1_200 + backChannelAnswerMs - 1;
    const { emitted } = overReply([...yes, [doneMs, { kind: "reply-done", turnId: asTurnId(7) }]]);
    expect(emitted.at(-1)).toBe(`${doneMs} answer yes`);
  });

  test("is ignored as soon as it can be no answer any more, and a later interruption does not begin with it", () => {
    const { emitted } = overReply([
      ...yes,
      tick(1_200 + backChannelAnswerMs - 1),
      tick(1_200 + backChannelAnswerMs),
      began(8_000),
      words(8_300, "stop", true),
      ended(8_600),
      [8_600, { kind: "reply-done", turnId: asTurnId(7) }],
      tick(8_800),
    ]);
    expect(emitted).toEqual([
      "1000 pause",
      "1600 resume back_channel",
      "2200 ignore yes",
      "8000 pause",
      "8300 interrupt words",
      "8800 answer stop",
    ]);
  });

  test("in many breaths is ignored, however many words it has", () => {
    const hums = Array.from({ length: 6 }, (_, i) => [
      began(1_000 + i * 900),
      ended(1_500 + i * 900),
      words(1_600 + i * 900, i % 2 === 0 ? "mm-hm" : "I see", true),
    ]).flat();
    const { emitted } = overReply([...hums, [20_000, { kind: "reply-done", turnId: asTurnId(7) }]]);
    expect(emitted.at(-1)).toBe("20000 ignore mm-hm I see mm-hm I see mm-hm I see");
  });

  test("of several words is one even while the interim transcript has only its beginning", () => {
    const see = [began(1_000), words(1_200, "I"), words(1_400, "I see"), ended(1_700), words(1_800, "I see", true)];
    expect(overReply(see).emitted).toEqual(["1000 pause", "1800 resume back_channel"]);
    expect(overReply([began(1_000), words(1_200, "I"), words(1_400, "I want")]).emitted).toEqual([
      "1000 pause",
      "1400 interrupt words",
    ]);
    expect(overReply([began(1_000), words(1_200, "I"), ended(1_500), words(1_600, "I", true)]).emitted).toEqual([
      "1000 pause",
      "1600 interrupt words",
    ]);
  });

  test("whose transcript never becomes final is ignored all the same, once the final is not awaited any more", () => {
    const hum = [began(1_000), words(1_300, "mm-hm"), ended(1_500)];
    const { emitted, turn } = overReply([...hum, tick(1_200 + resumeMs), tick(1_200 + finalWaitMs)]);
    expect(emitted).toEqual(["1000 pause", "2000 resume no_words", "4200 ignore mm-hm"]);
    expect(
      stepTurn(turn, { kind: "words", text: "mm-hm", final: true }, callMs(9_000), policyOf(true)).turn,
    ).toMatchObject({
      caller: { at: "silent" },
    });
  });

  test("is a turn when the agent is silent", () => {
    const { emitted } = overReply([[500, { kind: "reply-done", turnId: asTurnId(7) }], ...yes, tick(2_000)]);
    expect(emitted).toEqual(["1700 answer yes"].map(() => expect.stringMatching(/ answer yes$/)));
  });
});

describe("a whole call", () => {
  const answering = {
    spec: { interruptible: true },
    answer: () => ({ text: "The bakery is open from eight to six every day." }),
  };

  test("in which the caller coughs has every word, resumes at the exact sample, and its transcript has no interruption", () => {
    const call = new VirtualCall(answering);
    call.handle({ kind: "leg-started", codec: "mulaw" });
    call.says(2_500, "when are you open");
    call.coughs(5_400, 200);
    call.run(14_000);
    expect(call.ofKind("pause")).toHaveLength(1);
    expect(call.ofKind("resume")).toMatchObject([{ reason: "no_words" }]);
    expect(call.heardWords.join(" ")).toContain("The bakery is open from eight to six every day.");
    expect(call.turns.at(-1)).toMatchObject({
      text: "The bakery is open from eight to six every day.",
      interrupted: false,
    });
  });

  test("in which the caller says mm-hm over the agent continues, and mm-hm is in no turn", () => {
    const call = new VirtualCall(answering);
    call.handle({ kind: "leg-started", codec: "mulaw" });
    call.says(2_500, "when are you open");
    call.says(5_000, "mm-hm");
    call.run(14_000);
    expect(call.turns.map(({ text }) => text)).toEqual([
      "Hello, this is the bakery.",
      "when are you open",
      "The bakery is open from eight to six every day.",
    ]);
    expect(call.ofKind("ignore")).toMatchObject([{ text: "mm-hm" }]);
  });

  test("in which the caller interrupts: the agent is silent within the lead of the first sound, and the reason is recorded", () => {
    const call = new VirtualCall(answering);
    call.handle({ kind: "leg-started", codec: "mulaw" });
    call.says(2_500, "when are you open");
    call.says(5_400, "no stop");
    call.run(9_000);
    const paused = call.commands.find(({ command }) => command.kind === "pause");
    expect((paused?.atMs ?? Number.NaN) - 5_400).toBeLessThanOrEqual(60);
    const [cancelled] = call.ofKind("cancel-reply");
    expect(cancelled).toMatchObject({ reason: "words", clear: true });
    expect(cancelled?.speechMs).toBeGreaterThanOrEqual(WORD_MS - 60);
    expect(cancelled?.heardText).toBe(call.turns.find(({ interrupted }) => interrupted)?.text);
  });
});
