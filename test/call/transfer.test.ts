import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../src/call/events.ts";
import { TRANSFER_REQUEST_MS_MAX, TRANSFER_RESULT_MS_MAX } from "../../src/core/limits/calls/calls.ts";
import { type LlmCommand, VirtualCall, type VirtualCallOptions } from "../support/calls/virtual-call.ts";

const TARGET = "+4312345";
const STARTED: CallEvent = { kind: "transfer-started", target: TARGET };
const failed = (outcome: "busy" | "no_answer" | "refused" | "failed"): CallEvent => ({
  kind: "transfer-failed",
  target: TARGET,
  outcome,
});
/** By then the agent has asked for the transfer. */
const ASKED_MS = 7_000;

/** A telephone call whose caller asks for a person; `more` happens after the agent's request, at these times after ASKED_MS. */
function asked(
  more: Readonly<Record<number, CallEvent>> = {},
  { isOnPhone = true, ...options }: VirtualCallOptions & { isOnPhone?: boolean } = {},
): VirtualCall {
  const call = new VirtualCall({
    answer: (said, { messages }) => {
      if (messages.at(-1)?.role === "tool") return { text: "That did not work." };
      if (said !== "a person please") return { text: `You said ${said}.` };
      const transfer = { name: "transfer", argumentsJson: JSON.stringify({ target: TARGET }) };
      return { text: "One moment please.", tools: [transfer] };
    },
    ...options,
    spec: {
      tools: [{ kind: "built_in", name: "transfer", fixedArguments: {} }],
      ...(isOnPhone && { phoneControl: true }),
      ...options.spec,
    },
  });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  call.says(3_000, "a person please");
  for (const [afterMs, event] of Object.entries(more)) call.at(ASKED_MS + Number(afterMs), () => call.handle(event));
  return call;
}

const requests = (call: VirtualCall): LlmCommand[] => call.ofKind("generate-reply");
const lastMessages = (call: VirtualCall, count: number): object[] =>
  (requests(call).at(-1)?.messages ?? []).slice(-count);
const repliesAfter = (call: VirtualCall, afterMs: number): number[] =>
  call.commands
    .filter(({ atMs, command }) => command.kind === "generate-reply" && atMs >= afterMs)
    .map(({ atMs }) => atMs - ASKED_MS);

