import { describe, expect, test } from "vitest";
import { ToolRounds } from "../../../src/call/tools/rounds.ts";
import { asToolCallId, asTurnId } from "../../../src/core/ids.ts";
import { TOOL_CALLS_PER_ROUND_MAX, TOOL_ROUNDS_MAX } from "../../../src/core/limits/agents/tools.ts";

const wanted = (id: string, name = "look_up") => ({ id, name, argumentsJson: "{}" });

describe("the tools of a reply", () => {
  test("run when the LLM has finished its text, with ids of our own, which its messages have too", () => {
    const tools = new ToolRounds(asTurnId(7));
    tools.request(wanted("x"));
    tools.request(wanted("x", "book"));
    expect(tools.running).toBe(false);
    expect(tools.startRound("Let me see.").map(({ toolCallId, call }) => [toolCallId, call.name])).toEqual([
      ["7.1", "look_up"],
      ["7.2", "book"],
    ]);
    expect(tools.running).toBe(true);
    expect(tools.setResult(asToolCallId("7.2"), "booked")).toBe(true);
    expect(tools.running).toBe(true);
    expect(tools.setResult(asToolCallId("7.1"), "found")).toBe(true);
    expect(tools.running).toBe(false);
    expect(tools.messages()).toEqual([
      {
        request: {
          role: "assistant",
          text: "Let me see.",
          toolCalls: [
            { id: "7.1", providerCallId: "x", name: "look_up", argumentsJson: "{}" },
            { id: "7.2", providerCallId: "x", name: "book", argumentsJson: "{}" },
          ],
        },
        results: [
          { role: "tool", toolCallId: "7.1", name: "look_up", text: "found" },
          { role: "tool", toolCallId: "7.2", name: "book", text: "booked" },
        ],
      },
    ]);
  });

  test("have one result each: a second one, and one for an unknown tool call, are refused", () => {
    const tools = new ToolRounds(asTurnId(1));
    tools.request(wanted("a"));
    tools.startRound("");
    expect(tools.setResult(asToolCallId("1.1"), "first")).toBe(true);
    expect(tools.setResult(asToolCallId("1.1"), "second")).toBe(false);
    expect(tools.setResult(asToolCallId("2.1"), "another reply's")).toBe(false);
    expect(tools.messages()[0]?.results.map(({ text }) => text)).toEqual(["first"]);
  });

  test("without a result have a placeholder in their messages: LLM APIs accept no tool call without one", () => {
    const tools = new ToolRounds(asTurnId(1));
    tools.request(wanted("a"));
    tools.startRound("");
    expect(tools.messages()[0]?.results).toMatchObject([
      { toolCallId: "1.1", text: "There is no result yet: the caller went on before it came." },
    ]);
  });

  test("P13: of a thousand tool calls at once only as many as the limit allows run, and the LLM gets the number of the others", () => {
    const tools = new ToolRounds(asTurnId(1));
    for (let i = 0; i < 1_000; i += 1) tools.request(wanted(String(i)));
    const runs = tools.startRound("");
    expect(runs).toHaveLength(TOOL_CALLS_PER_ROUND_MAX);
    for (const { toolCallId } of runs) tools.setResult(toolCallId, "done");
    const texts = tools.messages()[0]?.results.map(({ text }) => text) ?? [];
    expect(texts.slice(0, -1).every((text) => text === "done")).toBe(true);
    expect(texts.at(-1)).toBe("done\n992 more of your calls were not carried out: there may be 8 at once.");
    tools.request(wanted("later"));
    tools.startRound("");
    expect(tools.messages()[1]?.results.at(-1)?.text).not.toContain("more of your calls");
  });

  test("P13: in a loop end with the last round: later tool calls are ignored", () => {
    const tools = new ToolRounds(asTurnId(1));
    for (let round = 0; round < TOOL_ROUNDS_MAX; round += 1) {
      expect(tools.exhausted).toBe(false);
      tools.request(wanted("same"));
      for (const { toolCallId } of tools.startRound("")) tools.setResult(toolCallId, "again");
    }
    expect(tools.exhausted).toBe(true);
    tools.request(wanted("same"));
    expect(tools.startRound("")).toEqual([]);
    expect(tools.messages()).toHaveLength(TOOL_ROUNDS_MAX);
  });

  test("get a new result when the announced one was revoked", () => {
    const tools = new ToolRounds(asTurnId(1));
    tools.request(wanted("a", "hang_up"));
    tools.startRound("");
    tools.setResult(asToolCallId("1.1"), "The call ends.");
    tools.revoke(asToolCallId("1.1"));
    expect(tools.messages()[0]?.results[0]?.text).toContain("so does the call");
    expect(() => tools.revoke(asToolCallId("1.2"))).toThrow();
  });
});
