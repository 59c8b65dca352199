import { expect, test } from "vitest";
import { changesOf, isSame } from "../../../../web/dashboard/pages/agent/model/definition.ts";
import { differences, fieldLabel } from "../../../../web/dashboard/pages/agent/model/definition-diff.ts";
import { definition } from "./definitions.ts";

test("every field that differs is named, in the order of the page", () => {
  const before = definition({ callSettings: { model: "model_a", maxDuration: 300, greeting: "Hello." } });
  const after = definition({
    name: "Night desk",
    context: "The bakery is closed.",
    callSettings: { maxDuration: 600, greeting: "Hello there.", recordingEnabled: false },
    toolIds: ["tool_1"],
  });
  const found = differences(before, after);
  expect(found.map(({ path, label }) => [path, label])).toEqual([
    ["name", "Name"],
    ["context", "Context"],
    ["toolIds", "Saved tools"],
    ["callSettings.model", "Model"],
    ["callSettings.maxDuration", "Longest call, seconds"],
    ["callSettings.greeting", "Greeting"],
    ["callSettings.recordingEnabled", "Audio is recorded"],
  ]);
  expect(found[0]?.change).toEqual({ kind: "value", before: "Front desk", after: "Night desk" });
  expect(found[3]?.change).toEqual({ kind: "value", before: "model_a", after: undefined });
  expect(found[5]?.change).toMatchObject({ kind: "text" });
  expect(found[6]?.change).toEqual({ kind: "value", before: undefined, after: "no" });
});

test("of lists the items are named that came, went or changed", () => {
  const customer = { name: "customer", type: "string" } as const;
  const before = definition({
    variables: [customer, { name: "loaves", type: "number", default: 1 }],
    callSettings: { selectedTools: [{ toolName: "hang_up" }] },
    corpusIds: ["cor_1", "cor_2"],
  });
  const after = definition({
    variables: [
      { name: "loaves", type: "number", default: 2 },
      { name: "day", type: "string" },
    ],
    callSettings: { selectedTools: [{ toolName: "hang_up" }, { toolName: "transfer" }] },
    corpusIds: ["cor_2", "cor_1"],
  });
  const items = differences(before, after).map(({ path, change }) => [
    path,
    change.kind === "items" ? change.items.map((item) => `${item.change} ${item.name}`) : [],
  ]);
  expect(items).toEqual([
    ["variables", ["removed customer", "changed loaves", "added day"]],
    ["corpusIds", ["changed Order"]],
    ["callSettings.selectedTools", ["added transfer"]],
  ]);
});

test("a definition that says the same has no difference, whatever the order of its fields", () => {
  const tool = { toolName: "transfer", parameterOverrides: { target: "+15550100" } } as const;
  const one = definition({ callSettings: { model: "model_a", selectedTools: [tool] } });
  const other = definition({ callSettings: { selectedTools: [{ ...tool }], model: "model_a" } });
  expect(differences(one, other)).toEqual([]);
  expect(changesOf(one, other)).toEqual({});
  expect(changesOf(one, { ...other, context: "New." })).toEqual({ context: "New." });
  expect(isSame([1, 2], { 0: 1, 1: 2 })).toBe(false);
  expect(isSame({ a: undefined }, {})).toBe(true);
});

test("an analysis that is new, changed or gone is compared as JSON", () => {
  const before = definition({ callSettings: { analysis: { summary: true } } });
  const after = definition({ callSettings: { analysis: { summary: true, prompt: "Callbacks." } } });
  expect(differences(before, after)[0]?.change.kind).toBe("text");
  expect(differences(before, definition())[0]).toMatchObject({
    path: "callSettings.analysis",
    change: { kind: "text" },
  });
});

test("fields have names for people", () => {
  expect(["basePrompt", "callSettings.firstSpeaker", "callSettings.later"].map(fieldLabel)).toEqual([
    ...["Base prompt", "First speaker", "later"],
  ]);
});
