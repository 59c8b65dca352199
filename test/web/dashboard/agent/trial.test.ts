import { expect, test } from "vitest";
import { promptOf as promptOfService } from "../../../../src/api/agents/call.ts";
import { filledTexts } from "../../../../src/api/agents/variables.ts";
import { withCorporaOfAgent } from "../../../../src/api/tools/corpora.ts";
import type { AgentDefinition } from "../../../../src/store/agent-store.ts";
import { promptOf, undeclaredVariables, usedVariables } from "../../../../web/dashboard/pages/agent/model/texts.ts";
import { clientToolsOf, trialCallOf } from "../../../../web/dashboard/pages/agent/model/trial.ts";
import { readValues } from "../../../../web/dashboard/pages/agent/model/values.ts";
import { definition } from "./definitions.ts";

const agent = definition({
  basePrompt: "You speak with {{ customer }}. Not {{ this one}, nor {{1st}}.",
  context: "The order of {{loaves}} loaves is ready, {{customer}}.",
  customInstructions: "  ",
  variables: [
    { name: "customer", type: "string" },
    { name: "loaves", type: "number", default: 1 },
  ],
  callSettings: { greeting: "Hello {{customer}}.", model: "model_a", selectedTools: [{ toolName: "send_dtmf" }] },
  toolIds: ["tool_1"],
  corpusIds: ["cor_1"],
});

test("a trial has the prompt, the greeting and the corpora that a call of the saved agent has", () => {
  const values = { customer: "{{loaves}}", loaves: 2 };
  const call = trialCallOf(agent, values);
  const { texts } = filledTexts(agent as unknown as AgentDefinition, values);
  expect(call.systemPrompt).toBe(promptOfService(texts));
  expect(call.greeting).toBe(texts.greeting);
  expect(promptOf(agent)).toBe(promptOfService(agent));
  expect(call).toMatchObject({ voice: agent.voiceId, language: "en-US", model: "model_a" });
  expect(call.selectedTools).toEqual(withCorporaOfAgent([{ toolId: "tool_1" }], ["cor_1"]));
});

test("corpora of the agent are added to those that query_corpus names, whose settings stay", () => {
  const tool = {
    toolName: "query_corpus",
    parameterOverrides: { corpusIds: ["cor_2"], retrieval: "always" },
  } as const;
  const own = definition({ callSettings: { selectedTools: [{ ...tool }] }, corpusIds: ["cor_1"] });
  expect(trialCallOf(own, {}).selectedTools).toEqual(
    withCorporaOfAgent([{ toolName: "query_corpus", parameterOverrides: { ...tool.parameterOverrides } }], ["cor_1"]),
  );
});

test("variables are found in all texts, and those that are not declared are named", () => {
  expect(usedVariables(agent)).toEqual(["customer", "loaves"]);
  expect(undeclaredVariables({ ...agent, variables: [] })).toEqual(["customer", "loaves"]);
  expect(undeclaredVariables(agent)).toEqual([]);
});

test("values are read by their types; one without a default is needed", () => {
  const variables = [...agent.variables, { name: "vip", type: "boolean" as const, default: false }];
  expect(readValues(variables, { customer: "Mrs Miller", loaves: "2.5", vip: "true" })).toEqual({
    values: { customer: "Mrs Miller", loaves: 2.5, vip: true },
    problems: {},
  });
  expect(readValues(variables, { loaves: "two", vip: "maybe" }).problems).toEqual({
    customer: "needs a value, because it has no default",
    loaves: "must be a number",
    vip: "must be true or false",
  });
});

test("the tools that a page carries out are known by their names", () => {
  const client = { type: "client" as const, name: "book_table", description: "Books.", parameters: { type: "object" } };
  const tools = [{ definition: { ...client, timeoutMs: 1_000, readOnly: false, idempotent: false } }];
  expect(clientToolsOf(definition({ callSettings: { selectedTools: tools } }))).toEqual(["book_table"]);
  expect(clientToolsOf(agent)).toEqual([]);
});
