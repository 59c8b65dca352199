import { expect, test } from "vitest";
import { Tools } from "../../../web/sdk/src/tools.ts";

const CALL = { type: "toolCall", id: "t1", name: "book", arguments: { people: 4 } } as const;

const resultOf = async (handler: (args: Readonly<Record<string, unknown>>) => unknown) => {
  const tools = new Tools();
  tools.register("book", handler);
  return await tools.run(CALL);
};

test("a tool gets the arguments, and the service its result", async () => {
  const result = await resultOf(async ({ people }) => ({ message: `a table for ${people}` }));
  expect(result).toEqual({ type: "toolResult", id: "t1", result: { message: "a table for 4" } });
});

test.each([
  ["no result", () => undefined, { result: null }],
  ["a text", () => "done", { result: "done" }],
  ["an error", () => Promise.reject(new Error("no table")), { error: "no table" }],
  ["a thrown text", () => Promise.reject("no table"), { error: "no table" }],
  ["too much", () => "x".repeat(60_001), { error: "the result has 60003 bytes, more than 60000" }],
])("a tool with %s", async (_, handler, expected) => {
  expect(await resultOf(handler)).toEqual({ type: "toolResult", id: "t1", ...expected });
});

test("what is no JSON is an error", async () => {
  expect(await resultOf(() => 1n)).toMatchObject({ error: expect.stringContaining("BigInt") });
});

test("a tool that the page does not have is an error for the agent", async () => {
  expect(await new Tools().run(CALL)).toMatchObject({ id: "t1", error: "this page has no tool book" });
});
