import { describe, expect, test } from "vitest";
import { Conversation } from "../../../src/call/conversation.ts";
import type { CallCommand } from "../../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { CallPhrases } from "../../../src/call/phrases.ts";
import { AgentSide } from "../../../src/call/reply/agent-side.ts";
import { Transcript } from "../../../src/call/transcript.ts";
import { Inactivity } from "../../../src/call/turn-taking/inactivity.ts";
import type { TurnEvent } from "../../../src/call/turn-taking/turn-events.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asTurnId, type TurnId } from "../../../src/core/ids.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { SPEC } from "../../support/calls/virtual-call.ts";

const { markGraceMs } = DEFAULT_TURN_PARAMETERS;
const WORDS = ["Bread", "is", "baked", "at", "five", "every", "day."];
const TEXT = WORDS.join(" ");
const WORD_FRAMES = 5;
const WORD_MS = WORD_FRAMES * FRAME_MS;

/** An `AgentSide` by itself, whose owner only records what it reports. */
function speaker() {
  const commands: CallCommand[] = [];
  const steps: TurnEvent[] = [];
  const ended: string[] = [];
  const sink = (command: CallCommand) => commands.push(command);
  const spec = { ...SPEC, interruptible: true };
  const transcript = new Transcript(() => {});
  const conversation = new Conversation(spec, sink, transcript, Number.POSITIVE_INFINITY);
  const made = new AgentSide({
    retrieval: undefined,
    spec,
    rateHz: CARRIER_RATE_HZ,
    // Nothing confirms here: the playback clock counts.
    parameters: { ...DEFAULT_TURN_PARAMETERS, confirmationMs: Number.POSITIVE_INFINITY },
    conversation,
    inactivity: new Inactivity(spec, DEFAULT_TURN_PARAMETERS),
    phrases: new CallPhrases(),
    transcript,
    sink,
    step: (event) => steps.push(event),
    end: (reason) => ended.push(reason),
    llmDone: () => {},
    requestTransfer: () => {},
    requestHold: () => {},
    beginHold: () => {},
    switchLanguage: () => {},
    changeRecording: () => {},
    turnSettled: () => {},
  });
  const kinds = () => commands.map(({ kind }) => kind);
  return { speaker: made, commands, kinds, steps, ended, conversation };
}

/** The TTS has synthesized the only segment of reply `turnId`. */
function synthesised(to: AgentSide, turnId: TurnId, atMs: number): void {
  const words = WORDS.map((text, index) => ({ text, startMs: index * WORD_MS, endMs: (index + 1) * WORD_MS }));
  const samples = WORDS.length * WORD_FRAMES * CARRIER_FRAME_SAMPLES;
  to.handle({ kind: "segment-audio", turnId, segment: 0, samples, words }, callMs(atMs));
  to.handle({ kind: "segment-end", turnId, segment: 0, samples }, callMs(atMs));
}

/** `frames` of it go out, each when it is due. */
function sent(to: AgentSide, turnId: TurnId, frames: number, fromMs: number): number {
  for (let frame = 0; frame < frames; frame += 1) {
    to.handle({ kind: "frame-out", turnId, samples: CARRIER_FRAME_SAMPLES }, callMs(fromMs + frame * FRAME_MS));
  }
  return fromMs + frames * FRAME_MS;
}