describe("a transfer by the telephone network", () => {
  test("is asked for when the agent has been heard to its end, once, and the call goes on", () => {
    const call = asked({ 1000: STARTED });
    call.run(20_000);
    expect(call.ofKind("transfer")).toEqual([{ kind: "transfer", target: TARGET }]);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "One moment please.", interrupted: false });
    expect(call.endReason).toBeUndefined();
    expect(requests(call)).toHaveLength(1);
    expect(call.ofKind("state").at(-1)?.state).toBe("listening");
  });

  test("does not exist without control of the telephone call: the call ends", () => {
    const call = asked({}, { isOnPhone: false });
    call.run(20_000);
    expect(call.endReason).toBe("transferred");
  });

  test("that fails while the leg is there: the agent says so at once, and its LLM knows why", () => {
    const call = asked({ 1000: STARTED, 5000: failed("no_answer") });
    call.run(16_000);
    expect(repliesAfter(call, ASKED_MS)).toEqual([5_000]);
    expect(lastMessages(call, 3)).toMatchObject([
      { role: "assistant", text: "One moment please." },
      { role: "assistant", toolCalls: [{ name: "transfer" }] },
      { role: "tool", name: "transfer", text: expect.stringContaining("failed: there was no answer") },
    ]);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "That did not work." });
  });

  test("that fails while there is no leg: the agent says so on the next one", () => {
    const call = asked({ 1000: STARTED, 5000: failed("busy") });
    call.detach(ASKED_MS + 1_500);
    call.attach(ASKED_MS + 8_000);
    call.run(18_000);
    expect(repliesAfter(call, ASKED_MS)).toEqual([8_000]);
    expect(lastMessages(call, 1)).toMatchObject([{ role: "tool", text: expect.stringContaining("the line was busy") }]);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "That did not work." });
  });

  test("that fails before its leg is lost: what was not heard is said again on the next leg", () => {
    const call = asked({ 1000: STARTED, 5000: failed("busy") });
    call.detach(ASKED_MS + 5_300);
    call.attach(ASKED_MS + 8_000);
    call.run(18_000);
    expect(repliesAfter(call, ASKED_MS)).toEqual([5_000]);
    expect(call.heardWords.slice(-4)).toEqual(["That", "did", "not", "work."]);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "That did not work." });
  });

  test("whose result comes after the next leg: the agent waits for it, though not for long", () => {
    const late = asked({ 1000: STARTED, 8900: failed("busy") });
    const missing = asked({ 1000: STARTED });
    for (const call of [late, missing]) {
      call.detach(ASKED_MS + 1_500);
      call.attach(ASKED_MS + 8_000);
      call.run(18_000);
    }
    expect(repliesAfter(late, ASKED_MS)).toEqual([8_900]);
    expect(repliesAfter(missing, ASKED_MS)).toEqual([8_000 + TRANSFER_RESULT_MS_MAX]);
    expect(lastMessages(missing, 1)).toMatchObject([{ text: expect.stringContaining("could not be made") }]);
  });

  test("is silent for as long as it takes: nothing is answered, and silence is no inactivity", () => {
    const call = asked({ 1000: STARTED, 2000: { kind: "typed", text: "hello" }, 2500: { kind: "dtmf", digit: "1" } });
    call.says(ASKED_MS + 4_000, "is there anybody");
    call.run(200_000);
    expect(call.endReason).toBeUndefined();
    expect(requests(call)).toHaveLength(1);
    const after = call.commands.filter(({ atMs }) => atMs > ASKED_MS + 1_000);
    expect(after).toEqual([]);
  });

  test("keeps what the caller said before the carrier rang, and the agent answers it when the transfer has failed", () => {
    const call = asked({ 3000: STARTED, 6000: failed("busy") });
    call.says(ASKED_MS + 200, "wait a second");
    call.run(20_000);
    expect(repliesAfter(call, ASKED_MS)).toEqual([6_000]);
    expect(lastMessages(call, 2)).toMatchObject([{ role: "tool" }, { role: "user", text: "wait a second" }]);
  });

  test("that the service refuses: the LLM is given the reason, and the conversation goes on", () => {
    const call = asked({ 1000: { kind: "transfer-refused", text: "Numbers of this country are not called." } });
    call.says(ASKED_MS + 6_000, "thank you");
    call.run(20_000);
    const [, refused, thanked] = requests(call);
    expect(refused?.messages.at(-1)).toMatchObject({
      role: "tool",
      text: expect.stringContaining("refused. Numbers of this country are not called."),
    });
    expect(thanked?.messages.at(-1)).toEqual({ role: "user", text: "thank you" });
  });

  test("to which there is no answer counts as refused", () => {
    const call = asked();
    call.run(30_000);
    const [, refused] = requests(call);
    expect(refused?.messages.at(-1)).toMatchObject({ text: expect.stringContaining("cannot be reached") });
    const [{ atMs = 0 } = {}] = call.commands.filter(({ command }) => command.kind === "transfer");
    expect(repliesAfter(call, ASKED_MS)).toEqual([atMs + TRANSFER_REQUEST_MS_MAX - ASKED_MS]);
  });

  test("may fail twice: each time the LLM is given that reason", () => {
    let attempts = 0;
    const call = asked(
      { 1000: STARTED, 3000: failed("busy"), 9000: STARTED, 11000: failed("no_answer"), 11001: failed("busy") },
      {
        answer: (_, { messages }) => {
          if (messages.at(-1)?.role === "tool" && attempts === 2) return { text: "There was no answer." };
          attempts += 1;
          return { text: "I am trying.", tools: [{ name: "transfer", argumentsJson: `{"target":"${TARGET}"}` }] };
        },
      },
    );
    call.run(30_000);
    expect(call.ofKind("transfer")).toHaveLength(2);
    const results = lastMessages(call, 99).flatMap((message) =>
      "role" in message && message.role === "tool" ? [message] : [],
    );
    expect(results).toMatchObject([
      { text: expect.stringContaining("the line was busy") },
      { text: expect.stringContaining("there was no answer") },
    ]);
    expect(requests(call)).toHaveLength(3);
    expect(call.endReason).toBeUndefined();
  });

  test("that the API asks for interrupts the agent, and a note says why it failed; the latest alone", () => {
    const call = asked({}, { answer: () => ({ text: "We open at nine and close at six every day." }) });
    call.at(5_500, () => call.handle(STARTED));
    call.at(8_000, () => call.handle(failed("busy")));
    call.at(14_000, () => call.handle(STARTED));
    call.at(16_000, () => call.handle(failed("refused")));
    call.run(25_000);
    expect(call.ofKind("cancel-reply")).toMatchObject([{ reason: "transfer", clear: true }]);
    expect(call.ofKind("transfer")).toEqual([]);
    const notes = requests(call).map(({ messages }) =>
      messages.flatMap(({ role, text }) => (role === "system" ? [text] : [])),
    );
    expect(notes.map((texts) => texts.length)).toEqual([1, 2, 2]);
    expect(notes[1]?.[1]).toContain("the line was busy");
    expect(notes[2]?.[1]).toContain("this target is not called");
  });

  test("succeeds by the end of the call, also while there is no leg", () => {
    const call = asked({ 1000: STARTED, 9000: { kind: "end-requested", reason: "transferred" } });
    call.detach(ASKED_MS + 1_500);
    call.run(30_000);
    expect([call.endReason, call.endMs]).toEqual(["transferred", ASKED_MS + 9_000]);
  });

  test.each<[string, CallEvent, string]>([
    ["the API", { kind: "end-requested", reason: "api_hangup" }, "api_hangup"],
    ["a drain, without a goodbye", { kind: "goodbye-requested", reason: "drain_timeout" }, "drain_timeout"],
    ["the caller", { kind: "leg-closed", reason: "caller_hangup" }, "caller_hangup"],
  ])("is over when %s ends the call", (_, event, reason) => {
    const call = asked({ 1000: STARTED, 2000: event });
    call.run(30_000);
    expect([call.endReason, call.endMs]).toEqual([reason, ASKED_MS + 2_000]);
  });

  test("does not extend the call beyond its maximum duration", () => {
    const call = asked({ 1000: STARTED }, { spec: { maxDurationMs: 20_000 } });
    call.detach(ASKED_MS + 1_500);
    call.run(30_000);
    expect(call.endReason).toBe("max_duration");
  });

  test("outlives the STT; the agent says goodbye when the caller is back", () => {
    const call = asked({ 1000: STARTED, 2000: { kind: "stt-failed", code: "provider_failed" }, 9000: failed("busy") });
    call.run(8_000 + ASKED_MS);
    expect(call.endReason).toBeUndefined();
    call.run(30_000);
    expect(call.ofKind("speak").at(-1)?.reason).toBe("goodbye");
    expect(call.endReason).toBe("provider_error");
  });

  test("that was not asked for changes nothing when it fails or is refused", () => {
    const call = asked({ [-6_000]: failed("busy"), [-5_500]: { kind: "transfer-refused", text: "No." } });
    call.run(6_000);
    expect(requests(call)).toHaveLength(1);
  });
});
