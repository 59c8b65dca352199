import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { asTurnId } from "../../src/core/ids.ts";
import { TURN_TEXT_CHARS_MAX } from "../../src/core/limits/calls/calls.ts";
import { VirtualCall, type VirtualCallOptions, WORD_MS } from "../support/calls/virtual-call.ts";

const LONG = "Bread is baked at five and rolls at six and cakes at seven.";

/** A call whose carrier says `start` after 100 ms. */
function started(options: VirtualCallOptions): VirtualCall {
  const call = new VirtualCall(options);
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

/** One that the caller opens. */
const callerOpens = (answer: VirtualCallOptions["answer"]): VirtualCall =>
  started({ spec: { firstSpeaker: "user", interruptible: true }, ...(answer === undefined ? {} : { answer }) });

/** One whose greeting may be interrupted. */
const interruptible = (greeting: string): VirtualCall =>
  started({ spec: { greeting, interruptible: true }, answer: () => ({ text: "Fine." }) });

/** The transcript commands of a call: an open turn ends with " ...", a final one with " |". */
const transcriptOf = (call: VirtualCall): string[] =>
  call
    .ofKind("transcript")
    .map(({ turnId, role, text, final }) => `${turnId} ${role}: ${text}${final ? " |" : " ..."}`);

describe("the transcript of the caller", () => {
  test("is the turn as it is transcribed, whole each time, and once more when it is final", () => {
    const call = callerOpens(() => ({ text: "Here they are." }));
    call.says(1_000, "one loaf");
    call.says(1_000 + 3 * WORD_MS, "and a roll");
    call.run(4_500);
    expect(transcriptOf(call)).toEqual([
      "1 user: one ...",
      "1 user: one loaf ...",
      "1 user: one loaf and ...",
      "1 user: one loaf and a ...",
      "1 user: one loaf and a roll ...",
      "2 agent: Here they are. ...",
      "1 user: one loaf and a roll |",
      "2 agent: Here they are. |",
    ]);
  });

  test("comes before what the words bring about", () => {
    const call = interruptible(LONG);
    call.at(1_500, () => call.handle({ kind: "typed", text: "stop" }));
    call.run(1_500);
    const kinds = call.commands.filter(({ atMs }) => atMs === 1_500).map(({ command: { kind } }) => kind);
    expect(kinds.slice(0, 3)).toEqual(["transcript", "cancel-reply", "turn"]);
  });

  test("of a turn that does not end has a limited length, and comes only while it changes", () => {
    const call = callerOpens(() => "hangs");
    for (let atMs = 200; atMs < 1_200; atMs += 100) {
      call.at(atMs, () => call.handle({ kind: "typed", text: "u".repeat(10_000) }));
    }
    call.run(1_200);
    expect(call.ofKind("transcript").map(({ text }) => text.length)).toEqual([10_000, TURN_TEXT_CHARS_MAX]);
  });

  test("begins anew with the words that come once the answer to those before is heard", () => {
    const call = callerOpens(() => ({ text: LONG }));
    call.says(1_000, "do you");
    call.says(4_000, "two rolls");
    call.run(4_900);
    expect(transcriptOf(call)).toEqual([
      "1 user: do ...",
      "1 user: do you ...",
      `2 agent: ${LONG} ...`,
      "1 user: do you |",
      "3 user: two ...",
      "2 agent: Bread is baked at five and |",
      "3 user: two rolls ...",
    ]);
  });

  test("goes on with the words that come before the answer is heard", () => {
    const call = callerOpens(() => ({ text: "Yes.", afterMs: 1_000 }));
    call.at(1_000, () => call.handle({ kind: "typed", text: "do you" }));
    call.at(1_500, () => call.handle({ kind: "typed", text: "sell rolls" }));
    call.run(3_000);
    expect(transcriptOf(call)).toEqual([
      "1 user: do you ...",
      "1 user: do you sell rolls ...",
      "2 agent: Yes. ...",
      "1 user: do you sell rolls |",
      "2 agent: Yes. |",
    ]);
  });

  test("F14-1: has words whole that the STT has changed since they were answered", () => {
    const call = callerOpens(() => ({ text: "How many?" }));
    call.at(1_000, () => call.handle({ kind: "stt-interim", text: "I need for" }));
    call.at(6_000, () => call.handle({ kind: "stt-final", text: "I need forty rolls" }));
    call.run(6_000);
    expect(transcriptOf(call).slice(-1)).toEqual(["3 user: I need forty rolls ..."]);
  });

  test("has typed text after the open interim transcript, as in the turn", () => {
    const call = callerOpens(() => ({ text: "Good." }));
    call.at(1_000, () => call.handle({ kind: "stt-interim", text: "my name is" }));
    call.at(1_100, () => call.handle({ kind: "typed", text: "Siobhán" }));
    call.at(1_200, () => call.handle({ kind: "stt-final", text: "my name is" }));
    call.run(2_000);
    expect(transcriptOf(call)).toEqual([
      "1 user: my name is ...",
      "1 user: my name is Siobhán ...",
      "2 agent: Good. ...",
      "1 user: my name is Siobhán |",
      "2 agent: Good. |",
    ]);
  });

  test("has a final transcript that the STT repeats once", () => {
    const call = callerOpens(() => "hangs");
    for (const atMs of [1_000, 1_050]) call.at(atMs, () => call.handle({ kind: "stt-final", text: "two rolls" }));
    call.run(1_100);
    expect(transcriptOf(call)).toEqual(["1 user: two rolls ..."]);
  });

  test("has a DTMF entry when the LLM is asked to answer it", () => {
    const call = callerOpens(() => "hangs");
    call.presses(1_000, "12#");
    call.run(2_000);
    expect(transcriptOf(call)).toEqual(["1 user: DTMF: 12 ..."]);
    const kinds = call.commands.map(({ command: { kind } }) => kind);
    expect(kinds).toEqual(["state", "generate-reply", "transcript"]);
  });

  test("has DTMF digits that wait for the end of a reply together with the words after them", () => {
    const call = started({ answer: () => "hangs" });
    call.presses(300, "7#");
    call.at(1_000, () => call.handle({ kind: "typed", text: "please" }));
    call.run(2_000);
    expect(transcriptOf(call)).toEqual([
      "1 agent: Hello, this is the bakery. ...",
      "2 user: DTMF: 7 please ...",
      "1 agent: Hello, this is the bakery. |",
    ]);
    expect(call.ofKind("generate-reply")[0]?.messages.at(-1)).toEqual({ role: "user", text: "DTMF: 7 please" });
  });

  test("loses no words to an empty interim transcript, as the turn does not", () => {
    const call = callerOpens(() => "hangs");
    for (const [index, text] of ["two", "two rolls", ""].entries())
      call.at(1_000 + index * 100, () => call.handle({ kind: "stt-interim", text }));
    call.at(900, () => call.handle({ kind: "stt-final", text: "hello" }));
    call.run(4_000);
    expect(transcriptOf(call)).toEqual(["1 user: hello ...", "1 user: hello two ...", "1 user: hello two rolls ..."]);
    expect(call.ofKind("generate-reply")[0]?.messages.at(-1)).toEqual({ role: "user", text: "hello two rolls" });
  });

  test("has the words that a goodbye leaves without an answer before those that come during it", () => {
    const call = started({ spec: { greeting: `${LONG} ${LONG}` } });
    call.at(300, () => call.handle({ kind: "stt-interim", text: "two rolls" }));
    call.at(5_000, () => call.handle({ kind: "goodbye-requested", reason: "drain_timeout" }));
    call.at(5_010, () => call.handle({ kind: "stt-interim", text: "please" }));
    call.run(10_000);
    expect(transcriptOf(call).filter((line) => line.includes("user"))).toEqual([
      "2 user: two rolls ...",
      "2 user: two rolls please ...",
      "2 user: two rolls |",
      "4 user: please |",
    ]);
  });

  test("ends empty where all of it is ignored", () => {
    const call = started({ answer: () => ({ text: LONG, afterMs: 1_000 }), spec: { greeting: LONG } });
    call.says(1_000, "yeah");
    call.run(14_000);
    expect(call.ofKind("ignore").map(({ text }) => text)).toEqual(["yeah"]);
    expect(transcriptOf(call)).toEqual([
      `1 agent: ${LONG} ...`,
      "2 user: yeah ...",
      "2 user:  |",
      `1 agent: ${LONG} |`,
    ]);
  });

  test("loses what is ignored while it awaits an answer", () => {
    const call = started({
      spec: { firstSpeaker: "user", interruptible: true },
      answer: () => "hangs",
      parameters: { ...DEFAULT_TURN_PARAMETERS, fillerMs: Number.POSITIVE_INFINITY },
    });
    call.at(1_000, () => call.handle({ kind: "typed", text: "two rolls" }));
    call.at(2_000, () => call.handle({ kind: "stt-final", text: "okay" }));
    call.at(6_000, () => call.handle({ kind: "reply-failed", turnId: asTurnId(1), code: "provider_failed" }));
    call.run(6_000);
    expect(call.ofKind("ignore").map(({ text }) => text)).toEqual(["okay"]);
    expect(transcriptOf(call)).toEqual([
      "1 user: two rolls ...",
      "1 user: two rolls okay ...",
      "1 user: two rolls ...",
      "2 agent: I am sorry, could you say that again? ...",
    ]);
  });
});

describe("the transcript of the agent", () => {
  test("is the reply before it is heard, and finally what was heard of it", () => {
    const call = interruptible(`Good morning. ${LONG}`);
    call.says(1_500, "wait please");
    call.run(3_000);
    expect(transcriptOf(call)).toEqual([
      `1 agent: Good morning. ${LONG} ...`,
      "2 user: wait ...",
      "1 agent: Good morning. Bread is baked |",
      "2 user: wait please ...",
      "3 agent: Fine. ...",
      "2 user: wait please |",
      "3 agent: Fine. |",
    ]);
  });

  test("has the segments of one step together, after the commands to speak them", () => {
    const call = interruptible(`${LONG} ${LONG} ${LONG}`.repeat(8));
    call.run(100);
    const kinds = call.commands.map(({ command: { kind } }) => kind);
    expect(kinds.slice(0, -1)).toEqual(call.ofKind("speak").map(({ kind }) => kind));
    expect(kinds.length).toBeGreaterThan(3);
    expect(kinds.at(-1)).toBe("transcript");
  });

  test("of a long reply has a limited length until the reply is over", () => {
    const call = callerOpens(() => ({ text: `${LONG} `.repeat(400), endless: true }));
    call.at(1_000, () => call.handle({ kind: "typed", text: "tell me all" }));
    call.run(2_000);
    const lengths = call.ofKind("transcript").flatMap(({ role, text }) => (role === "agent" ? [text.length] : []));
    expect(Math.max(...lengths)).toBe(TURN_TEXT_CHARS_MAX);
    expect(new Set(lengths).size).toBe(lengths.length);
  });

  test("ends empty where nothing was heard, whether another reply follows or the call is over", () => {
    const call = callerOpens((text) => ({ text: `You said ${text}.` }));
    call.at(1_000, () => call.handle({ kind: "typed", text: "one loaf" }));
    call.at(1_050, () => call.handle({ kind: "typed", text: "and a roll" }));
    call.at(1_100, () => call.handle({ kind: "leg-closed", reason: "caller_hangup" }));
    call.run(2_000);
    expect(transcriptOf(call)).toEqual([
      "1 user: one loaf ...",
      "2 agent: You said one loaf. ...",
      "1 user: one loaf and a roll ...",
      "2 agent:  |",
      "3 agent: You said one loaf and a roll. ...",
      "1 user: one loaf and a roll |",
      "3 agent:  |",
    ]);
  });

  test("ends empty when a reply is over for which the TTS made no audio, though nothing follows", () => {
    const call = started({ tts: { afterMs: Number.POSITIVE_INFINITY } });
    call.at(200, () => call.handle({ kind: "segment-end", turnId: asTurnId(1), segment: 0, samples: 0 }));
    call.run(2_000);
    expect(call.ofKind("state")).toEqual([]);
    expect(transcriptOf(call)).toEqual(["1 agent: Hello, this is the bakery. ...", "1 agent:  |"]);
  });

  test("ends empty before the peer is sent the clear", () => {
    const call = interruptible(LONG);
    call.at(150, () => call.handle({ kind: "typed", text: "stop" }));
    call.run(150);
    const ofCancel = call.commands.findIndex(({ command }) => command.kind === "cancel-reply");
    expect(call.commands[ofCancel]?.command).toMatchObject({ clear: true, heardText: "" });
    expect(call.commands[ofCancel - 1]?.command).toMatchObject({
      kind: "transcript",
      role: "agent",
      text: "",
      final: true,
    });
  });

  test("stays open while the reply is paused, and the reply resumes as the same turn", () => {
    const call = interruptible(LONG);
    call.coughs(1_500, 300);
    call.run(10_000);
    expect(call.ofKind("resume")).toHaveLength(1);
    expect(transcriptOf(call)).toEqual([`1 agent: ${LONG} ...`, `1 agent: ${LONG} |`]);
  });

  test("of a paused reply that is then interrupted ends with what was heard of it", () => {
    const call = interruptible(LONG);
    call.coughs(1_300, 400);
    call.at(1_500, () => call.handle({ kind: "typed", text: "stop" }));
    call.run(1_500);
    expect(call.ofKind("pause")).toHaveLength(1);
    expect(transcriptOf(call)).toEqual([`1 agent: ${LONG} ...`, "2 user: stop ...", "1 agent: Bread is baked at |"]);
  });

  test("says where its end is approximate", () => {
    const call = started({ spec: { greeting: LONG, interruptible: true }, tts: { wordTimes: false } });
    call.at(1_500, () => call.handle({ kind: "typed", text: "stop" }));
    call.run(1_500);
    const [closed] = call.ofKind("transcript").filter(({ final }) => final);
    expect(closed).toMatchObject({ role: "agent", approximate: true });
    expect(closed?.text).toBe(call.turns[0]?.text);
  });
});

test("the turns of both sides are numbered as they begin", () => {
  const call = started({ answer: () => ({ text: "Yes?" }) });
  call.at(500, () => call.handle({ kind: "typed", text: "hi" }));
  call.run(5_000);
  expect(transcriptOf(call)).toEqual([
    "1 agent: Hello, this is the bakery. ...",
    "2 user: hi ...",
    "1 agent: Hello, this is the bakery. |",
    "3 agent: Yes? ...",
    "2 user: hi |",
    "3 agent: Yes? |",
  ]);
});

test("the final texts of the transcript are the turns of the call, in their order", () => {
  const call = interruptible(LONG);
  for (const [index, text] of ["wait", "two rolls", "mm-hm", "that is all"].entries())
    call.says(1_500 + index * 3_000, text);
  call.presses(14_000, "7#");
  call.run(14_000 + 2 * DEFAULT_TURN_PARAMETERS.dtmfGapMs);
  const finals = call.ofKind("transcript").filter(({ text, final }) => final && text !== "");
  expect(finals.map(({ role, text }) => [role, text])).toEqual(call.turns.map(({ role, text }) => [role, text]));
  expect(call.turns.length).toBeGreaterThan(6);
});
