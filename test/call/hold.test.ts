import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../src/call/events.ts";
import { callMs } from "../../src/core/clocks.ts";
import { type LlmCommand, VirtualCall, type VirtualCallOptions } from "../support/calls/virtual-call.ts";

const HOLD: CallEvent = { kind: "hold-requested", msMax: 60_000 };
const RESUME: CallEvent = { kind: "resume-requested" };
const TARGET = "+4312345";
/** By then the greeting has been heard, and neither side speaks. */
const QUIET_MS = 4_000;

/** A call in which these events happen; the agent is asked something at 5 s. */
function held(events: Readonly<Record<number, CallEvent>>, options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({
    answer: (said, { messages }) =>
      messages.some(isAboutHold) ? { text: "I am back." } : { text: `You said ${said} and I think about it now.` },
    ...options,
  });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  for (const [atMs, event] of Object.entries(events)) call.at(Number(atMs), () => call.handle(event));
  return call;
}

const isAboutHold = ({ text }: { text: string }): boolean => text.includes("was on hold for");
const requests = (call: VirtualCall): LlmCommand[] => call.ofKind("generate-reply");
const timesOf = (call: VirtualCall, kind: string): number[] =>
  call.commands.flatMap(({ atMs, command }) => (command.kind === kind ? [atMs] : []));
const notesOf = ({ messages }: LlmCommand): string[] =>
  messages.flatMap(({ role, text }) => (role === "system" && text.includes("hold") ? [text] : []));
const isMusic = (word: string): boolean => word === "♪";

