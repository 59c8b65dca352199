import { describe, expect, test } from "vitest";
import { PREEMPTIVE_TURN_PARAMETERS } from "../../../../src/call/parameters.ts";
import { PREEMPTIVE_GENERATIONS_PER_TURN_MAX } from "../../../../src/core/limits/calls/calls.ts";
import { HASTY, hasty, SPEC, saidByCaller, speak } from "../../../support/calls/hasty-call.ts";

const TOOL = { kind: "built_in", name: "send_dtmf", fixedArguments: { digits: "1" } } as const;

describe("a goodbye that is not audible yet", () => {
  test("is not dropped for words that go on with what was said over the reply before it", () => {
    const call = hasty({
      greeting: "none",
      spec: {
        ...SPEC,
        firstSpeaker: "agent",
        greeting: "Hello, this is the bakery in the old town.",
        interruptible: false,
      },
      tts: { afterMs: 400 },
    });
    speak(call, 1_000, "two loaves please");
    call.at(2_400, () => call.handle({ kind: "goodbye-requested", reason: "drain_timeout" }));
    call.at(2_600, () => call.handle({ kind: "stt-interim", text: "two loaves please and three rolls" }));
    call.run(20_000);
    expect(call.turns.map(({ text, interrupted }) => [text, interrupted])).toContainEqual([
      "We have to end this call now. Goodbye.",
      false,
    ]);
    expect(call.endReason).toBe("drain_timeout");
  });
});

describe("the tools of an answer that is held while the caller speaks on", () => {
  const pressing = {
    spec: { ...SPEC, tools: [TOOL] },
    answer: (text: string | undefined, { messages }: { messages: readonly { role: string }[] }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "Done." }
        : { text: "", tools: [{ name: "send_dtmf" }], afterMs: text?.includes("seven") === true ? 40 : 500 },
  };

  test("do not run for a turn that is taken back", () => {
    const call = hasty(pressing);
    const endMs = speak(call, 1_000, "my number is");
    speak(call, endMs + 300, "zero one seven", { lagMs: 600, utterance: "my number is" });
    call.run(endMs + 1_100);
    expect(call.ofKind("pause")).toHaveLength(1);
    expect(call.ofKind("send-dtmf")).toEqual([]);
    call.run(12_000);
    expect(saidByCaller(call)).toEqual(["my number is zero one seven"]);
    expect(call.ofKind("send-dtmf")).toHaveLength(1);
  });

  test("run once the answer is resumed, because it was only a cough", () => {
    const call = hasty(pressing);
    const endMs = speak(call, 1_000, "two loaves please");
    call.coughs(endMs + 300, 400);
    call.run(9_000);
    expect(call.ofKind("resume")).toHaveLength(1);
    expect(call.ofKind("send-dtmf")).toHaveLength(1);
    expect(call.heardWords).toEqual(["Done."]);
  });
});

describe("a turn that is taken back and answered again at once", () => {
  test("can be taken back again, also while the agent's first message cannot be interrupted", () => {
    const call = hasty({ spec: { ...SPEC, interruptible: false }, answer: () => ({ text: "Good.", afterMs: 1_500 }) });
    const endMs = speak(call, 1_000, "fifteen loaves", { final: "Fifty loaves.", finalAfterMs: 500 });
    call.at(endMs + 700, () => call.handle({ kind: "stt-final", text: "And rolls." }));
    call.run(12_000);
    expect(saidByCaller(call)).toEqual(["Fifty loaves. And rolls."]);
  });
});

describe("preemptive generations of a turn that is taken back again and again", () => {
  test("are bounded for the whole turn", () => {
    const parameters = { ...PREEMPTIVE_TURN_PARAMETERS, turnWaitMsMin: HASTY.turnWaitMsMin, turnWaitMsMax: 400 };
    const call = hasty({ parameters, answer: () => ({ text: "Good.", afterMs: 3_000 }) });
    let said = "";
    let atMs = 1_000;
    for (const digit of "zero one two three four five six seven eight nine".split(" ")) {
      atMs = 800 + speak(call, atMs, digit, { utterance: said, endOfTurn: 0.9 });
      said = [said, digit].filter(Boolean).join(" ");
    }
    call.run(30_000);
    expect(saidByCaller(call)).toEqual([said]);
    expect(call.ofKind("preemptive-start").length).toBeLessThanOrEqual(PREEMPTIVE_GENERATIONS_PER_TURN_MAX);
  });
});

describe("an answer that is held, with an STT that has no interim transcripts", () => {
  test("is dropped for words that are asked for, and not sent into the speech of a caller who goes on for long", () => {
    const call = hasty({
      sttHasInterims: false,
      answer: () => ({ text: "Good.", afterMs: 600 }),
      interim: (nowMs) => ({ text: nowMs > 2_000 ? "zero one seven" : "", afterMs: 300 }),
    });
    const endMs = 1_900;
    call.coughs(1_000, endMs - 1_000);
    call.at(endMs + 400, () => call.handle({ kind: "stt-final", text: "my number is" }));
    call.coughs(endMs + 600, 4_000);
    call.at(endMs + 4_900, () => call.handle({ kind: "stt-final", text: "zero one seven" }));
    call.run(endMs + 4_500);
    expect(call.ofKind("pause")).toHaveLength(1);
    expect(call.heardWords).toEqual([]);
    call.run(20_000);
    expect(saidByCaller(call)).toEqual(["my number is zero one seven"]);
  });
});
