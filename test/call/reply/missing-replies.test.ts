import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { VirtualCall, type VirtualCallOptions } from "../../support/calls/virtual-call.ts";

const { llmSilenceMs, ttsSilenceMs } = DEFAULT_TURN_PARAMETERS;

function started(options: VirtualCallOptions): VirtualCall {
  const call = new VirtualCall(options);
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

const spoken = (call: VirtualCall): [string, number][] =>
  call.commands.flatMap(({ atMs, command }) => (command.kind === "speak" ? [[command.text, atMs]] : []));
const firstAskMs = (call: VirtualCall): number =>
  call.commands.find(({ command }) => command.kind === "generate-reply")?.atMs ?? Number.NaN;

/** Why the service itself said something; "model" for what it did not. */
const reasons = (call: VirtualCall): string[] => call.ofKind("speak").map(({ reason = "model" }) => reason);

describe("a reply that is late", () => {
  test("gets a filler within three seconds, and the answer follows it", () => {
    const call = started({ answer: () => ({ text: "We are open until six.", afterMs: 4_000 }) });
    call.says(2_500, "until when");
    call.run(15_000);
    const [, filler] = spoken(call);
    expect(filler?.[0]).toBe("One moment, please.");
    expect((filler?.[1] ?? Number.NaN) - firstAskMs(call)).toBeLessThan(3_000 - 100);
    expect(call.turns.at(-1)).toMatchObject({ text: "One moment, please. We are open until six.", interrupted: false });
    expect(reasons(call)).toEqual(["greeting", "filler", "model"]);
  });

  test("of an LLM that sends nothing is an apology after that, and the second consecutive one ends the call", () => {
    const call = started({ answer: () => "hangs" });
    call.says(2_500, "hello");
    call.says(16_000, "hello again");
    call.run(40_000);
    expect(spoken(call).map(([text]) => text)).toEqual([
      "Hello, this is the bakery.",
      "One moment, please.",
      "I am sorry, could you say that again?",
      "One moment, please.",
    ]);
    expect(reasons(call)).toEqual(["greeting", "filler", "apology", "filler"]);
    expect((spoken(call)[2]?.[1] ?? Number.NaN) - firstAskMs(call)).toBeLessThanOrEqual(llmSilenceMs + 20);
    expect(call.endReason).toBe("provider_error");
  });

  test("of an LLM that recovers in between ends nothing", () => {
    let asks = 0;
    const call = started({
      answer: () => {
        asks += 1;
        return asks % 2 === 1 ? "hangs" : { text: "Yes." };
      },
    });
    for (const atMs of [2_500, 16_000, 20_000, 34_000]) call.says(atMs, "hello");
    call.run(40_000);
    expect(call.endReason).toBeUndefined();
    expect(spoken(call).filter(([text]) => text.startsWith("I am sorry"))).toHaveLength(2);
  });

  test("of an LLM that stops during the reply times out, and what was heard of it stays in the record", () => {
    const call = started({ answer: () => ({ text: "We have rolls and bread today. And", endless: true }) });
    call.says(2_500, "what have you");
    call.run(20_000);
    expect(call.turns.slice(-2).map(({ text, interrupted }) => [text, interrupted])).toEqual([
      ["We have rolls and bread today.", true],
      ["I am sorry, could you say that again?", false],
    ]);
  });

  test("of a TTS that sends nothing ends the call: the agent cannot say that it failed", () => {
    const call = started({ tts: { afterMs: Number.POSITIVE_INFINITY } });
    call.run(30_000);
    expect(call.endReason).toBe("provider_error");
    expect(call.endMs).toBeLessThanOrEqual(100 + ttsSilenceMs + 20);
  });

  test("gets a filler in the language of the call", () => {
    const call = started({ spec: { language: "de-AT" }, answer: () => "hangs" });
    call.says(2_500, "hallo");
    call.run(20_000);
    expect(
      spoken(call)
        .map(([text]) => text)
        .slice(1),
    ).toEqual(["Einen Moment, bitte.", "Entschuldigung, könnten Sie das bitte wiederholen?"]);
  });

  test("gets no filler when it is there in time", () => {
    const call = started({ answer: () => ({ text: "Yes.", afterMs: 2_000 }) });
    call.says(2_500, "hello");
    call.run(12_000);
    expect(spoken(call).map(([text]) => text)).toEqual(["Hello, this is the bakery.", "Yes."]);
  });
});

describe("C15: a caller who hangs up", () => {
  const hangUp = { kind: "leg-closed", reason: "caller_hangup" } as const;
  const cases: [string, VirtualCallOptions, number][] = [
    ["before the stream has begun", {}, 50],
    ["during the greeting", {}, 800],
    ["in the middle of a word", {}, 2_900],
    ["before the LLM's first word", { answer: () => "hangs" }, 5_000],
    ["before the TTS's first sample", { greeting: "none", tts: { afterMs: Number.POSITIVE_INFINITY } }, 4_800],
    ["while the agent is heard", { answer: () => ({ text: Array(20).fill("bread").join(" ") }) }, 6_000],
    ["while the agent is paused", { answer: () => ({ text: Array(20).fill("bread").join(" ") }) }, 7_150],
  ];
  test.each(cases)("%s ends the call at once, and nothing of it stays alive", (_, options, atMs) => {
    const call = started(options);
    call.says(2_500, "tell me");
    call.coughs(7_000, 400);
    call.at(atMs, () => call.handle(hangUp));
    call.run(atMs);
    expect(call.endReason).toBe("caller_hangup");
    expect(call.commands.at(-1)?.command.kind).toBe("end");
    const before = call.commands.length;
    for (const turnId of [1, 2, 3]) {
      call.handle({ kind: "reply-text", turnId, text: "late words." });
      call.handle({ kind: "reply-end", turnId });
      call.handle({ kind: "segment-audio", turnId, segment: 0, samples: 160, words: [] });
      call.handle({ kind: "frame-out", turnId, samples: 160 });
      call.handle({ kind: "mark", name: `${turnId}.0` });
    }
    call.handle({ kind: "stt-final", text: "late too" });
    call.handle({ kind: "tick" });
    expect(call.commands).toHaveLength(before);
    expect(call.call.nextDeadlineMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("C16: the maximum duration", () => {
  test.each<[string, VirtualCallOptions]>([
    ["an LLM that hangs", { answer: () => "hangs" }],
    [
      "a tool that never has a result",
      { spec: { tools: [TOOL()] }, answer: () => ({ text: "", tools: [{ name: "wait" }] }) },
    ],
    ["keys that never end", {}],
  ])("ends a call with %s exactly on time", (name, options) => {
    const call = started({
      ...options,
      spec: { ...options.spec, maxDurationMs: 60_000, inactivityTimeoutMs: 300_000 },
    });
    if (name.startsWith("keys")) call.presses(2_500, "1".repeat(1_000), 100);
    else call.says(58_000, "hello");
    call.run(70_000);
    expect([call.endReason, call.endMs]).toEqual(["max_duration", 60_000]);
  });
});

function TOOL() {
  return {
    kind: "client",
    name: "wait",
    description: "Waits.",
    parameters: { type: "object", properties: {} },
    fixedArguments: {},
    timeoutMs: 60_000,
  } as const;
}