describe("a hold that the API asks for", () => {
  test("lasts until the API ends it: the caller hears music, then the agent, which knows for how long", () => {
    const call = held({ [QUIET_MS]: HOLD, 14000: RESUME });
    call.run(18_000);
    expect(call.ofKind("held")).toEqual([{ kind: "held", msMax: 60_000 }]);
    expect(call.ofKind("resumed")).toEqual([{ kind: "resumed", reason: "requested", heldMs: 10_000 }]);
    const words = call.heardWords;
    const music = words.filter(isMusic).length;
    expect(music).toBeGreaterThan(490);
    expect(music).toBeLessThanOrEqual(501);
    expect(words.slice(words.findLastIndex(isMusic) + 1)).toEqual(["I", "am", "back."]);
    expect(requests(call).flatMap(notesOf)).toEqual([
      "The caller was on hold for 10 s and heard music. The caller is back with you. Say so, and go on.",
    ]);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "I am back.", interrupted: false });
  });

  test("shows as the state of the agent", () => {
    const call = held({ [QUIET_MS]: HOLD, 14000: RESUME });
    call.run(18_000);
    const states = call.ofKind("state").map(({ state }) => state);
    expect(states).toEqual(["speaking", "listening", "held", "listening", "thinking", "speaking", "listening"]);
  });

  test("interrupts the agent: its turn ends with what was heard, and the music is in no turn", () => {
    const call = held({ 9000: HOLD, 12000: RESUME });
    call.says(5_000, "one two three");
    call.run(16_000);
    const [cut] = call.ofKind("cancel-reply");
    expect(cut).toMatchObject({ reason: "hold", clear: true });
    expect(call.turns.map(({ role, text }) => [role, text])).toEqual([
      ["agent", "Hello, this is the bakery."],
      ["user", "one two three"],
      ["agent", cut?.heardText],
      ["agent", "I am back."],
    ]);
    expect(call.heardWords.join(" ")).toContain(`${cut?.heardText} ♪`);
  });

  test("hears nothing of the caller: neither words, nor digits, nor typed text, and no reply is paused", () => {
    const call = held({ [QUIET_MS]: HOLD, 8000: { kind: "dtmf", digit: "5" }, 9000: { kind: "typed", text: "hello" } });
    call.says(6_000, "can you hear me");
    call.run(20_000);
    const after = call.commands.filter(({ atMs }) => atMs > QUIET_MS).map(({ command }) => command.kind);
    expect(after).toEqual([]);
    expect(call.call.callerSpeech.isSpeaking).toBe(false);
  });

  test("keeps what the caller said before, and the agent answers it when it is back, without counting the hold as latency", () => {
    const call = held({ 6000: HOLD, 20000: RESUME });
    call.says(5_000, "where is my bread");
    call.run(26_000);
    expect(requests(call)).toHaveLength(1);
    const last = requests(call)[0]?.messages.at(-1);
    expect(last).toEqual({ role: "user", text: "where is my bread" });
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "I am back." });
    expect(call.turns.at(-1)?.latency).toBeUndefined();
  });

  test("ends by itself after its longest time", () => {
    const call = held({ [QUIET_MS]: { kind: "hold-requested", msMax: 5_000 } });
    call.run(14_000);
    expect(call.ofKind("resumed")).toEqual([{ kind: "resumed", reason: "expired", heldMs: 5_000 }]);
    expect(call.turns.at(-1)?.text).toBe("I am back.");
  });

  test("is no inactivity, however long it lasts, and the caller's time to speak begins anew after it", () => {
    const call = held(
      { [QUIET_MS]: { kind: "hold-requested", msMax: 600_000 } },
      { spec: { inactivityTimeoutMs: 10_000 } },
    );
    call.run(603_000);
    expect(call.ofKind("speak").filter(({ reason }) => reason === "inactivity")).toEqual([]);
    expect(call.endReason).toBeUndefined();
    call.run(622_000);
    expect(call.ofKind("speak").filter(({ reason }) => reason === "inactivity")).toHaveLength(1);
  });

  test("does not extend the call beyond its maximum duration", () => {
    const call = held({ [QUIET_MS]: HOLD }, { spec: { maxDurationMs: 20_000 } });
    call.run(30_000);
    expect([call.endReason, call.endMs]).toEqual(["max_duration", 20_000]);
  });

  test("survives its leg: the next one has music, and the agent speaks on it", () => {
    const call = held({ [QUIET_MS]: HOLD, 20000: RESUME });
    call.detach(6_000);
    call.attach(12_000);
    call.run(24_000);
    expect(timesOf(call, "resumed")).toEqual([20_000]);
    expect(call.ofKind("held")).toHaveLength(1);
    expect(call.heardWords.slice(-3)).toEqual(["I", "am", "back."]);
  });

  test("that ends while there is no leg: the agent speaks on the next one", () => {
    const call = held({ [QUIET_MS]: { kind: "hold-requested", msMax: 5_000 } });
    call.detach(6_000);
    call.attach(12_000);
    call.run(16_000);
    expect(timesOf(call, "resumed")).toEqual([9_000]);
    expect(timesOf(call, "generate-reply")).toEqual([12_000]);
    expect(call.turns.at(-1)?.text).toBe("I am back.");
  });

  test("is replaced by a transfer, which may be asked for meanwhile; one that fails leads to the agent", () => {
    const call = held(
      {
        [QUIET_MS]: HOLD,
        8000: { kind: "transfer-started", target: TARGET },
        12000: { kind: "transfer-failed", target: TARGET, outcome: "busy" },
      },
      { answer: () => ({ text: "The line is busy." }), spec: { phoneControl: true } },
    );
    call.run(18_000);
    expect(call.ofKind("resumed")).toEqual([{ kind: "resumed", reason: "transfer", heldMs: 4_000 }]);
    expect(timesOf(call, "generate-reply")).toEqual([12_000]);
    expect(call.turns.at(-1)?.text).toBe("The line is busy.");
    expect(call.call.isHeld).toBe(false);
  });

  test.each<[string, CallEvent, string, string | undefined]>([
    ["a drain, with a goodbye", { kind: "goodbye-requested", reason: "drain_timeout" }, "drain_timeout", "goodbye"],
    ["the caller", { kind: "leg-closed", reason: "caller_hangup" }, "caller_hangup", undefined],
    ["the API", { kind: "end-requested", reason: "api_hangup" }, "api_hangup", undefined],
  ])("is over when %s ends the call", (_, event, reason, resumed) => {
    const call = held({ [QUIET_MS]: HOLD, 8000: event });
    call.run(20_000);
    expect(call.endReason).toBe(reason);
    expect(call.ofKind("resumed").map((each) => each.reason)).toEqual(resumed === undefined ? [] : [resumed]);
    if (resumed !== undefined) expect(call.heardWords.at(-1)).not.toBe("♪");
  });

  test("ends with a goodbye of the agent where the STT has failed meanwhile", () => {
    const call = held({ [QUIET_MS]: HOLD, 6000: { kind: "stt-failed", code: "provider_failed" }, 9000: RESUME });
    call.run(8_900);
    expect(call.endReason).toBeUndefined();
    call.run(20_000);
    expect(call.endReason).toBe("provider_error");
    expect(call.ofKind("speak").at(-1)?.reason).toBe("goodbye");
  });

  test("counts its audio as played: what the agent says after it is heard to its end, marks or not", () => {
    for (const marks of [true, false]) {
      const call = held({ [QUIET_MS]: HOLD, 14000: RESUME }, { marks });
      call.says(18_000, "are you there");
      call.run(26_000);
      expect(call.turns.at(-2)).toMatchObject({ role: "user", text: "are you there" });
      expect(call.turns.find(({ text }) => text === "I am back.")).toMatchObject({ interrupted: false });
    }
  });
});

