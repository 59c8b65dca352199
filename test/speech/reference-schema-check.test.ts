import { describe, expect, test } from "vitest";
import { planTools } from "../../src/speech/providers/reference-tools.ts";
import type { Message, ToolDescription } from "../../src/speech/speech.ts";

/** What the caller's last turn comes to; the agent's turns stand between the caller's. */
function plan(turns: readonly string[], tools: readonly ToolDescription[]) {
  const messages = turns.map((text, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", text }));
  const { calls, question } = planTools({ messages, tools, temperature: 0, language: "en-US" });
  return { calls: calls.map((call) => call.arguments), question: question?.text };
}

/** A tool with one argument that must be there. */
const tool = (name: string, description: string, argument: string, schema: object): ToolDescription => ({
  name,
  description,
  parameters: { type: "object", properties: { [argument]: schema }, required: [argument] },
});

describe("a value that the schema refuses is asked for", () => {
  test("by multipleOf", () => {
    const tools = [tool("order_rolls", "Orders rolls.", "quantity", { type: "integer", multipleOf: 12 })];
    expect(plan(["Please order 5 rolls."], tools)).toEqual({ calls: [], question: "Please tell me the quantity." });
    expect(plan(["Please order 5 rolls, no, 24 rolls."], tools).calls).toEqual([{ quantity: 24 }]);
  });

  test("by pattern, also in the answer", () => {
    const tools = [tool("set_zip", "Sets the zip code.", "zip", { type: "string", pattern: "^[0-9]{5}$" })];
    const turns = ["Set it, my zip code is Ann."];
    const question = "Please tell me the zip.";
    expect(plan(turns, tools)).toEqual({ calls: [], question });
    expect(plan([...turns, question, "It's 123."], tools)).toEqual({ calls: [], question });
    expect(plan([...turns, question, "one two three four five"], tools).calls).toEqual([{ zip: "12345" }]);
  });

  test("but not where its pattern takes for ever: a request waits for one deadline, and the tool's own check refuses it", () => {
    const names = ["alpha", "bravo", "carol", "delta", "edgar", "fritz", "gamma", "hotel", "india", "julia"];
    const slow = { type: "string", pattern: "^(?:a+)+$" };
    const properties = Object.fromEntries(names.map((name) => [name, { ...slow }]));
    const value = `${"a".repeat(32)}7`;
    const said = `Please set the codes: ${names.map((name) => `${name} is ${value}`).join(", ")}.`;
    const before = process.cpuUsage();
    const { calls } = plan([said], [{ name: "set_codes", description: "Sets codes.", parameters: { properties } }]);
    const { user } = process.cpuUsage(before);
    expect(calls).toEqual([Object.fromEntries(names.map((name) => [name, value]))]);
    // Ten deadlines would be 500 ms.
    expect(user / 1_000).toBeLessThan(300);
  });
});

test.each([
  ["Turn the heating off.", "on", false],
  ["Turn the heating on.", "on", true],
  ["Turn the heating off.", "heating", false],
  ["Turn the heating on.", "heating", true],
  ["Disable the heating, please.", "enabled", false],
])("a boolean is false by the opposite of its name: %s sets %s to %s", (said, argument, value) => {
  const tools = [tool("set_heating", "Turns the heating on or off.", argument, { type: "boolean" })];
  expect(plan([said], tools).calls).toEqual([{ [argument]: value }]);
});