describe("the current reply", () => {
  test("ends when its mark is returned, and the next one has its own turn id", () => {
    const { speaker: it, commands, steps } = speaker();
    it.say(TEXT, "greeting", callMs(0));
    synthesised(it, asTurnId(1), 50);
    const endMs = sent(it, asTurnId(1), WORDS.length * WORD_FRAMES, 100);
    expect(commands.at(-1)).toEqual({ kind: "mark", name: "1.0" });
    expect(it.busy).toBe(true);
    it.markReturned("1.0", callMs(endMs));
    expect(it.busy).toBe(false);
    expect(commands.at(-2)).toMatchObject({
      kind: "turn",
      turn: { text: TEXT, startMs: 100, endMs, interrupted: false },
    });
    expect(steps.map(({ kind }) => kind)).toEqual(["reply-began", "reply-audible", "reply-done"]);
    it.say("Rolls too, every single day.", "inactivity", callMs(endMs));
    expect(commands.at(-1)).toMatchObject({ kind: "speak", turnId: 2, segment: 0 });
  });

  test("ends without a mark after the grace period", () => {
    const { speaker: it } = speaker();
    it.say(TEXT, "greeting", callMs(0));
    synthesised(it, asTurnId(1), 50);
    const endMs = sent(it, asTurnId(1), WORDS.length * WORD_FRAMES, 100);
    expect(it.deadlineMs(callMs(endMs))).toBe(endMs + markGraceMs);
    it.finishIfHeard(callMs(endMs + markGraceMs - 1));
    expect(it.busy).toBe(true);
    it.finishIfHeard(callMs(endMs + markGraceMs));
    expect(it.busy).toBe(false);
  });

  test("does not end with a mark that is returned before the last sample can have been played", () => {
    const { speaker: it } = speaker();
    it.say(TEXT, "greeting", callMs(0));
    synthesised(it, asTurnId(1), 50);
    // All of it goes out in one moment: it takes 700 ms to be heard, whatever the far end says.
    for (let frame = 0; frame < WORDS.length * WORD_FRAMES; frame += 1) sent(it, asTurnId(1), 1, 100);
    it.markReturned("1.0", callMs(100));
    expect(it.busy).toBe(true);
    expect(it.deadlineMs(callMs(100))).toBe(100 + WORDS.length * WORD_MS);
    it.finishIfHeard(callMs(100 + WORDS.length * WORD_MS));
    expect(it.busy).toBe(false);
  });

  test("P12: ignores events of other replies", () => {
    const { speaker: it, commands } = speaker();
    it.say(TEXT, "greeting", callMs(0));
    const before = commands.length;
    synthesised(it, asTurnId(2), 50);
    sent(it, asTurnId(7), 3, 100);
    it.handle({ kind: "reply-text", turnId: asTurnId(0), text: "Words of no reply, at any time." }, callMs(200));
    it.handle({ kind: "segment-failed", turnId: asTurnId(3), segment: 0, code: "provider_failed" }, callMs(200));
    expect(commands).toHaveLength(before);
    expect(it.busy).toBe(true);
  });
});

describe("cancelling a reply", () => {
  test("reports the words that were heard, clears the rest, and says how long the caller had been speaking", () => {
    const { speaker: it, commands } = speaker();
    it.say(TEXT, "greeting", callMs(0));
    synthesised(it, asTurnId(1), 50);
    const nowMs = sent(it, asTurnId(1), 2 * WORD_FRAMES + 2, 100);
    it.cancel("words", 219.6, callMs(nowMs));
    expect(commands.slice(-3)).toMatchObject([
      { kind: "cancel-reply", turnId: 1, clear: true, reason: "words", speechMs: 220, heardText: "Bread is" },
      { kind: "turn", turn: { text: "Bread is", interrupted: true } },
      { kind: "state", state: "listening" },
    ]);
    expect(it.busy).toBe(false);
    expect(it.playsUntilMs).toBeLessThanOrEqual(nowMs);
  });

  test("that is not audible yet clears nothing and leaves no turn", () => {
    const { speaker: it, kinds, conversation } = speaker();
    it.say(TEXT, "greeting", callMs(0));
    synthesised(it, asTurnId(1), 50);
    it.cancel("words", 0, callMs(60));
    expect(kinds()).toEqual(["speak", "cancel-reply"]);
    expect(conversation.messages()).toHaveLength(1);
  });

  test("that was heard to its end, though no mark has confirmed it, is no interruption", () => {
    const { speaker: it, kinds, commands } = speaker();
    it.say(TEXT, "greeting", callMs(0));
    synthesised(it, asTurnId(1), 50);
    const endMs = sent(it, asTurnId(1), WORDS.length * WORD_FRAMES, 100);
    it.cancel("words", 0, callMs(endMs));
    expect(kinds()).not.toContain("cancel-reply");
    expect(commands.find(({ kind }) => kind === "turn")).toMatchObject({ turn: { interrupted: false } });
  });

  test("has no effect when there is none", () => {
    const { speaker: it, commands } = speaker();
    it.cancel("words", 0, callMs(100));
    it.stop(callMs(100));
    expect(commands).toEqual([]);
  });
});

describe("a pause", () => {
  test("is emitted with the reply that it holds, and so is its end", () => {
    const { speaker: it, commands } = speaker();
    it.say(TEXT, "greeting", callMs(0));
    synthesised(it, asTurnId(1), 50);
    sent(it, asTurnId(1), 3, 100);
    it.pause(asTurnId(1), callMs(160));
    it.resume({ do: "resume", turnId: asTurnId(1), reason: "no_words" }, callMs(900));
    expect(commands.slice(-4)).toEqual([
      { kind: "pause", turnId: 1 },
      { kind: "state", state: "listening" },
      { kind: "resume", turnId: 1, reason: "no_words" },
      { kind: "state", state: "speaking" },
    ]);
  });
});

describe("a TTS that fails", () => {
  test("ends the call", () => {
    const { speaker: it, ended } = speaker();
    it.say(TEXT, "greeting", callMs(0));
    it.handle({ kind: "segment-failed", turnId: asTurnId(1), segment: 0, code: "provider_failed" }, callMs(100));
    expect(ended).toEqual(["provider_error"]);
  });
});