describe("a request for a hold", () => {
  const refusals = (call: VirtualCall) => (["hold", "resume"] as const).map((kind) => call.call.holdRefusal({ kind }));

  test("is refused where it makes no sense, with the reason", () => {
    const call = held({}, { spec: { phoneControl: true } });
    expect(refusals(call)).toEqual(["not_live", "not_live"]);
    call.run(QUIET_MS);
    expect(refusals(call)).toEqual([undefined, "not_on_hold"]);
    call.handle(HOLD);
    expect(refusals(call)).toEqual(["on_hold", undefined]);
    call.handle({ kind: "transfer-started", target: TARGET });
    expect(refusals(call)).toEqual(["transferring", "transferring"]);
    call.handle({ kind: "transfer-failed", target: TARGET, outcome: "busy" });
    call.handle({ kind: "goodbye-requested", reason: "drain_timeout" });
    expect(refusals(call)).toEqual(["ending", "ending"]);
    call.handle({ kind: "end-requested", reason: "api_hangup" });
    expect(refusals(call)).toEqual(["not_live", "not_live"]);
  });

  test("that is refused has no effect", () => {
    const call = held({ 50: HOLD, [QUIET_MS]: RESUME, 5000: HOLD, 6000: { kind: "hold-requested", msMax: 1_000 } });
    call.run(20_000);
    expect(timesOf(call, "held")).toEqual([5_000]);
    expect(call.ofKind("resumed")).toEqual([]);
    expect(call.call.snapshot.deadlines.hold).toBe(callMs(65_000));
  });
});

/** The caller asks for something, and the agent puts the caller on hold for so many seconds. */
function asked(seconds: unknown, events: Readonly<Record<number, CallEvent>> = {}): VirtualCall {
  const tool = { name: "hold_call", argumentsJson: JSON.stringify({ seconds }) };
  const call = held(events, {
    answer: (_, { messages }) =>
      messages.at(-1)?.role === "tool" ? { text: "Here I am again." } : { text: "One moment please.", tools: [tool] },
    spec: { tools: [{ kind: "built_in", name: "hold_call", fixedArguments: {} }] },
  });
  call.says(QUIET_MS, "look that up");
  return call;
}

describe("the tool hold_call", () => {
  test("puts the caller on hold when the agent has been heard, and comes back by itself with the result", () => {
    const call = asked(10);
    call.run(25_000);
    const [heldMs = Number.NaN] = timesOf(call, "held");
    expect(call.turns.at(2)).toMatchObject({ role: "agent", text: "One moment please.", interrupted: false });
    expect(timesOf(call, "resumed")).toEqual([heldMs + 10_000]);
    expect(requests(call).at(-1)?.messages.slice(-2)).toMatchObject([
      { role: "assistant", toolCalls: [{ name: "hold_call" }] },
      { role: "tool", text: expect.stringContaining("on hold for 10 s") },
    ]);
    expect(call.turns.at(-1)?.text).toBe("Here I am again.");
    expect(requests(call)).toHaveLength(2);
  });

  test.each([0, 601, 1.5, "10", undefined])("is refused with %s seconds", (seconds) => {
    const call = asked(seconds);
    call.run(12_000);
    expect(call.ofKind("held")).toEqual([]);
    expect(requests(call).at(-1)?.messages.at(-1)?.text).toBe("Error: seconds must be a whole number from 1 to 600.");
  });

  test("ends sooner by the API, with the tool's result", () => {
    const call = asked(60, { 14000: RESUME });
    call.run(20_000);
    expect(call.ofKind("resumed")).toMatchObject([{ reason: "requested" }]);
    expect(requests(call).at(-1)?.messages.at(-1)).toMatchObject({ role: "tool" });
  });

  test("does nothing where the caller goes on first", () => {
    const call = asked(10);
    call.says(5_650, "no wait please");
    call.run(8_000);
    expect(call.ofKind("cancel-reply")).toMatchObject([{ reason: "words" }]);
    expect(call.ofKind("held")).toEqual([]);
  });
});
