import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { callMs, millisecondsOf } from "../../../src/core/clocks.ts";
import { SPEC, VirtualCall, type VirtualCallOptions } from "../../support/calls/virtual-call.ts";

const { dtmfGapMs } = DEFAULT_TURN_PARAMETERS;
const LONG = "Bread is baked at five and rolls at six and cakes at seven and pies at eight every day.";

function started(options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall(options);
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

/** The user messages of the LLM requests, with their times. */
const llmRequestsOf = (call: VirtualCall): [string | undefined, number][] =>
  call.commands.flatMap(({ atMs, command }) =>
    command.kind === "generate-reply" ? [[command.messages.at(-1)?.text, atMs]] : [],
  );

describe("DTMF digits", () => {
  test("that end with # are a turn at once, and the LLM sees that they were not spoken", () => {
    const call = started();
    call.presses(3_000, "123#");
    call.run(3_700);
    expect(llmRequestsOf(call)).toEqual([["DTMF: 123", 3_600]]);
  });

  test("without # are a turn when no more have followed for the gap", () => {
    const call = started();
    call.presses(3_000, "42");
    call.run(7_000);
    const [[text, atMs] = ["", 0], ...more] = llmRequestsOf(call);
    expect([text, more]).toEqual(["DTMF: 42", []]);
    expect(atMs - 3_200).toBeGreaterThanOrEqual(dtmfGapMs);
    expect(atMs - 3_200).toBeLessThanOrEqual(dtmfGapMs + 20);
  });

  test("over the agent interrupt it like a word, and it is silent until the entry is complete", () => {
    const call = started({ answer: (text) => ({ text: text === "all" ? LONG : "Thank you." }) });
    call.says(2_500, "all");
    call.presses(5_000, "12#", 1_000);
    call.run(12_000);
    expect(call.commands.find(({ command }) => command.kind === "cancel-reply")).toMatchObject({
      atMs: 5_000,
      command: { reason: "dtmf", clear: true },
    });
    expect(llmRequestsOf(call).at(-1)).toEqual(["DTMF: 12", 7_000]);
    expect(call.turns.at(-1)).toMatchObject({ text: "Thank you.", interrupted: false });
  });

  test("over a greeting that is not interruptible are answered when it has been heard", () => {
    const call = started({ spec: { interruptible: false } });
    call.presses(300, "7#");
    call.run(6_000);
    expect(call.turns.map(({ role, text }) => [role, text])).toEqual([
      ["agent", SPEC.greeting],
      ["user", "DTMF: 7"],
      ["agent", "You said DTMF: 7."],
    ]);
    expect(llmRequestsOf(call)[0]?.[1]).toBeGreaterThanOrEqual(
      millisecondsOf(call.turns[0]?.endMs ?? callMs(Number.NaN)),
    );
  });

  test("that are still being entered when that greeting ends are awaited", () => {
    const call = started({ spec: { interruptible: false } });
    call.presses(1_000, "12", 700);
    call.run(8_000);
    expect(llmRequestsOf(call).map(([text]) => text)).toEqual(["DTMF: 12"]);
    expect(llmRequestsOf(call)[0]?.[1]).toBeGreaterThanOrEqual(1_700 + dtmfGapMs);
  });

  test("and words at the same time are one turn, when both are complete", () => {
    const call = started();
    call.says(3_000, "my number is");
    call.presses(4_000, "12#", 600);
    call.run(9_000);
    expect(llmRequestsOf(call)).toEqual([["my number is DTMF: 12", 5_200]]);
    expect(call.turns.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["my number is DTMF: 12"]);
  });

  test("that are being entered when the call ends are its last words", () => {
    const call = started();
    call.says(3_000, "my number is");
    call.presses(4_100, "427");
    call.at(4_900, () => call.handle({ kind: "leg-closed", reason: "caller_hangup" }));
    call.run(9_000);
    expect(call.turns.at(-1)).toMatchObject({ role: "user", text: "my number is DTMF: 427", endMs: 4_900 });
  });

  test("in consecutive entries before the answer is audible are one turn, with one prompt", () => {
    const call = started({ answer: (text) => ({ text: `Thank you for ${text}.`, afterMs: 800 }) });
    call.presses(3_000, "1#2#", 200);
    call.run(9_000);
    expect(call.turns.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["DTMF: 1 DTMF: 2"]);
    expect(call.turns.at(-1)?.text).toBe("Thank you for DTMF: 1 DTMF: 2.");
  });
});
