import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../src/call/events.ts";
import { DTMF_TONES_MAX } from "../../src/core/limits/calls/calls.ts";
import { VirtualCall, type VirtualCallOptions, type WantedTool } from "../support/calls/virtual-call.ts";

const press = (digits: string): WantedTool => ({ name: "send_dtmf", argumentsJson: JSON.stringify({ digits }) });
const PRESS: CallEvent = { kind: "dtmf-requested", digits: "12" };
/** By then the greeting has been heard, and neither side speaks. */
const QUIET_MS = 4_000;
const TOOLS = (["send_dtmf", "hang_up"] as const).map(
  (name) => ({ kind: "built_in", name, fixedArguments: {} }) as const,
);

/** A telephone call whose agent sends digits in band. */
function inBand(events: Readonly<Record<number, CallEvent>>, options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({ ...options, spec: { tools: TOOLS, dtmfInBand: true, ...options.spec } });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  for (const [atMs, event] of Object.entries(events)) call.at(Number(atMs), () => call.handle(event));
  return call;
}

/** The agent presses these keys, in this reply, when it is asked something, and then speaks. */
const presses =
  (
    text: string,
    digits: string,
    after: { text?: string; hangUp?: boolean } = {},
  ): NonNullable<VirtualCallOptions["answer"]> =>
  (_, { messages }) =>
    messages.some(({ role }) => role === "tool")
      ? { text: after.text ?? "Done." }
      : { text, tools: [press(digits)], hangUp: after.hangUp ?? false };

describe("DTMF tones in the agent's audio", () => {
  test("are asked for by a command that says so, where nothing else carries digits to the line", () => {
    const call = inBand({ [QUIET_MS]: PRESS });
    call.run(6_000);
    expect(call.ofKind("send-dtmf")).toEqual([{ kind: "send-dtmf", digits: "12", inBand: true }]);
    expect(call.heardWords.slice(-2)).toEqual(["1", "2"]);
  });

  test("come before the words that the agent says when it has pressed the keys", () => {
    const call = inBand({}, { answer: presses("", "12#") });
    call.says(5_000, "press one two");
    call.run(12_000);
    expect(call.heardWords.slice(-4)).toEqual(["1", "2", "#", "Done."]);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "Done.", interrupted: false });
  });

  test("interrupt a reply that is being sent, which goes on after them, and all of it counts as heard", () => {
    const call = inBand({ 7500: PRESS }, { answer: () => ({ text: "one two three four five six" }) });
    call.says(5_000, "count");
    call.run(14_000);
    const words = call.heardWords.slice(-8);
    expect([...words].sort()).toEqual(["1", "2", "five", "four", "one", "six", "three", "two"]);
    expect(words.indexOf("2") - words.indexOf("1")).toBe(1);
    expect(["1", "2"]).not.toContain(words.at(-1));
    expect(call.turns.at(-1)).toMatchObject({ text: "one two three four five six", interrupted: false });
    expect(call.ofKind("pause")).toEqual([]);
  });

  test("are heard before the agent hangs up", () => {
    const call = inBand({}, { answer: presses("", "123", { hangUp: true }) });
    call.says(5_000, "press and go");
    call.run(20_000);
    expect(call.endReason).toBe("agent_hangup");
    expect(call.heardWords.slice(-3)).toEqual(["1", "2", "3"]);
  });

  test("are not dropped by a caller who interrupts the agent meanwhile", () => {
    const text = "one two three four five six seven eight nine ten";
    const call = inBand(
      { 7300: { kind: "dtmf-requested", digits: "12345" } },
      { answer: (said) => ({ text: said === "count" ? text : "Yes." }) },
    );
    call.says(5_000, "count");
    call.says(7_200, "wait please");
    call.run(20_000);
    const [cut] = call.ofKind("cancel-reply");
    expect(cut).toMatchObject({ reason: "words", clear: false });
    expect(cut?.heardText).toMatch(/^one/);
    expect(call.heardWords.filter((word) => /^\d$/.test(word)).join("")).toBe("12345");
    expect(call.heardWords).not.toContain("ten");
    expect(call.turns.at(-1)?.text).toBe("Yes.");
  });

  test("are not dropped by a hold that ends, or begins", () => {
    const call = inBand({
      [QUIET_MS]: { kind: "hold-requested", msMax: 60_000 },
      9000: PRESS,
      9200: { kind: "resume-requested" },
      15000: PRESS,
      15050: { kind: "hold-requested", msMax: 60_000 },
    });
    call.run(20_000);
    expect(call.ofKind("resumed")).toEqual([{ kind: "resumed", reason: "requested", heldMs: 5_200, clear: false }]);
    expect(call.heardWords.filter((word) => /^\d$/.test(word)).join("")).toBe("1212");
  });

  test("are lost with the leg, and nothing waits for them on the next", () => {
    const call = inBand({}, { answer: presses("", "1234567890", { hangUp: true }) });
    call.says(5_000, "press and go");
    call.detach(7_000);
    call.attach(9_000);
    call.run(20_000);
    expect(call.endReason).toBe("agent_hangup");
    expect(call.heardWords.filter((word) => /^\d$/.test(word)).length).toBeLessThan(10);
  });

  test("do not make a reply that waits for them count as hung", () => {
    const call = inBand(
      { 7000: { kind: "dtmf-requested", digits: "1".repeat(64) } },
      { answer: () => ({ text: "one two three four five six seven eight" }) },
    );
    call.says(5_000, "count");
    call.run(30_000);
    expect(call.endReason).toBeUndefined();
    expect(call.heardWords.filter((word) => word === "1")).toHaveLength(64);
    expect(call.turns.at(-1)).toMatchObject({ text: "one two three four five six seven eight", interrupted: false });
  });

  test("have a limit: the agent is given that its keys are not pressed, and a program's are not sent", () => {
    const many: CallEvent = { kind: "dtmf-requested", digits: "1".repeat(64) };
    const results: string[] = [];
    const call = inBand(
      { 4000: many, 4020: many, 4040: PRESS },
      {
        answer: (_, { messages }) => {
          const result = messages.findLast(({ role }) => role === "tool");
          if (result === undefined) return { text: "", tools: [press("5".repeat(64))] };
          results.push(result.text);
          return { text: "I wait." };
        },
      },
    );
    call.says(4_000, "press five");
    call.run(40_000);
    expect(results[0]).toContain("still being sent");
    expect(call.ofKind("send-dtmf").reduce((sum, { digits }) => sum + digits.length, 0)).toBe(DTMF_TONES_MAX);
  });

  test("are not asked for while there is no leg", () => {
    const call = inBand({ 8000: PRESS });
    call.detach(6_000);
    call.attach(10_000);
    call.run(14_000);
    expect(call.ofKind("send-dtmf")).toEqual([]);
  });

  test("are none where the wire or the carrier takes digits in another way", () => {
    const call = new VirtualCall({ answer: presses("", "12#"), spec: { tools: TOOLS } });
    call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
    call.says(5_000, "press one two");
    call.run(12_000);
    expect(call.ofKind("send-dtmf")).toEqual([{ kind: "send-dtmf", digits: "12#" }]);
  });
});
