import { describe, expect, test } from "vitest";
import { describeTools, planTool } from "../../../src/call/tools/plan.ts";
import type { BuiltInTool, ToolSpec } from "../../../src/core/calls/spec.ts";
import { TOOL_ARGUMENTS_CHARS_MAX } from "../../../src/core/limits/agents/tools.ts";

const builtIn = (name: BuiltInTool, fixedArguments = {}): ToolSpec => ({ kind: "built_in", name, fixedArguments });
const HTTP: ToolSpec = {
  kind: "http",
  name: "order",
  description: "Orders bread.",
  parameters: {
    type: "object",
    properties: { loaves: { type: "integer" }, shop: { type: "string" } },
    required: ["loaves", "shop"],
  },
  fixedArguments: { shop: "north" },
  timeoutMs: 5_000,
  method: "POST",
  url: "https://bakery.example/orders",
  headers: { authorization: "Bearer {{KEY}}" },
};

const plan = (name: string, argumentsJson: string, tools: readonly ToolSpec[]) =>
  planTool({ id: "1", name, argumentsJson }, tools);

describe("the description of a tool for the LLM", () => {
  test("has what it may choose, without fixed arguments, addresses and headers", () => {
    expect(describeTools([HTTP])).toEqual([
      {
        name: "order",
        description: "Orders bread.",
        parameters: { type: "object", properties: { loaves: { type: "integer" } }, required: ["loaves"] },
      },
    ]);
  });

  test("is a JSON Schema of an object for each built-in tool", () => {
    const tools = describeTools([builtIn("hang_up"), builtIn("send_dtmf"), builtIn("transfer", { target: "+49301" })]);
    expect(tools.map(({ name }) => name)).toEqual(["hang_up", "send_dtmf", "transfer"]);
    expect(tools[1]?.parameters).toMatchObject({ type: "object", required: ["digits"], additionalProperties: false });
    expect(tools[2]?.parameters).toMatchObject({ properties: {}, required: [] });
  });
});

describe("a tool call of the LLM", () => {
  test("is run with the fixed arguments in addition to the chosen ones", () => {
    expect(plan("order", '{"loaves":2,"shop":"south"}', [HTTP])).toEqual({
      kind: "run",
      tool: HTTP,
      arguments: { loaves: 2, shop: "north" },
    });
  });

  test.each([
    ["hang_up", "", { kind: "hang-up" }],
    ["hang_up", " {} ", { kind: "hang-up" }],
    ["send_dtmf", '{"digits":"12#A"}', { kind: "send-dtmf", digits: "12#A" }],
    ["transfer", '{"target":"+4930123456"}', { kind: "transfer", target: "+4930123456" }],
    ["switch_language", '{"language":"de"}', { kind: "language", language: "de" }],
  ] as const)("%s with %j has its effect", (name, json, effect) => {
    expect(plan(name, json, [builtIn(name)])).toMatchObject({ kind: "done", effect });
  });

  test("P13: of an unknown tool gets an error with the names of the known ones", () => {
    expect(plan("launch", "{}", [HTTP, builtIn("hang_up")])).toEqual({
      kind: "done",
      result: "Error: there is no such tool; there is order, hang_up.",
    });
    expect(plan("launch", "{}", [])).toMatchObject({ result: "Error: there is no such tool; there are none." });
  });

  test.each([
    ["no JSON", "{loaves"],
    ["a list", "[1]"],
    ["a text", '"two"'],
    ["nothing", "null"],
    ["a megabyte", JSON.stringify({ loaves: "x".repeat(1_000_000) })],
    ["one character too many", JSON.stringify({ a: "x".repeat(TOOL_ARGUMENTS_CHARS_MAX - 7) })],
  ])("P13: with %s for arguments has no effect, and the LLM gets an error", (_, json) => {
    expect(plan("order", json, [HTTP])).toEqual({
      kind: "done",
      result: "Error: the arguments must be one JSON object.",
    });
  });

  test.each([
    ["send_dtmf", { digits: "12x" }],
    ["send_dtmf", { digits: "" }],
    ["send_dtmf", { digits: 12 }],
    ["send_dtmf", { digits: "1".repeat(65) }],
    ["transfer", {}],
    ["transfer", { target: "  " }],
    ["transfer", { target: "9".repeat(257) }],
    ["switch_language", { language: "the language of love" }],
    ["switch_language", { language: ["de"] }],
  ] as const)("P13: %s with %j has no effect, and the result tells the LLM which arguments are valid", (name, given) => {
    const planned = plan(name, JSON.stringify(given), [builtIn(name)]);
    expect(planned).toMatchObject({ kind: "done", result: expect.stringMatching(/^Error: (digits|target|language) /) });
    expect(planned).not.toHaveProperty("effect");
  });

  test("switch_language goes on only in a language that the service had when the call was created", () => {
    const tool: ToolSpec = {
      ...builtIn("switch_language"),
      kind: "built_in",
      name: "switch_language",
      languages: ["de", "en"],
    };
    expect(plan("switch_language", '{"language":"de-AT"}', [tool])).toMatchObject({ effect: { language: "de-AT" } });
    expect(plan("switch_language", '{"language":"fr"}', [tool])).toEqual({
      kind: "done",
      result: "Error: language must be one of de, en, not fr.",
    });
  });

  test("does not read what the LLM hides in __proto__", () => {
    const planned = plan("order", '{"__proto__":{"admin":true},"loaves":1}', [HTTP]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect(planned).toMatchObject({ kind: "run", arguments: { loaves: 1, shop: "north" } });
  });
});
