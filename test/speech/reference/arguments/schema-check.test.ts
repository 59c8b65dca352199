import { describe, expect, test } from "vitest";
import type { Message, ToolDescription } from "../../../../src/speech/contracts.ts";
import { INLINE_TOOL_CHOICE } from "../../../support/stubs/inline-schemas.ts";

/** The plan for the caller's last turn; `turns` alternate between caller and agent. */
async function plan(turns: readonly string[], tools: readonly ToolDescription[]) {
  const messages = turns.map((text, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", text }));
  const request = { messages, tools, temperature: 0, language: "en-US" };
  const { calls, question } = await INLINE_TOOL_CHOICE.choose(request, new AbortController().signal);
  return { calls: calls.map((call) => call.arguments), question };
}

/** A tool with one required argument. */
const tool = (name: string, description: string, argument: string, schema: object): ToolDescription => ({
  name,
  description,
  parameters: { type: "object", properties: { [argument]: schema }, required: [argument] },
});

describe("the caller is asked again for a value that the schema refuses", () => {
  test("by multipleOf", async () => {
    const tools = [tool("order_rolls", "Orders rolls.", "quantity", { type: "integer", multipleOf: 12 })];
    expect(await plan(["Please order 5 rolls."], tools)).toEqual({
      calls: [],
      question: "Please tell me the quantity.",
    });
    expect((await plan(["Please order 5 rolls, no, 24 rolls."], tools)).calls).toEqual([{ quantity: 24 }]);
  });

  test("by pattern, also in the answer", async () => {
    const tools = [tool("set_zip", "Sets the zip code.", "zip", { type: "string", pattern: "^[0-9]{5}$" })];
    const turns = ["Set it, my zip code is Ann."];
    const question = "Please tell me the zip.";
    expect(await plan(turns, tools)).toEqual({ calls: [], question });
    expect(await plan([...turns, question, "It's 123."], tools)).toEqual({ calls: [], question });
    expect((await plan([...turns, question, "one two three four five"], tools)).calls).toEqual([{ zip: "12345" }]);
  });
});

test.each([
  ["Turn the heating off.", "on", false],
  ["Turn the heating on.", "on", true],
  ["Turn the heating off.", "heating", false],
  ["Turn the heating on.", "heating", true],
  ["Disable the heating, please.", "enabled", false],
])("the opposite of a boolean's name means false: %s sets %s to %s", async (said, argument, value) => {
  const tools = [tool("set_heating", "Turns the heating on or off.", argument, { type: "boolean" })];
  expect((await plan([said], tools)).calls).toEqual([{ [argument]: value }]);
});
