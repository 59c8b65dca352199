import { describe, expect, test } from "vitest";
import type { ToolSpec } from "../../../src/core/calls/spec.ts";
import { asToolCallId, asTurnId } from "../../../src/core/ids.ts";
import { TOOL_ROUNDS_MAX } from "../../../src/core/limits/agents/tools.ts";
import { type LlmCommand, SPEC, VirtualCall, type VirtualCallOptions } from "../../support/calls/virtual-call.ts";

const clientTool = (name: string): ToolSpec => ({
  kind: "client",
  name,
  description: `Does ${name}.`,
  parameters: { type: "object", properties: { day: { type: "string" } } },
  fixedArguments: {},
  timeoutMs: 60_000,
});
const TOOLS: readonly ToolSpec[] = [
  clientTool("look_up"),
  clientTool("book"),
  { kind: "built_in", name: "hang_up", fixedArguments: {} },
  { kind: "built_in", name: "transfer", fixedArguments: {} },
  { kind: "built_in", name: "send_dtmf", fixedArguments: {} },
];

function started(options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({ ...options, spec: { tools: TOOLS, ...options.spec } });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

/** The results that the LLM gets, in order. */
const resultsIn = (request: LlmCommand | undefined): string[] =>
  request?.messages.filter(({ role }) => role === "tool").map(({ text }) => text) ?? [];
const hasResults = ({ messages }: LlmCommand): boolean => messages.at(-1)?.role === "tool";
const agentTexts = (call: VirtualCall): string[] =>
  call.turns.filter(({ role }) => role === "agent").map(({ text }) => text);

describe("tools in one reply", () => {
  test("run together when the LLM has finished its text, and all results go back to it in one request", () => {
    const call = started({
      answer: (_, request) =>
        hasResults(request)
          ? { text: "Both are done." }
          : {
              text: "Let me do that.",
              tools: [{ name: "look_up", argumentsJson: '{"day":"Monday"}' }, { name: "book" }],
            },
      tool: ({ name }) => (name === "look_up" ? { result: "free", afterMs: 900 } : { result: "booked", afterMs: 300 }),
    });
    call.says(2_500, "book it");
    call.run(12_000);
    expect(call.ofKind("run-tool")).toEqual([
      { kind: "run-tool", turnId: 2, toolCallId: "2.1", name: "look_up", arguments: { day: "Monday" } },
      { kind: "run-tool", turnId: 2, toolCallId: "2.2", name: "book", arguments: {} },
    ]);
    const [first, second, ...more] = call.ofKind("generate-reply");
    expect(more).toEqual([]);
    expect(second?.turnId).toBe(first?.turnId);
    expect(second?.messages.slice(-3)).toEqual([
      {
        role: "assistant",
        text: "Let me do that. ",
        toolCalls: [
          { id: "2.1", providerCallId: "0", name: "look_up", argumentsJson: '{"day":"Monday"}' },
          { id: "2.2", providerCallId: "1", name: "book", argumentsJson: "{}" },
        ],
      },
      { role: "tool", toolCallId: "2.1", name: "look_up", text: "free" },
      { role: "tool", toolCallId: "2.2", name: "book", text: "booked" },
    ]);
    expect(agentTexts(call).at(-1)).toBe("Let me do that. Both are done.");
  });

  test("P13: an LLM that repeats the same tool call is offered no tools after the last round, and the reply ends", () => {
    const call = started({
      answer: () => ({ text: "", tools: [{ name: "look_up" }] }),
      tool: () => ({ result: "again", afterMs: 10 }),
    });
    call.says(2_500, "loop");
    call.run(20_000);
    expect(call.ofKind("run-tool")).toHaveLength(TOOL_ROUNDS_MAX);
    const asks = call.ofKind("generate-reply");
    expect(asks).toHaveLength(TOOL_ROUNDS_MAX + 1);
    expect(asks.map(({ tools }) => tools.length)).toEqual([...Array(TOOL_ROUNDS_MAX).fill(TOOLS.length), 0]);
    expect(call.ofKind("state").at(-1)?.state).toBe("listening");
  });

  test("P13: bad arguments and unknown tools are reported to the LLM at once, which may correct itself; nothing runs", () => {
    const call = started({
      answer: (_, request) => {
        if (resultsIn(request).length > 0) return { text: "I cannot do that." };
        return {
          text: "",
          tools: [
            { name: "look_up", argumentsJson: "{day" },
            { name: "http://169.254.169.254/" },
            { name: "send_dtmf", argumentsJson: '{"digits":"call me"}' },
          ],
        };
      },
    });
    call.says(2_500, "do it");
    call.run(8_000);
    expect(call.ofKind("run-tool")).toEqual([]);
    expect(call.ofKind("send-dtmf")).toEqual([]);
    expect(resultsIn(call.ofKind("generate-reply")[1])).toEqual([
      "Error: the arguments must be one JSON object.",
      "Error: there is no such tool; there is look_up, book, hang_up, transfer, send_dtmf.",
      "Error: digits must be keys: 0-9, *, #, A-D.",
    ]);
    expect(agentTexts(call).at(-1)).toBe("I cannot do that.");
  });

  test("a tool that fails gives a result like any other", () => {
    const call = started({
      answer: (_, request) => ({
        text: hasResults(request) ? "It is closed." : "",
        tools: hasResults(request) ? [] : [{ name: "look_up" }],
      }),
      tool: () => ({ result: "Error: no answer within 5 s.", afterMs: 200, failed: true }),
    });
    call.says(2_500, "look");
    call.run(8_000);
    expect(resultsIn(call.ofKind("generate-reply").at(-1))).toEqual(["Error: no answer within 5 s."]);
    expect(agentTexts(call).at(-1)).toBe("It is closed.");
  });

  test("DTMF is sent at once, and the LLM continues", () => {
    const call = started({
      answer: (_, request) =>
        hasResults(request)
          ? { text: "Pressed." }
          : { text: "", tools: [{ name: "send_dtmf", argumentsJson: '{"digits":"42#"}' }] },
    });
    call.says(2_500, "press");
    call.run(8_000);
    expect(call.ofKind("send-dtmf")).toEqual([{ kind: "send-dtmf", digits: "42#" }]);
    expect(resultsIn(call.ofKind("generate-reply")[1])).toEqual(["The keys are pressed."]);
  });
});

describe("a tool that takes long", () => {
  const slow: VirtualCallOptions = {
    answer: (said, request) => {
      if (said !== "look") return { text: "Yes?" };
      return hasResults(request) ? { text: "Here it is." } : { text: "", tools: [{ name: "look_up" }] };
    },
    tool: () => ({ result: "found", afterMs: 6_000 }),
  };

  test("gets a filler within three seconds, once, and the answer follows it", () => {
    const call = started(slow);
    call.says(2_500, "look");
    call.run(20_000);
    const requestMs = call.commands.find(({ command }) => command.kind === "generate-reply")?.atMs ?? Number.NaN;
    const filler = call.commands.find(({ command }) => command.kind === "speak" && command.turnId === 2);
    expect(filler?.command).toMatchObject({ text: "One moment, please." });
    expect((filler?.atMs ?? Number.NaN) - requestMs).toBeLessThanOrEqual(3_000);
    expect(agentTexts(call).at(-1)).toBe("One moment, please. Here it is.");
  });

  test("is no inactivity of the caller", () => {
    const call = started({
      ...slow,
      spec: { inactivityTimeoutMs: 10_000, inactivityAction: "hang_up" },
      tool: () => ({ result: "found", afterMs: 30_000 }),
    });
    call.says(2_500, "look");
    call.run(40_000);
    expect(call.endReason).toBeUndefined();
    expect(agentTexts(call).at(-1)).toBe("One moment, please. Here it is.");
  });

  test("and that the caller does not wait for has its result in the context, and it is never spoken", () => {
    const call = started(slow);
    call.says(2_500, "look");
    call.says(6_000, "never mind hello");
    call.says(14_000, "and now");
    call.run(20_000);
    expect(call.ofKind("cancel-reply")).toHaveLength(1);
    const [, meanwhile, later] = call.ofKind("generate-reply");
    expect(resultsIn(meanwhile)).toEqual(["There is no result yet: the caller went on before it came."]);
    expect(resultsIn(later)).toEqual(["found"]);
    expect(agentTexts(call).join(" ")).not.toContain("Here it is.");
    expect(call.ofKind("speak").some(({ text }) => text === "Here it is.")).toBe(false);
  });

  test("C15: ends with a call that is hung up meanwhile, and its result is ignored", () => {
    const call = started(slow);
    call.says(2_500, "look");
    call.at(5_000, () => call.handle({ kind: "leg-closed", reason: "caller_hangup" }));
    call.run(5_000);
    expect(call.commands.slice(-2).map(({ command }) => command.kind)).toEqual(["cancel-reply", "end"]);
    const before = call.commands.length;
    call.handle({
      kind: "tool-result",
      turnId: asTurnId(2),
      toolCallId: asToolCallId("2.1"),
      result: "found",
      failed: false,
    });
    expect(call.commands).toHaveLength(before);
  });
});

describe("ending the call with a tool", () => {
  test("a transfer is emitted when everything before it has been heard, and the call ends with it", () => {
    const call = started({
      answer: () => ({
        text: "I will put you through to the manager.",
        tools: [{ name: "transfer", argumentsJson: '{"target":"+4930123456"}' }],
      }),
    });
    call.says(2_500, "the manager please");
    call.run(20_000);
    expect(call.heardWords.join(" ")).toBe(`${SPEC.greeting} I will put you through to the manager.`);
    expect(call.commands.slice(-2).map(({ command }) => command)).toEqual([
      { kind: "transfer", target: "+4930123456" },
      { kind: "end", reason: "transferred" },
    ]);
  });

  test("waits for the other tools of its round, sends the LLM no further request, and happens once", () => {
    const call = started({
      answer: () => ({
        text: "Booked, goodbye.",
        tools: [{ name: "book" }, { name: "hang_up" }, { name: "transfer", argumentsJson: '{"target":"+4930123456"}' }],
      }),
      tool: () => ({ result: "booked", afterMs: 4_000 }),
    });
    call.says(2_500, "book and bye");
    call.run(7_000);
    expect(call.endReason).toBeUndefined();
    call.run(20_000);
    expect(call.endReason).toBe("agent_hangup");
    expect(call.ofKind("generate-reply")).toHaveLength(1);
    expect(call.ofKind("transfer")).toEqual([]);
  });

  test("without a word ends the call without one", () => {
    const call = started({ answer: () => ({ text: "", hangUp: true }) });
    call.says(2_500, "bye");
    call.run(20_000);
    expect(call.endReason).toBe("agent_hangup");
    expect(call.turns.at(-1)).toMatchObject({ role: "user", text: "bye" });
  });
});
